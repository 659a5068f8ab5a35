import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import Module from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { test } from 'tap'
import { commandHelp } from '../../lib/tools/command/run.ts'
import { guardSqlite } from '../../lib/tools/command/open.ts'
import { explain } from '../../lib/tools/command/terminal.ts'
import { describeDesign } from '../../lib/tools/command/report.ts'
import { urlsToTry } from '../../lib/tools/command/serve.ts'
import { openDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'
import { message, replyAsPostgres } from '../helpers/reply-as-postgres.ts'
import { makeFile, newPath, runLine, serveTarget } from './helpers.ts'

const music = `
create table artists (id integer primary key, name text not null unique, password_hash text, photo blob);
create table albums (id integer primary key, title text not null, artist_id integer not null references artists);
create table tracks (id integer primary key, name text, genre text check (genre in ('rock', 'jazz')));
create table album_tracks (album_id integer references albums, track_id integer references tracks,
  primary key (album_id, track_id));
create view titles as select title, count(*) as uses from albums group by title;
insert into artists values (1, 'Can', 'hunter2', x'00'), (2, 'Noisia', 'hunter3', x'01');
insert into albums values (1, 'Tago Mago', 1), (2, 'Outer Edges', 2);
insert into tracks values (1, 'Paperhouse', 'rock'), (2, 'Anomaly', null);
insert into album_tracks values (1, 1), (2, 2);`

test('a SQLite file is served with relations, names and types of its catalogue', async t => {
  const { app } = await serveTarget(makeFile(music))
  const get = async (url: string) => (await app.inject(url)).json<unknown>()
  t.strictSame(await get('/artists/Can'), { id: 1, name: 'Can' })
  t.strictSame(await get('/albums?artist.name=Can&fields=title,artist(name)'), [
    { title: 'Tago Mago', artist: { name: 'Can' } }
  ])
  t.strictSame(await get('/artists/1/albums/1/tracks?fields=name'), [{ name: 'Paperhouse' }])
  t.match(await get('/tracks?genre=pop'), { error: 'invalid_filter' })
  t.equal((await app.inject({ method: 'POST', url: '/artists', payload: { name: 'x' } })).statusCode, 405)
})

test('columns named like parameters keep their names, and the command says how those are written', async t => {
  const script = `create table files (id integer primary key, size integer, "limit" text, page text, sort json);
    create table plain (id integer primary key);
    insert into files values (1, 10, 'x', 'a', '{}'), (2, 20, 'x', 'b', '{}')`
  const { app, design } = await serveTarget(makeFile(script))
  const report = describeDesign(design, { label: 'x', write: false })
  t.match(report, /^ {2}files\.size +size= filters by the field; the parameter is written take=$/m)
  t.match(report, /^ {2}files\.page +page= filters by the field; the parameter is written \.page=$/m)
  t.notMatch(report, /files\.sort/, 'no filter takes JSON')
  for (const url of await urlsToTry(app, design, '')) t.equal((await app.inject(url)).statusCode, 200, url)
  t.strictSame((await app.inject('/files?size=20&take=5&fields=id')).json(), [{ id: 2 }])
  t.equal((await app.inject('/plain?size=1&limit=1')).statusCode, 400, 'elsewhere both are the size of a page')
})

test('nothing secret is in an answer, in the document, in an error or on a page', async t => {
  const { app, design } = await serveTarget(makeFile(music))
  t.strictSame(design.secrets, ['artists.password_hash'])
  for (const url of [
    '/', '/artists', '/artists/1', '/openapi.json', '/artists?password_hash=x', '/artists?fields=password_hash',
    '/artists?sort=password_hash', '/artists/by_password_hash'
  ]) {
    const { body } = await app.inject(url)
    t.notMatch(body, /hunter/, url)
    if (!url.includes('password')) t.notMatch(body, /password/, url)
  }
  const writing = await serveTarget(makeFile(music), '--write')
  for (const url of [
    '/', '/artists', '/artists/1', '/artists?_new', '/artists/1?_edit', '/artists/1?_delete', '/artists/by_name',
    '/artists/1/albums?_link=x&_search', '/artists?password_hash=x', '/albums/1/artist', '/artists/1/password_hash'
  ]) {
    const { body, headers } = await writing.app.inject({ url, headers: { accept: 'text/html' } })
    t.equal(headers['content-type'], 'text/html; charset=utf-8', url)
    t.notMatch(body, /hunter/, url)
    if (!url.includes('password')) t.notMatch(body.replace(/<script.*<\/script>/, ''), /password/, url)
  }
  const shown = await serveTarget(makeFile(music), '--show', 'artists.password_hash,artists.photo')
  const artist = (await shown.app.inject('/artists/1')).json<unknown>()
  t.strictSame(artist, { id: 1, name: 'Can', password_hash: 'hunter2', photo: 'AA==' })
})

test('a file is as it was after a run; beside it lies nothing but the empty log that WAL mode needs', async t => {
  for (const mode of ['delete', 'wal']) {
    const file = join(newPath('folder'), 'music.db')
    mkdirSync(dirname(file))
    writeFileSync(file, readFileSync(makeFile(`pragma journal_mode = ${mode};${music}`)))
    const hash = () => createHash('sha256').update(readFileSync(file)).digest('hex')
    const state = () => [statSync(file).mtimeMs, hash()]
    const before = state()
    const { app, close } = await serveTarget(file)
    t.equal((await app.inject('/albums')).statusCode, 200)
    await close()
    t.strictSame(state(), before)
    if (mode === 'delete') t.strictSame(readdirSync(dirname(file)), ['music.db'])
    else t.equal(statSync(`${file}-wal`).size, 0)
  }
})

test('--write lets clients create, link, update and delete', async t => {
  const { app } = await serveTarget(makeFile(music), '--write')
  const write = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    (await app.inject({ method, url, ...payload && { payload } })).statusCode
  t.equal(await write('POST', '/artists', { name: 'Plaid' }), 201)
  t.equal(await write('POST', '/albums', { title: 'Spokes', artist: { id: 3 } }), 201)
  t.equal(await write('PATCH', '/tracks/1', { genre: null }), 200)
  t.equal(await write('DELETE', '/tracks/2'), 409)
  t.equal(await write('DELETE', '/albums/3'), 200)
})

test('after a run with --write, nothing lies beside the file, which keeps its journal mode', async t => {
  const file = join(newPath('folder'), 'music.db')
  mkdirSync(dirname(file))
  writeFileSync(file, readFileSync(makeFile(music)))
  const { app, close } = await serveTarget(file, '--write')
  t.equal((await app.inject({ method: 'POST', url: '/artists', payload: { name: 'Plaid' } })).statusCode, 201)
  t.equal((await app.inject('/artists/Plaid')).statusCode, 200)
  await close()
  t.strictSame(readdirSync(dirname(file)), ['music.db'])
  const again = await serveTarget(file)
  t.match((await again.app.inject('/artists/Plaid')).json(), { name: 'Plaid' })
})

test('a folder of CSV, NDJSON and JSON is served, with types found by reading', async t => {
  const folder = newPath('data')
  mkdirSync(folder)
  writeFileSync(join(folder, 'artists.csv'), '\uFEFFid;name;zip\r\n1;"Can; ""live""";007\r\n2;Noisia;123\r\n')
  const albums = [{ id: 1, artistId: 2, tags: ['x'], live: true, price: 9 }]
  writeFileSync(join(folder, 'db.json'), JSON.stringify({ albums, empty: [] }))
  writeFileSync(join(folder, 'events.ndjson'), '{"at":"2020-01-01","v":1.5}\n\n{"at":"2020-01-01","v":2}\n')
  writeFileSync(join(folder, 'people.json'), '[{"id":1,"constructor":"x"},{"id":2,"__proto__":"y","valueOf":3}]')
  writeFileSync(join(folder, 'notes.csv'), 'id,person_id,text\n1,2,"a ""b"""\n')
  writeFileSync(join(folder, 'nothing.csv'), '')
  const { app, design } = await serveTarget(folder)
  const get = async (url: string) => (await app.inject(url)).json<unknown>()
  t.strictSame(design.omissions, ['empty', 'nothing'].map(place => ({ place, reason: 'holds no rows' })))
  t.strictSame(await get('/people'), [
    { id: 1, constructor: 'x', proto: null, value_of: null }, { id: 2, constructor: null, proto: 'y', value_of: 3 }
  ])
  t.strictSame(await get('/notes?person_id=2'), [{ id: 1, person_id: 2, text: 'a "b"' }])
  t.strictSame(await get('/artists'), [
    { id: 1, name: 'Can; "live"', zip: '007' }, { id: 2, name: 'Noisia', zip: '123' }
  ])
  t.strictSame(await get('/albums?live=true&price<10&fields=tags,artist_id'), [{ tags: ['x'], artist_id: 2 }])
  t.strictSame(await get('/events?at>=2020-01-01&sort=v desc&limit=1'), [{ id: 2, at: '2020-01-01', v: 2 }])
})

test('a file whose values cannot be told apart is an error that names its row', async t => {
  const comment = "remove the comment; the file's first line has the names of the columns"
  const quoting = 'put values that hold the delimiter in double quotes'
  const cases: ReadonlyArray<readonly [content: string, message: string]> = [
    ['a,b\n1,2\n1,2,3\n', `row 3 has 3 values, but there are 2 columns; ${quoting}`],
    ['a,b\n"x"y,2\n', 'in row 2, a character follows the closing quote of a field; write a quote in a value twice'],
    ['# all of 2025\na,b\n', `row 2 has 2 values, but there is 1 column; ${comment}`],
    ['a\n"x\n', 'in row 2, a quoted field does not end; write a quote in a value twice']
  ]
  const file = newPath('x.csv')
  for (const [content, message] of cases) {
    writeFileSync(file, content)
    t.strictSame(await runLine(file), { code: 1, out: '', error: `${basename(file)}: ${message}\n` })
  }
  writeFileSync(file, Buffer.from('a\n\xe9\n', 'latin1'))
  t.match(await runLine(file), { code: 1, error: `${basename(file)} is not UTF-8; save it as UTF-8\n` })
  writeFileSync(file, 'a,b\n1,2,\n')
  const { app, design: { collections: [table] } } = await serveTarget(file)
  t.match((await app.inject('/')).json(), [{ type: 'collection' }])
  t.strictSame(table?.fields.map(({ property }) => property), ['a', 'b'])
})

test('errors are one line that says what to do; wrong flags are 2, with the nearest', async t => {
  const text = newPath('notes.txt')
  writeFileSync(text, 'hello, this is no database at all')
  const file = makeFile(music)
  const broken = newPath('broken.csv')
  writeFileSync(broken, 'a,b\n"open')
  for (const [line, code, message] of [
    [['/nowhere/x.db'], 1, /^there is no file or folder '\/nowhere\/x.db'/],
    [[text], 1, /is not a SQLite database; name one/],
    [[broken], 1, /in row 2, a quoted field does not end/],
    [[makeFile('select 1')], 1, /^the database has no tables; create one, or name another database$/],
    [[makeFile('create view v as select 1 as a')], 1, /^no table can be served: v is a view, .* --key v=a$/],
    [['mysql://user:hunter2@host/db'], 1, /^an address that begins with mysql/],
    [['postgres://user:hunter2@127.0.0.1:1/db'], 1, /^no PostgreSQL answers at this address/],
    [['postgres://user:hunter2@nowhere.invalid/db'], 1, /^the host of this address/],
    [['postgres://user:hunter2/x@host/db'], 1, /percent-encode|host of this address/],
    [[file, '--tables', 'artist'], 1, /^--tables: there is no table or view 'artist'; did you mean 'artists'\?$/],
    [[file, '--key', 'titels=title'], 1, /^--key: there is no table or view 'titels'; did you mean 'titles'\?$/],
    [[file, '--show', 'photo'], 1, /^--show: write table\.column for 'photo', such as 'artists\.photo'$/],
    [['inti', file, 'folder'], 2, /^unknown command 'inti'; did you mean 'init'\?$/],
    [[file, '--show', 'artists.foto'], 1, /did you mean 'artists.photo'\?$/],
    [[file, '--tabels', 'x'], 2, /^unknown flag --tabels; did you mean --tables\?$/],
    [[file, '--port', 'x'], 2, /^--port: expected a number/],
    [[file, '--port'], 2, /needs a value$/],
    [[file, '--write=yes'], 2, /takes no value/],
    [[file, '--schema', 'x'], 2, /^--schema: only a PostgreSQL database has schemas/],
    [[file, 'b.db'], 2, /one database is served/],
    [[], 2, /^which database\?/],
    [[file, '--look', 'long'], 2, /^--look: expected seconds, such as 60; found 'long'$/],
    [['postgres://me@localhost/db', '--look', '5'], 2, /^--look: the types of PostgreSQL are no guesses$/],
    [['import', file], 2, /name a database and a collection/],
    [['import', 'test/command', 'artists'], 1, /has no files/],
    [['prove'], 2, /write: npx fastify-data-api prove <module>/],
    [['prove', 'x.js', '--requests', 'many'], 2, /--requests: expected a number/],
    [['prove', 'none.js'], 1, /there is no file 'none.js'/],
    [['sql'], 2, /sql tables \| changes \| idempotency <module>/],
    [['sql', 'table', file], 2, /sql tables <module>/],
    [['sql', 'tables', 'none.js'], 1, /there is no file 'none.js'/]
  ] as const) {
    const { code: found, error, out } = await runLine(...line)
    t.equal(found, code, line.join(' '))
    t.match(error.trimEnd(), message)
    t.notMatch(error.trimEnd(), /\n|hunter2/)
    t.equal(out, '')
  }
})

test('the refusals of PostgreSQL say what to do, and never show the password', async t => {
  const fatal = (code: string, text = 'refused hunter2') =>
    message('E', Buffer.from(`SFATAL\0C${code}\0M${text}\0\0`))
  for (const [replies, user, told] of [
    [[fatal('28P01')], 'me:hunter2', /^PostgreSQL refuses the user or the password of this address; check both$/],
    [[fatal('28000')], 'me:hunter2', /^PostgreSQL refuses this user from this machine/],
    [[fatal('28000', 'role "me" does not exist')], 'me:hunter2', /^PostgreSQL has no user of the name in this address/],
    [[fatal('53300')], 'me:hunter2', /^PostgreSQL has no connection left/],
    [[fatal('57P03')], 'me:hunter2', /^PostgreSQL is starting up or shutting down; try again$/],
    [[], 'me:hunter2', /^the server ended the connection; it may not be PostgreSQL/],
    // The server asks for a password, by SCRAM.
    [[
      message('R', Buffer.from('\0\0\0\x0aSCRAM-SHA-256\0\0')), message('R', Buffer.from('\0\0\0\x0br=x,s=eA==,i=4096'))
    ], 'me', /^PostgreSQL asks for a password; write postgres:/]
  ] as const) {
    const { port, close } = await replyAsPostgres(replies)
    const { code, error } = await runLine(`postgres://${user}@127.0.0.1:${port}/db`)
    await close()
    t.equal(code, 1)
    t.match(error.trimEnd(), told)
    t.notMatch(error.trimEnd(), /\n|hunter2/)
  }
})

test('a missing driver of SQLite is told with the command that brings it', t => {
  const open = () => guardSqlite('music.db', () => openDriver('music.db', 'better-sqlite3'))
  const message = /^SQLite needs Node.js .* npx -p @photostructure\/sqlite@1 -p fastify-data-api/
  t.throws(open, { message, exitCode: 1 })
  t.end()
})

test('a missing driver of PostgreSQL is told with the command that brings it', async t => {
  const loader = Module as unknown as { _load: (name: string, ...others: readonly unknown[]) => unknown }
  const { _load: load } = loader
  t.teardown(() => { loader._load = load })
  loader._load = (name, ...others) => {
    if (name === 'pg') throw Object.assign(new Error("Cannot find module 'pg'"), { code: 'MODULE_NOT_FOUND' })
    return load(name, ...others)
  }
  const { code, error } = await runLine('postgres://me:hunter2@localhost/shop')
  t.equal(code, 1)
  t.equal(error,
    "the driver of PostgreSQL is missing; run: npx -p pg -p fastify-data-api fastify-data-api 'postgres://…'\n")
})

test('of a port that is taken, the command says so, and how to take another one', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  t.strictSame(await runLine(makeFile(music), '--port', String(port)), {
    code: 1, out: '', error: `the port ${port} is in use; choose another one, such as --port ${port + 1}\n`
  })
  other.close()
})

test('help fits a screen, and the version is that of the package', async t => {
  for (const name of ['serve', 'init', 'types', 'prove', 'rights', 'mcp', 'import', 'sql']) {
    const lines = commandHelp(name).split('\n')
    t.ok(lines.length <= 25 && lines.every(line => line.length <= 80), name)
  }
  t.match(await runLine('--help'), { code: 0, out: /Usage/ })
  t.match(await runLine('init', '-h'), { code: 0, out: /Writes a project/ })
  t.match(await runLine('--version'), { code: 0, out: /^\d+\.\d+\.\d+/ })
})

test('of many relations, it is told how many there are', async t => {
  const tables = Array.from({ length: 12 }, (_, index) =>
    `create table t${index} (id integer primary key, hub_id integer references hubs)`)
  const hubs = 'create table hubs (id integer primary key)'
  const { design } = await serveTarget(makeFile([hubs, ...tables].join(';')))
  const told = describeDesign(design, { label: 'hubs.db', write: false })
  t.match(told, /hubs {2}1 field; t0, t1, t10, t11, t2, t3, t4, t5, … \(12\)\n/)
})

test('it is told what is served, what is not and why; no name of a database controls the terminal', async t => {
  const hostile = 'create table "a\u001B[2Jb" (id integer primary key)'
  const { design } = await serveTarget(makeFile(`${music}${hostile}`))
  const told = describeDesign(design, { label: 'music.db', write: false })
  t.match(told, 'music.db: 4 collections, read-only')
  t.match(told, 'Join tables, served as relations: album_tracks')
  t.match(told, /titles +is a view, which has no key; name a column .*, such as --key titles=title/)
  t.match(told, 'artists.photo  holds bytes')
  t.match(told, 'Hidden, as they look secret: artists.password_hash')
  t.notMatch(told, '\u001B')
  t.equal(explain(new Error('one\n- two')), 'one two')
})

test('two files of one name are told by their names', async t => {
  const folder = newPath('')
  mkdirSync(folder)
  writeFileSync(join(folder, 'a.csv'), 'x\n1\n')
  writeFileSync(join(folder, 'a.json'), '[{"x":1}]')
  t.strictSame(await runLine(folder),
    { code: 1, out: '', error: "two tables are named 'a' and 'a', from a.csv and a.json; rename one\n" })
})
