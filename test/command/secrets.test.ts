import { test } from 'tap'
import { describeDesign } from '../../lib/tools/command/report.ts'
import {
  isPasswordHash, looksSecret, secretEndings, secretParts, secretWords
} from '../../lib/tools/command/scaffold/secrets.ts'
import { makeFile, serveTarget } from './helpers.ts'

test('a name is secret in each spelling of an entry of the lists, and no other name is', t => {
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  const spellings = (entry: string, mayFollow: boolean): readonly string[] => {
    const snake = entry.replaceAll(' ', '_')
    const pascal = entry.split(' ').map(capital).join('')
    const joined = entry.replaceAll(' ', '')
    return [
      entry, snake, capital(snake), snake.toUpperCase(), snake.replaceAll('_', '-'), pascal,
      pascal.charAt(0).toLowerCase() + pascal.slice(1), joined, joined.toUpperCase(), `${joined}2`, `${snake}2`,
      `${snake}_1`, `${pascal}2`, `user_${snake}`, `user${pascal}`, `user_${joined}_2`, `${snake}_old`, `2_${snake}`,
      `${snake}s`, ...mayFollow ? [`webhook${joined}`, `db${joined}2`] : []
    ]
  }
  for (const entry of [...secretParts, ...secretEndings]) {
    for (const name of spellings(entry, true)) t.ok(looksSecret(name), name)
  }
  for (const entry of secretWords) for (const name of spellings(entry, false)) t.ok(looksSecret(name), name)
  for (const name of [
    'pass', 'PASS', 'pass2', 'user_pass', 'dbpass', 'wp_pass_1', 'hashes', 'passwordmd5', 'hashedpassword'
  ]) t.ok(looksSecret(name), name)
  for (const name of [
    'secretary', 'secretariat', 'hashtag', 'hash_tags', 'key', 'keyboard', 'monkey', 'primary_key', 'number', 'card',
    'boarding_pass_id', 'season_pass', 'compass', 'bypass', 'bypass2', 'encompass', 'trespass', 'overpass', 'passenger',
    'passport', 'passes', 'pass_rate', 'passed_on', 'tokenizer', 'tokenized', 'spin', 'shipping', 'pinned', 'basalt',
    'issn', 'code', 'postcode', 'session', 'author', 'authority', 'digested', 'wash', 'dashboard', 'description', 'id'
  ]) t.notOk(looksSecret(name), name)
  t.end()
})

test('what is said of a secret, and what identifies its row, is none', async t => {
  for (const secret of ['access_token', 'apiKey', 'passwordHash', 'pin', 'credit_card']) {
    for (const ending of ['_at', '_type', '_method', '_id', '_count', 'At', 'Type', 'Method', 'Id', 'ID', 'Count']) {
      t.notOk(looksSecret(`${secret}${ending}`), `${secret}${ending}`)
    }
  }
  for (const name of ['accessTokenExpiresAt', 'tokenEndpointAuthMethod', 'session_id']) t.notOk(looksSecret(name), name)
  for (const name of ['hashedKey', 'hashed', 'access_code', 'iban', 'userIban', 'token_format', 'type_token']) {
    t.ok(looksSecret(name), name)
  }
  const { app, design } = await serveTarget(makeFile(`
    create table sessions (token text primary key, pin text);
    create table devices (id integer primary key, token text unique, password text);
    create table visits (id integer primary key, token text references sessions,
      device text references devices (TOKEN))`))
  t.strictSame(design.secrets, ['devices.password', 'sessions.pin'])
  t.equal((await app.inject('/devices?token=x')).statusCode, 200)
  t.equal((await app.inject('/visits?token.token=x')).statusCode, 200)
})

test('in tables of keys, tokens, secrets and credentials, the columns key, value and code are secret', async t => {
  const names = ['api_keys', 'ApiKey', 'user_api_key_2', 'access_tokens', 'AuthToken', 'client_secret_values',
    'credentials', 'WebCredential', 'authtoken_token', 'apikeys']
  const columns =
    'id integer primary key, key text not null unique, Value text, code text, key_name text, postcode text'
  const { app, design } = await serveTarget(makeFile(
    [...names, 'settings', 'secretaries', 'tokenizers'].map(name => `create table ${name} (${columns})`).join(';')))
  t.strictSame([...design.secrets].sort(),
    names.flatMap(name => ['Value', 'code', 'key'].map(column => `${name}.${column}`)).sort())
  t.equal((await app.inject('/api_keys/by_key')).statusCode, 404)
})

test('where a table is not served for a hidden key, the flag that brings it back is told', async t => {
  const script = `create table things (id blob, n text, primary key (id, n)) without rowid;
    insert into things values (x'00', '$2b$10$abc')`
  const other = 'create table other (id integer primary key);'
  const { design } = await serveTarget(makeFile(other + script))
  const told = describeDesign(design, { label: 'x', write: false })
  t.match(told, /things +its key \(id, n\) is not shown; --show 'things\.id,things\.n' shows it/)
  const shown = await serveTarget(makeFile(script), '--show', 'things.id,things.n')
  t.strictSame((await shown.app.inject('/things')).json(), [{ id: 'AA==', n: '$2b$10$abc' }])
})

test('a column that holds the hash of a password is secret, whatever its name is', async t => {
  const hashes = [
    '$2b$10$abcdefghijklmnopqrstuu', '$2y$10$abc', '$argon2id$v=19$m=65536', '$P$Bhash', '$6$salt$hash', '$y$j9T$x',
    '$S$Dabc', 'pbkdf2_sha256$600000$salt$x', 'pbkdf2:sha256:260000$salt$x', 'scrypt:32768:8:1$salt$x',
    '$pbkdf2-sha512$25000$x', '{SSHA}abc', 'SCRAM-SHA-256$4096:abc', 'bcrypt$$2b$12$x'
  ]
  for (const hash of hashes) t.ok(isPasswordHash(hash), hash)
  for (const text of ['$5 a head', '$12$', 'pbkdf2 is a function', 'scrypt', '{}', 'SHA', '', 'null']) {
    t.notOk(isPasswordHash(text), text)
  }
  const { design } = await serveTarget(makeFile(`
    create table users (id integer primary key, "login info" text, credo text);
    insert into users values (1, null, 'x'), (2, '$2b$10$abc', 'y')`))
  t.strictSame(design.secrets, ['users.login info'])
})
