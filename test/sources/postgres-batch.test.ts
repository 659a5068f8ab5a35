import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import Fastify from '../helpers/fastify.ts'
import type { Test } from 'tap'
import dataApi, { collection, expression, postgres, type PostgresOptions } from '../../lib/index.ts'
import { test } from '../helpers/on-postgres.ts'
import { serverUrl } from '../helpers/sources.ts'

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  word: Type.Union([Type.String(), Type.Null()], { readable: true }),
  day: Type.Union([Type.String({ format: 'date' }), Type.Null()], { readable: true })
})

const ddl = `
create table things (id int primary key, word text, day date);
insert into things select id, 'word ' || id, '2026-01-01'::date + id from generate_series(1, 20) as id`

let schemas = 0

async function open (t: Test, options: PostgresOptions = {}) {
  const schema = `postgres_batch_${process.pid}_${schemas++}`
  const connecting = { connectionString: serverUrl(), driver: { options: `-c search_path=${schema}` } }
  const owner = postgres({ ...connecting, max: 1 })
  await owner.pool.query(`create schema ${schema}; ${ddl}`)
  const db = postgres({ ...connecting, ...options })
  const app = Fastify()
  const things = collection(Thing, {
    source: db.table('things'),
    // That of thing 5 cannot be worked out.
    computed: { share: expression({ type: Type.Integer({ readable: true }), sql: () => sql<number>`100 / (id - 5)` }) }
  })
  await app.register(dataApi, { collections: { things } })
  t.teardown(async () => {
    await app.close()
    await db.close()
    await owner.pool.query(`drop schema ${schema} cascade`)
    await owner.close()
  })
  let lent = 0
  const connect = db.pool.connect.bind(db.pool)
  db.pool.connect = () => {
    lent++
    return connect()
  }
  return {
    owner,
    /** All at once. */
    ask: (...urls: readonly string[]) => Promise.all(urls.map(async url => {
      const { statusCode, body } = await app.inject(url)
      return statusCode === 200 ? JSON.parse(body) as unknown : statusCode
    })),
    /** How many times a connection has been lent since this was asked last. */
    lent () {
      const count = lent
      lent = 0
      return count
    }
  }
}

const item = (id: number) =>
  ({ id, word: `word ${id}`, share: Math.trunc(100 / (id - 5)), day: `2026-01-${String(id + 1).padStart(2, '0')}` })
const ids = (...but: readonly number[]) =>
  Array.from({ length: 20 }, (_, index) => index + 1).filter(id => !but.includes(id))

for (const prepare of [true, false]) {
  test(`items and fields asked for by key at once go to the server together (prepare: ${prepare})`, async t => {
    const { ask, lent } = await open(t, { prepare })
    await ask('/things/1')
    lent()
    // What comes in one turn goes together. On a busy machine requests come in several turns, so the best round counts.
    const items: number[] = []
    const several: number[] = []
    for (let round = 0; round < 10; round++) {
      t.strictSame(await ask(...ids(5).map(id => `/things/${id}`)), ids(5).map(item))
      items.push(lent())
      t.strictSame(await ask('/things/1', '/things/2/word', '/things/99', '/things/3?fields=day', '/things/4/share'),
        [item(1), 'word 2', 404, { day: '2026-01-04' }, -100])
      several.push(lent())
    }
    t.ok(Math.min(...items) < 8, `${items}`)
    t.ok(Math.min(...several) < 5, `${several}`)
    await ask('/things?limit=1', '/things?limit=2', '/things?limit=3')
    t.equal(lent(), 3)
  })

  test(`one that fails is answered for itself, and those behind it as ever (prepare: ${prepare})`, async t => {
    const warnings: Error[] = []
    const warn = (warning: Error) => { warnings.push(warning) }
    process.on('warning', warn)
    t.teardown(() => { process.off('warning', warn) })
    const { ask } = await open(t, { prepare })
    await ask('/things/1')
    const urls = ['/things/4', '/things/5', '/things/6', '/things/7/word', '/things/5/share', '/things/8?fields=day']
    for (let round = 0; round < 3; round++) {
      t.strictSame(await ask(...urls), [item(4), 500, item(6), 'word 7', 500, { day: '2026-01-09' }])
    }
    t.strictSame(warnings, [])
  })
}

test('libpq in the place of the driver is refused, and the driver\'s own pipelining', async t => {
  t.throws(() => postgres({ connectionString: serverUrl(), driver: { pipeline: true } }),
    { name: 'DeclarationError', message: /'pipeline'/ })
  process.env['NODE_PG_FORCE_NATIVE'] = '1'
  t.teardown(() => { delete process.env['NODE_PG_FORCE_NATIVE'] })
  t.throws(() => postgres({ connectionString: serverUrl() }),
    { name: 'DeclarationError', message: /NODE_PG_FORCE_NATIVE/ })
})
