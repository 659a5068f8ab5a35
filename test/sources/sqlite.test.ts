import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { createRequire } from 'node:module'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tap, { test } from 'tap'
import dataApi, { collection, DataApiError, DeclarationError, expression, sqlite } from '../../lib/index.ts'
import type { SqliteDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'
import { toFault } from '../../lib/core/sources/sql/sqlite/faults.ts'

type Open = new (file: string, options?: { readOnly?: boolean, open?: boolean }) => SqliteDriver

const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite') as { DatabaseSync: Open }

const folder = mkdtempSync(join(tmpdir(), 'data-api-sqlite-'))
tap.teardown(() => { rmSync(folder, { recursive: true }) })

test('a file is opened with a write-ahead log and foreign keys, and SQLite itself does not wait for locks', async t => {
  const db = sqlite(join(folder, 'a.db'), { busyTimeout: 1234 })
  const pragma = (name: string) => Object.values(db.driver.prepare(`pragma ${name}`).get() as object)[0]
  t.strictSame([pragma('journal_mode'), Number(pragma('foreign_keys')), Number(pragma('busy_timeout'))], ['wal', 1, 0])
  t.match(sqlite(':memory:', { busyTimeout: 5 }).driver.prepare('pragma busy_timeout').get(), { timeout: 0 })
  db.close()
})

test("with journal: 'keep', a file keeps its journal mode, and writes and reads go on", async t => {
  const file = join(folder, 'kept.db')
  const db = sqlite(file, { journal: 'keep' })
  db.exec('create table things (id integer primary key, name text)')
  const app = Fastify()
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    name: Type.Optional(Type.String({ readable: true, writable: true }))
  })
  // A hook that waits: meanwhile, the other connection reads.
  const hooks = { creating: async () => { t.same((await app.inject('/things')).json(), []) } }
  await app.register(dataApi, { collections: { things: collection(Thing, { source: db.table('things'), hooks }) } })
  t.equal((await app.inject({ method: 'POST', url: '/things', payload: { name: 'one' } })).statusCode, 201)
  t.strictSame((await app.inject('/things')).json(), [{ id: 1, name: 'one' }])
  t.strictSame(Object.values(db.driver.prepare('pragma journal_mode').get() as object), ['delete'])
  await app.close()
  db.close()
  t.strictSame(readdirSync(folder).filter(name => name.startsWith('kept')), ['kept.db'])
})

test('the driver is found, named, given as a class, or given open', async t => {
  for (const db of [
    sqlite(':memory:'), sqlite(':memory:', { driver: '@photostructure/sqlite' }),
    sqlite(':memory:', { driver: DatabaseSync }), sqlite('', { driver: new DatabaseSync(':memory:') })
  ]) {
    t.equal(db.driver.prepare("select data_api_fold_case('É') as text").all().length, 1)
    db.close()
  }
  t.throws(() => sqlite(':memory:', { driver: 'better-sqlite3' }), DeclarationError)
})

test('a database that is open for reading only is served as it is', async t => {
  const file = join(folder, 'read-only.db')
  const made = new DatabaseSync(file)
  made.exec('create table things (id integer primary key)')
  made.close()
  const db = sqlite(file, { driver: new DatabaseSync(file, { readOnly: true }) })
  t.strictSame(db.driver.prepare('select * from things').all(), [])
  db.close()
})

test('what may be over soon is 503, anything else 500, the driver\'s error being the cause', async t => {
  const cases: ReadonlyArray<[error: unknown, code: string]> = [
    [Object.assign(new Error('database is locked'), { errcode: 5 }), 'unavailable'],
    [Object.assign(new Error('busy snapshot'), { errcode: 517 }), 'unavailable'],
    [Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' }), 'unavailable'],
    [Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR' }), 'unavailable'],
    [Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 }), 'unavailable'],
    [Object.assign(new Error('interrupted'), { code: 'SQLITE_INTERRUPT' }), 'unavailable'],
    [Object.assign(new Error('locking protocol'), { errcode: 15 }), 'unavailable'],
    [Object.assign(new Error('UNIQUE constraint failed: artists.name'), { code: 'ERR_SQLITE_ERROR' }), 'internal'],
    [Object.assign(new Error('no such table'), { errcode: 1 }), 'internal'],
    [Object.assign(new Error('constraint'), { code: 'SQLITE_CONSTRAINT' }), 'internal'],
    ['odd', 'internal']
  ]
  for (const [error, code] of cases) {
    const fault = toFault(error)
    t.strictSame([fault.code, fault.cause], [code, error])
  }
  const own = new DataApiError('argument', 'mine')
  t.equal(toFault(own), own)
})

test('a database that is opened here has a cache of 16 MB, a given one its own', async t => {
  const cacheOf = ({ driver }: { readonly driver: SqliteDriver }) =>
    Object.values(driver.prepare('pragma cache_size').get() as object)[0] as number
  const opened = sqlite(':memory:')
  t.equal(cacheOf(opened), -16_000)
  const given = new DatabaseSync(':memory:')
  given.exec('pragma cache_size = -500')
  t.equal(cacheOf(sqlite('', { driver: given })), -500)
  opened.close()
  given.close()
})

test('a STRICT table is taken at its word, and what others hold is looked at', async t => {
  const raw = new DatabaseSync(':memory:')
  const texts: string[] = []
  const driver: SqliteDriver = {
    prepare (text) { texts.push(text); return raw.prepare(text) },
    exec: script => raw.exec(script),
    function: (...args) => raw.function(...args),
    aggregate: (...args) => raw.aggregate(...args),
    close: () => raw.close()
  }
  // The tables hold what the declarations do not allow.
  const db = sqlite('', { driver, check: 'off' })
  const columns = "id integer primary key, word text, whole integer, share integer, made text as (word || '!')"
  const rows = 'values (1, \'5\', 7, 8), (2, \'a"b\', 9007199254740993, -9007199254740993), (3, null, null, null)'
  for (const [name, suffix] of [['strict', ' strict'], ['loose', '']]) {
    db.exec(`create table ${name} (${columns})${suffix}; insert into ${name} (id, word, whole, share) ${rows}`)
  }
  db.exec("insert into loose (id, word, whole, share) values (4, x'61', 0.30000000000000004, 'x')")
  const readable = { readable: true } as const
  const Item = Type.Object({
    id: Type.Integer({ identifier: true, ...readable }),
    word: Type.String(readable),
    whole: Type.Integer(readable),
    share: Type.Number(readable),
    made: Type.String(readable)
  })
  const app = Fastify()
  t.teardown(() => app.close())
  // What is told is text, not the number that it should be.
  const items = (table: string) => collection(Item, {
    source: db.table(table),
    computed: { told: expression({ type: Type.Number(readable), sql: eb => eb.ref('word'), memory: () => 0 }) }
  })
  await app.register(dataApi, { collections: { strict: items('strict'), loose: items('loose') } })
  const alike = [
    { id: 1, word: '5', whole: 7, share: 8, made: '5!', told: '5' },
    { id: 2, word: 'a"b', whole: '9007199254740993', share: '-9007199254740993', made: 'a"b!', told: 'a"b' },
    { id: 3, word: null, whole: null, share: null, made: null, told: null }
  ]
  t.strictSame((await app.inject('/strict')).json(), alike)
  // Older versions do not check what a column is computed to.
  t.match(texts.at(-1), '."c4" as text)')
  t.notMatch(texts.at(-1), '."c1" as text)')
  t.strictSame((await app.inject('/loose')).json(),
    [...alike, { id: 4, word: 'a', whole: '0.30000000000000004', share: 'x', made: 'a!', told: 'a' }])
  t.match(texts.at(-1), '."c1" as text)')
})

test('NaN, which is text, has a group among numbers, and a value that no path names has none', async t => {
  const db = sqlite(':memory:', { check: 'warn' })
  db.exec(`create table things (id integer primary key, n numeric);
    insert into things (n) values (1.5), ('NaN'), ('abc'), (9e999), (null), ('NaN')`)
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }), n: Type.Optional(Type.Number({ readable: true }))
  })
  const app = Fastify()
  await app.register(dataApi, { collections: { things: collection(Thing, { source: db.table('things') }) } })
  const groups = { 1.5: [{ id: 1 }], Infinity: [{ id: 4 }], NaN: [{ id: 2 }, { id: 6 }] }
  t.strictSame((await app.inject('/things/by_n?fields=id')).json(), groups)
  for (const [n, items] of Object.entries(groups)) {
    t.strictSame((await app.inject(`/things/by_n/${n}?fields=id`)).json(), items, n)
  }
  await app.close()
  db.close()
})
