import { type TSchema, Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, type Declared, memory, sqlite, SubCollection, SubItem } from '../../lib/index.ts'
import { Id as id, onSqlite, open as rw, shown as R } from '../helpers/checked-tables.ts'
import Fastify from '../helpers/fastify.ts'
import { visitsOnce, walkPages } from '../helpers/walk-pages.ts'

// docs/databases.md: Types of columns. Those of SQLite and memory(). generated-tables.test.ts shows that whatever a
// column holds is listed, paged and found.

/** Serves things. Returns a function that reads, and the lines of the log. */
async function serve (things: Declared) {
  const errors: string[] = []
  const app = Fastify({ logger: { level: 'warn', stream: { write: (line: string) => { errors.push(line) } } } })
  await app.register(dataApi, { collections: { things } })
  return { app, errors, get: async (url: string) => (await app.inject(url)).json<unknown>() }
}

/** Returns the keys of the things that a query finds. */
const idsOf = async (get: (url: string) => Promise<unknown>, query: string) =>
  (await get(`/things?${query}`) as ReadonlyArray<{ id: number }>).map(one => one.id)

const text = (format: string) => Type.String({ format, ...R })
const optional = (schema: TSchema) => Type.Optional({ ...schema, ...rw })

const columns: ReadonlyArray<readonly [type: string, schema: TSchema, literal: string, shown: unknown]> = [
  ['integer', Type.Integer(R), '9007199254740993', '9007199254740993'],
  ['integer', text('int64'), '5', '5'],
  ['integer', Type.Boolean(R), '1', true],
  ['real', Type.Number(R), '9e999', 'Infinity'],
  ['text', text('decimal'), "'1.50'", '1.50'],
  ['blob', text('byte'), "x'00'", 'AA=='],
  ['text', text('date-time'), "'2026-01-02 03:04:05'", '2026-01-02T03:04:05.000Z'],
  ['text', text('date-time'), "'2026-01-02'", '2026-01-02T00:00:00.000Z'],
  ['integer', text('date-time'), '1767323045', '2026-01-02T03:04:05.000Z'],
  ['integer', text('date-time'), '1767323045250', '2026-01-02T03:04:05.250Z'],
  ['text', text('date'), "'infinity'", 'infinity']
]

for (const strict of ['', ' strict']) {
  onSqlite(`columns are shown as the table says${strict}`, `
create table things (id integer primary key, ${columns.map(([type], n) => `c${n} ${type}`).join()})${strict};
insert into things values (1, ${columns.map(([, , literal]) => literal).join()})`, async (t, db) => {
    const fields = Object.fromEntries(columns.map(([, schema], n) => [`c${n}`, Type.Optional(schema)]))
    const { app, get } = await serve(collection(Type.Object({ id, ...fields }), { source: db.table('things') }))
    const item = { id: 1, ...Object.fromEntries(columns.map(([, , , shown], n) => [`c${n}`, shown])) }
    t.strictSame(await get('/things/1'), item)
    for (const url of ['/things?id=1', '/things?id=1&page=1']) t.strictSame(await get(url), [item])
    await app.close()
  })
}

onSqlite('a timestamp is written in the form that its column has', `
create table things (id integer primary key, a text default current_timestamp, b integer, c text)`, async (t, db) => {
  const at = Type.Optional(Type.String({ format: 'date-time', ...rw }))
  const { app, get } = await serve(collection(Type.Object({ id, a: at, b: at, c: at }), { source: db.table('things') }))
  const moment = '2026-01-02T03:04:05.000Z'
  await app.inject({ method: 'POST', url: '/things', payload: { a: moment, b: moment, c: moment } })
  t.strictSame({ ...db.driver.prepare('select a, b, c from things').get() as object },
    { a: '2026-01-02 03:04:05', b: 1767323045, c: moment })
  t.strictSame(await get('/things/1'), { id: 1, a: moment, b: moment, c: moment })
  await app.close()
})

onSqlite('values of another type than their field are shown as text, and no filter names them', `
create table things (id integer primary key, n integer, j text, b boolean);
insert into things values (1, 'abc', '{bad', 1), (2, 5, '{"a":1}', 0), (3, 7, '5', 't'), (4, null, null, 2)`,
async (t, db) => {
  const fields = { n: optional(Type.Integer()), j: optional(Type.Any()), b: optional(Type.Boolean()) }
  const { app, get } = await serve(collection(Type.Object({ id, ...fields }), { source: db.table('things') }))
  const items = [
    { id: 1, n: 'abc', j: '{bad', b: true }, { id: 2, n: 5, j: { a: 1 }, b: false }, { id: 3, n: 7, j: 5, b: 't' },
    { id: 4, n: null, j: null, b: '2' }
  ]
  for (const url of ['/things', '/things?id>0&fields=id,n,j,b']) t.strictSame(await get(url), items)
  t.strictSame(await idsOf(get, 'b=true'), [1])
  t.strictSame(await idsOf(get, 'b!=true'), [2, 3, 4])
  t.strictSame(await idsOf(get, 'sort=n'), [2, 3, 1, 4])
  await app.close()
}, { check: 'warn' })

onSqlite('text operators ignore case over numbers too', `
create table things (id integer primary key, v integer); insert into things (v) values (12), (21)`, async (t, db) => {
  const { app, get } = await serve(collection(Type.Object({ id, v: optional(Type.String()) }), {
    source: db.table('things')
  }))
  for (const query of ['v=12', 'v~=12', 'v^~=1', 'v$~=2', 'v*~=12']) t.strictSame(await idsOf(get, query), [1], query)
  await app.close()
})

test('a decimal is a key of relations and joins, however it is written', async t => {
  const decimal = { format: 'decimal', ...R }
  const Thing = Type.Object({
    id: Type.String({ identifier: true, ...decimal }),
    parts: SubCollection('things', { foreignKey: 'whole', ...R }),
    others: SubCollection('things', { through: 'links', foreignKey: 'own', otherKey: 'other', ...R }),
    whole: Type.Optional(Type.String(decimal)),
    parent: SubItem('things', { foreignKey: 'whole', ...R })
  })
  const rows = [
    { id: '1.50', whole: null }, { id: '2', whole: '1.5' }, { id: '3.0', whole: '2.00' }, { id: '10', whole: '1.50' }
  ]
  const links = [{ own: '1.5', other: '2.0' }, { own: '10.0', other: '1.500' }]
  const db = sqlite(':memory:')
  db.exec(`create table things (id text not null primary key, whole text);
    create table links (own text not null, other text not null, primary key (own, other))`)
  for (const { id, whole } of rows) db.driver.prepare('insert into things values (?, ?)').run(id, whole)
  for (const { own, other } of links) db.driver.prepare('insert into links values (?, ?)').run(own, other)
  for (const source of [memory(rows, { joins: { links } }), db.table('things')]) {
    const { app, get } = await serve(collection(Thing, { source }))
    t.strictSame(await get('/things?sort=id&fields=id,parts(id;sort=id),others(id),parent(id)'), [
      { id: '1.50', parts: [{ id: '2' }, { id: '10' }], others: [{ id: '2' }], parent: null },
      { id: '2', parts: [{ id: '3.0' }], others: [], parent: { id: '1.50' } },
      { id: '3.0', parts: [], others: [], parent: { id: '2' } },
      { id: '10', parts: [], others: [{ id: '1.50' }], parent: { id: '1.50' } }
    ])
    t.strictSame(await get('/things/1.5/others'), [{ id: '2', whole: '1.5' }])
    t.strictSame(await get('/things?parent.id=1.500&sort=id&fields=id'), [{ id: '2' }, { id: '10' }])
    await app.close()
  }
  db.close()
})

test('memory: large, endless and binary values have the same meaning', async t => {
  const rows = [
    { id: 1, big: 2n ** 60n, num: NaN, bytes: Buffer.from([0]), at: '2026-01-02 03:04:05' },
    { id: 2, big: 2 ** 60 + 1024, num: -Infinity, bytes: new Uint8Array([255]), at: 1767323046 },
    { id: 3, big: 5, num: 1, bytes: 'AQ==', at: new Date(0) }
  ]
  const Thing = Type.Object({
    id, big: Type.Integer(R), num: Type.Number(R), bytes: text('byte'), at: text('date-time')
  })
  const { app, get } = await serve(collection(Thing, { source: memory(rows) }))
  t.strictSame(await get('/things?sort=big'), [
    { id: 3, big: 5, num: 1, bytes: 'AQ==', at: '1970-01-01T00:00:00.000Z' },
    { id: 1, big: '1152921504606846976', num: 'NaN', bytes: 'AA==', at: '2026-01-02T03:04:05.000Z' },
    { id: 2, big: '1152921504606848000', num: '-Infinity', bytes: '/w==', at: '2026-01-02T03:04:06.000Z' }
  ])
  await visitsOnce(t, app, 'things', ['big', 'num', 'bytes', 'at'])
})

/** Runs work on numbers in memory() and in SQLite. */
async function onNumbers (
  rows: ReadonlyArray<{ id: number, n: number | bigint }>, n: TSchema, work: (served: Served) => Promise<void>
): Promise<void> {
  const db = sqlite(':memory:')
  db.exec(`create table things (id integer primary key, n numeric);
    insert into things values ${rows.map(({ id, n }) => `(${id}, ${n})`).join()}`)
  const Thing = Type.Object({ id, n, things: SubCollection('things', { foreignKey: 'id', ...R }) })
  for (const source of [memory(rows), db.table('things')]) await work(await serve(collection(Thing, { source })))
  db.close()
}

type Served = Awaited<ReturnType<typeof serve>>

test('a number that is no integer is text in a field of integers, in its place among the numbers', t =>
  onNumbers([{ id: 1, n: 1e19 }, { id: 2, n: 0.5 }, { id: 3, n: 7 }, { id: 4, n: -1.5 }], Type.Integer(R),
    async ({ app, get }) => {
      const shown = ['-1.5', '0.5', 7, '10000000000000000000'].map(n => ({ n }))
      for (const url of ['/things?sort=n&fields=n', '/things?sort=n&fields=n&page=1']) {
        t.strictSame(await get(url), shown)
      }
      t.strictSame(await walkPages(app, '/things?sort=n&limit=1&fields=n'), shown)
      t.strictSame(await get('/things/2'), { id: 2, n: '0.5', things: [{ id: 2, n: '0.5' }] })
      t.equal((await app.inject('/things?n=0.5')).statusCode, 400)
    }))

test('an integer beyond 2^53 that a field of numbers shows is found by it, and no other', t =>
  onNumbers([{ id: 1, n: 9007199254740993n }, { id: 2, n: 9007199254740992 }, { id: 3, n: 0.5 }], Type.Number(R),
    async ({ app, get }) => {
      for (const [query, ids] of Object.entries({
        'n=9007199254740993': [1],
        'n=*9007199254740993,0.5': [1, 3],
        'n!=9007199254740993': [2, 3],
        'n<9007199254740993': [2, 3],
        'n=9007199254740992': [2],
        'n>9007199254740992': [1],
        'n=9007199254740995': []
      })) t.strictSame(await idsOf(get, query), ids, query)
      t.equal((await app.inject('/things?n=100000000000000000001')).statusCode, 400)
    }))

// docs/http.md: Pages and links
test('a page or stream whose position does not move breaks off with an error in the log', async t => {
  const read = () => ({ kind: 'rows', rows: [{ id: 1 }], more: true })
  const { app, errors } = await serve(
    collection(Type.Object({ id }), { source: { database: { kind: 'stuck', read } } as never }))
  const { link } = (await app.inject('/things?limit=1')).headers
  const next = /<http:\/\/[^/]*([^>]*)>; rel="next"/.exec(String(link))?.[1] ?? ''
  t.equal((await app.inject(next)).statusCode, 500)
  t.match(errors.splice(0), [/has the cursor's own position/])
  await t.rejects(app.inject({ url: '/things', headers: { accept: 'application/x-ndjson' } }))
  t.match(errors, [/has the cursor's own position/])
})
