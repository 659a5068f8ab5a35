import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tap, { test } from 'tap'
import dataApi, {
  collection, DeclarationError, postgres, sqlite, type SqlSource, SubCollection
} from '../../lib/index.ts'
import { openDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'
import { test as onPostgres } from '../helpers/on-postgres.ts'
import { serverUrl } from '../helpers/sources.ts'

const folder = mkdtempSync(join(tmpdir(), 'data-api-read-only-'))
tap.teardown(() => { rmSync(folder, { recursive: true }) })

/** Makes a file with 2,000 things in a folder of its own, and returns its path. */
function makeFile (mode: string): string {
  const file = join(mkdtempSync(join(folder, 'file-')), 'things.db')
  const driver = openDriver(file, undefined)
  driver.exec(`pragma journal_mode = ${mode}; create table things (id integer primary key, name text, sameId integer);
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
    insert into things select i, 'thing ' || i, i from n`)
  driver.close()
  return file
}

/** Everything that a run could change: the files of the folder, the content and the time of change of the file. */
const stateOf = (file: string) => ({
  files: readdirSync(join(file, '..')),
  hash: createHash('sha256').update(readFileSync(file)).digest('hex'),
  changed: statSync(file).mtimeMs
})

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.Optional(Type.String({ readable: true, writable: true })),
  sameId: Type.Optional(Type.Integer()),
  same: SubCollection('things', { foreignKey: 'sameId', readable: true, writable: true })
})
const Named = Type.Object({
  id: Type.String({ identifier: true, readable: true }),
  name: Type.Optional(Type.String({ readable: true, writable: true })),
  same: SubCollection('things', { foreignKey: 'name', readable: true, writable: true })
})

const serve = async (schema: typeof Thing | typeof Named, source: SqlSource) => {
  const app = Fastify()
  const requestStrategies = { upsert: true, delete: true }
  await app.register(dataApi, { collections: { things: collection(schema, { source, requestStrategies }) } })
  return app
}

// Compares every thing with every other one, so that a thread runs it.
const long = '/things?same.same.name*=zzz&fields=id'

for (const [mode, option] of [['delete', 'readOnly'], ['wal', 'immutable']] as const) {
  test(`${option}: a file in the mode ${mode} is as it was after reads, here and in threads`, async t => {
    const file = makeFile(mode)
    const before = stateOf(file)
    const db = sqlite(file, { [option]: true, check: 'off' })
    const app = await serve(Named, db.table('things', { columns: { id: 'name', name: 'id' } }))
    t.strictSame((await app.inject('/things?limit=1&fields=id')).json(), [{ id: 'thing 1' }])
    t.strictSame((await app.inject(long)).json(), [])
    t.throws(() => db.exec('delete from things'), /readonly/)
    t.equal((await app.inject({ method: 'POST', url: '/things', payload: {} })).statusCode, 405)
    await app.close()
    db.close()
    t.strictSame(stateOf(file), before)
  })
}

test('readOnly: a read of a file in WAL mode changes no byte of it, and shows what others write', async t => {
  const file = makeFile('wal')
  const { hash, changed } = stateOf(file)
  const db = sqlite(file, { readOnly: true })
  const app = await serve(Thing, db.table('things'))
  const name = async () => (await app.inject('/things/1/name')).json<string>()
  t.equal(await name(), 'thing 1')
  t.match(stateOf(file), { hash, changed })
  const writer = openDriver(file, undefined)
  writer.exec("update things set name = 'new' where id = 1")
  t.equal(await name(), 'new')
  writer.close()
  await app.close()
  db.close()
})

const writes = [
  ['POST', '/things', { name: 'x' }], ['PATCH', '/things/1', { name: 'x' }], ['PUT', '/things/1', { name: 'x' }],
  ['PUT', '/things/9999', { name: 'x' }], ['PUT', '/things/1/name', 'x'], ['DELETE', '/things/1', undefined],
  ['POST', '/things/1/same', { name: 'x' }], ['PUT', '/things/1/same', [1]], ['DELETE', '/things/1/same/1', undefined]
] as const

test('a database that is only read takes no writes, whatever is declared: 405 with Allow', async t => {
  const db = sqlite(makeFile('delete'), { readOnly: true, check: 'off' })
  const app = await serve(Thing, db.table('things'))
  for (const [method, url, body] of writes) {
    const answer = await app.inject({
      method,
      url,
      ...body !== undefined && { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    })
    t.equal(answer.statusCode, 405, `${method} ${url}: ${answer.body}`)
    t.notMatch(answer.headers['allow'], /P[OU]|PATCH|DELETE/)
  }
  await app.close()
  db.close()
})

test('an option readOnly that cannot be meant is told at once', async t => {
  t.throws(() => sqlite(':memory:', { readOnly: true }), DeclarationError)
  t.throws(() => sqlite('x.db', { readOnly: 'yes' as unknown as boolean }), DeclarationError)
  t.throws(() => sqlite('x.db', { immutable: 1 as unknown as boolean }), DeclarationError)
  t.throws(() => sqlite('x.db', { immutable: true, readOnly: false }), DeclarationError)
  t.throws(() => postgres({ readOnly: 1 as unknown as boolean }), DeclarationError)
})

onPostgres('every connection to PostgreSQL begins as one that only reads, with the settings of its URL', async t => {
  const base = serverUrl()
  const address = `${base}${base.includes('?') ? '&' : '?'}options=${encodeURIComponent('-c application_name=mine')}`
  for (const connectionString of [base, address]) {
    const db = postgres({ connectionString, readOnly: true })
    const { rows: [row] } = await db.pool.query<{ on: string, name: string }>(
      "select current_setting('default_transaction_read_only') as on, current_setting('application_name') as name"
    )
    t.match(row, { on: 'on', name: connectionString === base ? '' : 'mine' })
    await t.rejects(db.pool.query('create table refused (id int)'), { code: '25006' })
    t.equal(db.readOnly, true)
    await db.close()
  }
})
