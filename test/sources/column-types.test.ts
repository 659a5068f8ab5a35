import { Type } from '@sinclair/typebox'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { test } from 'tap'
import { collection, memory, sqlite, SubCollection, SubItem } from '../../lib/index.ts'
import { type Columns, forgedValues, id, R, schemaOf, serve, toSql } from '../helpers/typed-columns.ts'
import { visitsOnce, walkPages } from '../helpers/walk-pages.ts'

// docs/databases.md: Types of columns. Tables of SQLite that the plugin did not make, and rows in memory().

const onSqlite: Columns = {
  big: ['integer', Type.Integer(R), '9007199254740993', '9223372036854775807', '-9007199254740995', '5'],
  num: ['real', Type.Number(R), '9e999', '-9e999', '0.1', '1e300', '0.30000000000000004', '1e17 + 16'],
  exact: ['integer', Type.String({ format: 'int64', ...R }), '9007199254740993', '9', '10'],
  price: ['text', Type.String({ format: 'decimal', ...R }), "'1.50'", "'1.5'", "'10'", "'9'", "'-1.55'"],
  bytes: ['blob', Type.String({ format: 'byte', ...R }), "x'00'", "x'ff00'", "x'fbf0'", "x''"],
  noted: [
    'text', Type.String({ format: 'date-time', ...R }), "'2026-01-02 03:04:05'", "'2026-01-02 03:04:05.250'",
    "'2025-12-31'", "'infinity'"
  ],
  epoch: ['integer', Type.String({ format: 'date-time', ...R }), '0', '1767323045', '-5'],
  until: ['text', Type.String({ format: 'date', ...R }), "'infinity'", "'-infinity'", "'2026-01-02'"]
}

test('SQLite: each row is on one page and found by what is shown, whatever its columns hold', async t => {
  for (const suffix of ['', ' strict']) {
    const db = sqlite(':memory:')
    db.exec(toSql(onSqlite, suffix))
    const { app } = await serve(t, collection(schemaOf(onSqlite), { source: db.table('things') }))
    await visitsOnce(t, app, 'things', Object.keys(onSqlite))
    t.strictSame((await app.inject('/things/1')).json(), {
      id: 1,
      big: '9007199254740993',
      num: 'Infinity',
      exact: '9007199254740993',
      price: '1.50',
      bytes: 'AA==',
      noted: '2026-01-02T03:04:05.000Z',
      epoch: '1970-01-01T00:00:00.000Z',
      until: 'infinity'
    })
    for (const url of ['/things?id=1', '/things?id=1&page=1']) {
      t.strictSame((await app.inject(url)).json(), [(await app.inject('/things/1')).json()])
    }
    const lines = (await app.inject({
      url: '/things?sort=noted+desc', headers: { accept: 'application/x-ndjson' }
    })).body.split('\n')
    t.equal(lines.length, 25)
    t.strictSame((await app.inject(
      '/things?noted>=2026-01-02T03:04:05.250Z&noted<9999-01-01T00:00:00Z&limit=1&fields=noted'
    )).json(), [{ noted: '2026-01-02T03:04:05.250Z' }])
    await app.close()
    db.close()
  }
})

test('SQLite: columns of numeric affinity, and a hand-made cursor', async t => {
  const columns: Columns = {
    whole: ['numeric', Type.Integer(R), '1e16', '10000000000000001', '9007199254740993', '1500', '-7'],
    number: ['numeric', Type.Number(R), '1e16', '1e15', '0.1', '1e300', '1e19', '-1500'],
    price: [
      'decimal(20, 2)', Type.String({ format: 'decimal', ...R }), '1e16', '10000000000000001', '0.1', '1e19', "'1.50'"
    ],
    exact: ['numeric', Type.String({ format: 'int64', ...R }), '10000000000000001', '9223372036854775807', '5'],
    ...onSqlite
  }
  const db = sqlite(':memory:')
  db.exec(toSql(columns))
  const { app } = await serve(t, collection(schemaOf(columns), { source: db.table('things') }))
  await visitsOnce(t, app, 'things', Object.keys(columns))
  for (const field of Object.keys(columns)) {
    for (const value of forgedValues) {
      const after = Buffer.from(JSON.stringify([`${field},id`, value, 1])).toString('base64url')
      const { statusCode } = await app.inject(`/things?sort=${field}&after=${after}`)
      t.ok(statusCode === 200 || statusCode === 400, `${field} after ${JSON.stringify(value)}: ${statusCode}`)
    }
  }
  db.close()
})

test('SQLite: a decimal is a key of relations and joins, however it is written', async t => {
  const price = Type.String({ format: 'decimal', identifier: true, ...R })
  const Thing = Type.Object({
    id: price,
    parts: SubCollection('things', { foreignKey: 'whole', ...R }),
    others: SubCollection('things', { through: 'links', foreignKey: 'own', otherKey: 'other', ...R }),
    whole: Type.Optional(Type.String({ format: 'decimal', ...R })),
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
    const { app } = await serve(t, collection(Thing, { source }))
    const url = '/things?sort=id&fields=id,parts(id;sort=id),others(id),parent(id)'
    t.strictSame((await app.inject(url)).json(), [
      { id: '1.50', parts: [{ id: '2' }, { id: '10' }], others: [{ id: '2' }], parent: null },
      { id: '2', parts: [{ id: '3.0' }], others: [], parent: { id: '1.50' } },
      { id: '3.0', parts: [], others: [], parent: { id: '2' } },
      { id: '10', parts: [], others: [{ id: '1.50' }], parent: { id: '1.50' } }
    ])
    t.strictSame((await app.inject('/things/1.5/others')).json(), [{ id: '2', whole: '1.5' }])
    t.strictSame((await app.inject('/things?parent.id=1.500&sort=id&fields=id')).json(), [{ id: '2' }, { id: '10' }])
  }
  db.close()
})

test('SQLite: a timestamp is written in the form that its column has', async t => {
  const db = sqlite(':memory:')
  db.exec('create table things (id integer primary key, a text default current_timestamp, b integer, c text)')
  const at = Type.Optional(Type.String({ format: 'date-time', readable: true, writable: true }))
  const { app } = await serve(t, collection(Type.Object({ id, a: at, b: at, c: at }), { source: db.table('things') }))
  const moment = '2026-01-02T03:04:05.000Z'
  await app.inject({ method: 'POST', url: '/things', payload: { a: moment, b: moment, c: moment } })
  t.strictSame({ ...db.driver.prepare('select a, b, c from things').get() as object },
    { a: '2026-01-02 03:04:05', b: 1767323045, c: moment })
  t.strictSame((await app.inject('/things/1')).json(), { id: 1, a: moment, b: moment, c: moment })
  db.close()
})

test('SQLite: values that fit neither type nor schema are shown as text, and stop no listing', async t => {
  const db = sqlite(':memory:')
  db.exec(
    "create table things (id integer primary key, n integer, j text); insert into things values (1, 'abc', '{bad'), " +
      "(2, 5, '{\"a\":1}'), (3, 7, '5'), (4, null, null)"
  )
  const { app } = await serve(t, collection(Type.Object({
    id, n: Type.Optional(Type.Integer(R)), j: Type.Optional(Type.Any(R))
  }), { source: db.table('things') }))
  t.strictSame((await app.inject('/things')).json(),
    [{ id: 1, n: 'abc', j: '{bad' }, { id: 2, n: 5, j: { a: 1 } }, { id: 3, n: 7, j: 5 }, { id: 4, n: null, j: null }])
  await visitsOnce(t, app, 'things', [])
  const { app: other } = await serve(t,
    collection(Type.Object({ id, n: Type.Optional(Type.Integer(R)) }), { source: db.table('things') }))
  t.equal((await other.inject('/things?sort=n&limit=1')).statusCode, 200)
  db.close()
})

const mistyped = [
  '1', "'1'", "'01'", "'abc'", "''", '1.5', '1e19', "x'31'", "x'ff'", "x''", "'true'", '0', '2', "char(1) || 't'"
]

test('SQLite: each row is on one page, whatever values of other types its column holds', async t => {
  const kinds = {
    integer: Type.Integer(R),
    number: Type.Number(R),
    boolean: Type.Boolean(R),
    int64: Type.String({ format: 'int64', ...R }),
    string: Type.String(R),
    byte: Type.String({ format: 'byte', ...R }),
    decimal: Type.String({ format: 'decimal', ...R }),
    moment: Type.String({ format: 'date-time', ...R }),
    day: Type.String({ format: 'date', ...R }),
    time: Type.String({ format: 'time', ...R })
  }
  const all = mistyped.map((_, index) => index + 1)
  for (const affinity of ['integer', 'real', 'numeric', '', 'blob', 'text']) {
    const db = sqlite(':memory:', { check: 'warn' })
    const rows = mistyped.map((value, index) => `(${[index + 1, ...Object.keys(kinds).map(() => value)].join(', ')})`)
    db.exec(`create table things (id integer primary key, ${Object.keys(kinds).map(kind => `${kind} ${affinity}`)});
      insert into things values ${rows.join(', ')}`)
    const Thing = Type.Object({
      id, ...Object.fromEntries(Object.entries(kinds).map(([kind, schema]) => [kind, Type.Optional(schema)]))
    })
    const { app } = await serve(t, collection(Thing, { source: db.table('things') }))
    const items = (await app.inject('/things')).json<Array<{ id: number }>>()
    for (const item of items) t.strictSame((await app.inject(`/things/${item.id}`)).json(), item)
    for (const kind of Object.keys(kinds)) {
      for (const url of [`/things?sort=${kind}&limit=1`, `/things?sort=${kind}+desc&limit=4&fields=id`]) {
        const seen = (await walkPages(app, url)).map(one => Number(one['id']))
        t.strictSame(seen.toSorted((one, other) => one - other), all, `${url} over ${affinity}`)
      }
      const names = await walkGroups(app, `/things/by_${kind}`)
      const whole = (await app.inject(`/things/by_${kind}`)).json<object>()
      t.strictSame(names.toSorted(), Object.keys(whole).toSorted(), `by_${kind} over ${affinity}`)
    }
    await app.close()
    db.close()
  }
})

/** Returns the names of all groups of a dictionary, each from a page of its own. */
async function walkGroups (app: FastifyInstance, path: string): Promise<readonly string[]> {
  const names: string[] = []
  let url: string | undefined = `${path}?limit=1&fields=id`
  while (url !== undefined && names.length <= mistyped.length) {
    const { headers, body }: LightMyRequestResponse = await app.inject(url)
    names.push(...Object.keys(JSON.parse(body) as object))
    url = /<([^>]*)>; rel="?next/.exec(String(headers.link))?.[1]
  }
  return names
}

test('SQLite: a boolean is 1 or 0, and any other value is shown as it is', async t => {
  const db = sqlite(':memory:', { check: 'warn' })
  db.exec("create table things (id integer primary key, b boolean); insert into things (b) values (1), (0), ('t'), (2)")
  const { app } = await serve(t,
    collection(Type.Object({ id, b: Type.Optional(Type.Boolean(R)) }), { source: db.table('things') }))
  const shown = [{ id: 1, b: true }, { id: 2, b: false }, { id: 3, b: 't' }, { id: 4, b: '2' }]
  t.strictSame((await app.inject('/things')).json(), shown)
  t.strictSame((await app.inject('/things?id>0&fields=id,b')).json(), shown)
  t.strictSame((await app.inject('/things?b=true')).json(), shown.slice(0, 1))
  t.strictSame((await app.inject('/things?b!=true')).json(), shown.slice(1))
  db.close()
})

test('SQLite: text operators ignore case over numbers too', async t => {
  const db = sqlite(':memory:')
  db.exec('create table things (id integer primary key, v integer); insert into things (v) values (12), (21)')
  const { app } = await serve(t,
    collection(Type.Object({ id, v: Type.Optional(Type.String(R)) }), { source: db.table('things') }))
  for (const query of ['v=12', 'v~=12', 'v^~=1', 'v$~=2', 'v*~=12']) {
    t.strictSame((await app.inject(`/things?${query}`)).json(), [{ id: 1, v: '12' }], query)
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
    id,
    big: Type.Integer(R),
    num: Type.Number(R),
    bytes: Type.String({ format: 'byte', ...R }),
    at: Type.String({ format: 'date-time', ...R })
  })
  const { app } = await serve(t, collection(Thing, { source: memory(rows) }))
  t.strictSame((await app.inject('/things?sort=big')).json(), [
    { id: 3, big: 5, num: 1, bytes: 'AQ==', at: '1970-01-01T00:00:00.000Z' },
    { id: 1, big: '1152921504606846976', num: 'NaN', bytes: 'AA==', at: '2026-01-02T03:04:05.000Z' },
    { id: 2, big: '1152921504606848000', num: '-Infinity', bytes: '/w==', at: '2026-01-02T03:04:06.000Z' }
  ])
  await visitsOnce(t, app, 'things', ['big', 'num', 'bytes', 'at'])
})

test('a number that is no integer is text in a field of integers, in its place among the numbers', async t => {
  const rows = [{ id: 1, n: 1e19 }, { id: 2, n: 0.5 }, { id: 3, n: 7 }, { id: 4, n: -1.5 }]
  const db = sqlite(':memory:')
  db.exec(`create table things (id integer primary key, n numeric);
    insert into things values ${rows.map(({ id, n }) => `(${id}, ${n})`).join()}`)
  const Thing = Type.Object({ id, n: Type.Integer(R), things: SubCollection('things', { foreignKey: 'id', ...R }) })
  for (const source of [memory(rows), db.table('things')]) {
    const { app } = await serve(t, collection(Thing, { source }))
    const shown = ['-1.5', '0.5', 7, '10000000000000000000']
    for (const url of ['/things?sort=n&fields=n', '/things?sort=n&fields=n&page=1']) {
      t.strictSame((await app.inject(url)).json(), shown.map(n => ({ n })))
    }
    t.strictSame((await walkPages(app, '/things?sort=n&limit=1&fields=n')).map(({ n }) => n), shown)
    t.strictSame((await app.inject('/things/2')).json(), { id: 2, n: '0.5', things: [{ id: 2, n: '0.5' }] })
    t.equal((await app.inject('/things?n=0.5')).statusCode, 400)
  }
  db.close()
})

test('an integer beyond 2^53 that a field of numbers shows is found by it, and no other', async t => {
  const rows = [{ id: 1, n: 9007199254740993n }, { id: 2, n: 9007199254740992 }, { id: 3, n: 0.5 }]
  const db = sqlite(':memory:')
  db.exec(`create table things (id integer primary key, n numeric);
    insert into things values ${rows.map(({ id, n }) => `(${id}, ${n})`).join()}`)
  for (const source of [memory(rows), db.table('things')]) {
    const { app } = await serve(t, collection(Type.Object({ id, n: Type.Number(R) }), { source }))
    const found = {
      'n=9007199254740993': [1],
      'n=*9007199254740993,0.5': [1, 3],
      'n!=9007199254740993': [2, 3],
      'n<9007199254740993': [2, 3],
      'n=9007199254740992': [2],
      'n>9007199254740992': [1],
      'n=9007199254740995': []
    }
    for (const [query, ids] of Object.entries(found)) {
      t.strictSame((await app.inject(`/things?${query}`)).json<Array<{ id: number }>>().map(one => one.id), ids, query)
    }
    t.equal((await app.inject('/things?n=100000000000000000001')).statusCode, 400)
  }
  db.close()
})

test('a page or stream whose position does not move breaks off with an error in the log', async t => {
  const read = () => ({ kind: 'rows', rows: [{ id: 1 }], more: true })
  const { app, errors } = await serve(t,
    collection(Type.Object({ id }), { source: { database: { kind: 'stuck', read } } as never }))
  const { link } = (await app.inject('/things?limit=1')).headers
  const next = /<http:\/\/[^/]*([^>]*)>; rel="next"/.exec(String(link))?.[1] ?? ''
  t.equal((await app.inject(next)).statusCode, 500)
  t.match(errors.splice(0), [/has the cursor's own position/])
  await t.rejects(app.inject({ url: '/things', headers: { accept: 'application/x-ndjson' } }))
  t.match(errors, [/has the cursor's own position/])
})
