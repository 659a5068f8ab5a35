import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import pg from 'pg'
import { type Test, test } from 'tap'
import dataApi, {
  collection, type Declared, memory, postgres, sqlite, SubCollection, SubItem
} from '../../lib/index.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { serverUrl } from '../helpers/sources.ts'
import { visitsOnce, walkPages } from '../helpers/walk-pages.ts'

// docs/databases.md: Types of columns. Tables that the plugin did not make.

const R = { readable: true }
const id = Type.Integer({ identifier: true, readable: true })

async function serve (t: Test, things: Declared) {
  const errors: string[] = []
  const app = Fastify({ logger: { level: 'warn', stream: { write: (line: string) => { errors.push(line) } } } })
  await app.register(dataApi, { collections: { things } })
  t.teardown(() => app.close())
  return { app, errors }
}

/** A column: its type, the field's schema, and literals of SQL. */
type Columns = Readonly<Record<string, readonly [type: string, schema:
  | ReturnType<typeof Type.String>
  | ReturnType<typeof Type.Number>
  | ReturnType<typeof Type.Integer>
  | ReturnType<typeof Type.Any>, ...values: string[]]>>

const schemaOf = (columns: Columns) =>
  Type.Object({
    id, ...Object.fromEntries(Object.entries(columns).map(([name, [, schema]]) => [name, Type.Optional(schema)]))
  })

function toSql (columns: Columns, suffix = ''): string {
  const names = Object.keys(columns)
  const rows = Array.from({ length: 24 }, (_, n) => {
    const values = names.map(name => {
      const [, , ...literals] = columns[name] ?? ['', id]
      return [...literals, 'null'][n % (literals.length + 1)]
    })
    return `(${[n + 1, ...values].join(', ')})`
  })
  return `create table things (id integer primary key, ${names.map(name => `${name} ${columns[name]?.[0]}`)
    .join(', ')})${suffix};
    insert into things values ${rows.join(', ')}`
}

const onSqlite: Columns = {
  big: ['integer', Type.Integer(R), '9007199254740993', '9223372036854775807', '-9007199254740995', '5'],
  num: ['real', Type.Number(R), '9e999', '-9e999', '0.1', '1e300', '0.30000000000000004'],
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

// What a client can write into a cursor by hand.
const forgedValues: readonly unknown[] = [
  ['x'], 'x', '', '2024-02-30', ['2024-02-30'], '99999999-01-01', ['-infinity'], 'NaN', ['NaN'], 1e300, [1e300], [''],
  '25:00:00', ['9'.repeat(400)], '9'.repeat(400), '2024-01-01T00:00:00.000Z BC', ['\\xzz'], true, null, [], {}
]

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

test('SQLite: a moment is written in the form that its column has', async t => {
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

const strays = [
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
  const all = strays.map((_, index) => index + 1)
  for (const affinity of ['integer', 'real', 'numeric', '', 'blob', 'text']) {
    const db = sqlite(':memory:', { check: 'warn' })
    const rows = strays.map((value, index) => `(${[index + 1, ...Object.keys(kinds).map(() => value)].join(', ')})`)
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
    }
    await app.close()
    db.close()
  }
})

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

const onPostgres: Columns = {
  big: ['bigint', Type.Integer(R), '9007199254740993', '9223372036854775807', '-9007199254740995', '5'],
  exact: ['bigint', Type.String({ format: 'int64', ...R }), '9007199254740993', '9007199254740992', '5', '10'],
  single: [
    'real', Type.Number(R), '0.1', '0.2', '1.1', '3.4028235e38', '1e-45', "'NaN'", "'Infinity'", "'-Infinity'", '0',
    '16777216'
  ],
  double: ['double precision', Type.Number(R), '0.1', '1e300', "'NaN'", "'Infinity'", '0.30000000000000004'],
  wide: [
    'numeric', Type.Number(R), '1.0/7', '2.0/7', '0.1428571428571428571', "'NaN'", "'Infinity'", '1e400', '1e-400',
    '12.50', '1e21'
  ],
  fixed: ['numeric(12,2)', Type.Number(R), '1.10', '19.90', '-5'],
  count: ['bigint', Type.Number(R), '9007199254740993', '9007199254740992', '5'],
  price: [
    'numeric', Type.String({ format: 'decimal', ...R }), '1.50', '1.5', '10', '9', '123456789012345678901234567890.123',
    "'NaN'"
  ],
  bytes: [
    'bytea', Type.String({ format: 'byte', ...R }), "'\\x'", "'\\x00'", "'\\xff00'",
    "decode(repeat('00ff', 100), 'hex')"
  ],
  day: [
    'date', Type.String({ format: 'date', ...R }), "'infinity'", "'-infinity'", "'0044-03-15 BC'", "'12024-01-01'",
    "'5874897-12-31'", "'2024-02-29'"
  ],
  moment: [
    'timestamptz', Type.String({ format: 'date-time', ...R }), "'infinity'", "'-infinity'",
    "'0044-03-15 10:00:00.123456+00 BC'", "'12024-01-01 00:00:00+00'", "'2024-02-29 12:00:00.123999+00'"
  ],
  plain: [
    'timestamp', Type.String({ format: 'date-time', ...R }), "'infinity'", "'0044-03-15 10:00:00 BC'",
    "'2024-02-29 12:00:00.123999'"
  ],
  zoned: ['timetz', Type.String({ format: 'time', ...R }), "'12:00+05:30'", "'12:00Z'", "'06:30Z'", "'23:00-02'"],
  span: ['interval', Type.String(R), "'1 day'", "'2 hours'", "'-3 mons'"],
  whole: ['real', Type.Integer(R), '1', '16777216', '9007199254740992'],
  since: ['timestamptz', Type.String(R), "'infinity'", "'0044-03-15 BC'", "'2024-02-29 12:00:00.123999+00'"],
  folded: ['text collate folded', Type.String(R), "'Ada'", "'bo'", "'b%_'", "'Ärger'"],
  cut: ['late_moment', Type.String({ format: 'date-time', ...R }), "'2024-02-29 12:00:00.5+00'"]
}

const typesOfPostgres = `
create collation folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create domain some_moment as timestamptz;
create domain late_moment as some_moment`

postgresTest('PostgreSQL: each row is on one page and found by what is shown, whatever its columns hold', async t => {
  const schema = `types_${process.pid}`
  const pool = new pg.Pool(
    { connectionString: serverUrl(), max: 1, options: `-c search_path=${schema} -c datestyle=iso` }
  )
  await pool.query(`create schema ${schema}; ${typesOfPostgres}; ${toSql(onPostgres)}`)
  const db = postgres({ connectionString: serverUrl(), driver: { options: `-c search_path=${schema}` } })
  const { app } = await serve(t, collection(schemaOf(onPostgres), { source: db.table('things') }))
  t.strictSame((await app.inject('/things/3')).json(), {
    id: 3,
    big: '-9007199254740995',
    exact: '5',
    single: 1.1,
    double: 'NaN',
    wide: 0.14285714285714285,
    fixed: -5,
    count: 5,
    price: '10',
    bytes: '/wA=',
    day: '0044-03-15 BC',
    moment: '0044-03-15T10:00:00.123Z BC',
    plain: '2024-02-29T12:00:00.123Z',
    zoned: '06:30:00+00',
    span: '-3 mons',
    whole: 9007199000000000,
    since: '2024-02-29T12:00:00.123999+00:00',
    folded: 'b%_',
    cut: '2024-02-29T12:00:00.500Z'
  })
  for (const url of ['/things?id=3', '/things?id=3&page=1']) {
    t.strictSame(
      (await app.inject({ url, headers: { prefer: 'count=exact' } })).json(), [(await app.inject('/things/3')).json()]
    )
  }
  const { body } = await app.inject('/things?limit=24')
  t.equal(body, JSON.stringify(JSON.parse(body)), 'numbers are written as JavaScript writes them')
  await visitsOnce(t, app, 'things', Object.keys(onPostgres))
  for (const field of Object.keys(onPostgres)) {
    for (const value of forgedValues) {
      const after = Buffer.from(JSON.stringify([`${field},id`, value, 1])).toString('base64url')
      const { statusCode } = await app.inject(`/things?sort=${field}&after=${after}`)
      t.ok(statusCode === 200 || statusCode === 400, `${field} after ${JSON.stringify(value)}: ${statusCode}`)
    }
  }
  await db.close()
  await pool.query(`drop schema ${schema} cascade`)
  await pool.end()
})

postgresTest('PostgreSQL: text is searched by code point, whatever the collation of its column', async t => {
  const ddl = `create collation folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    create table things (id integer primary key, v text collate folded);
    insert into things values (1, 'Ada'), (2, 'ada'), (3, 'b%d')`
  await onDatabase(ddl, async db => {
    const Thing = Type.Object({ id, v: Type.Optional(Type.String(R)) })
    const { app } = await serve(t, collection(Thing, { source: db.table('things') }))
    const found = {
      'v=ada': [2], 'v^=A': [1], 'v$=da': [1, 2], 'v*=%25': [3], 'v^~=A': [1, 2], 'v~=ADA': [1, 2], 'v*~=D': [1, 2, 3]
    }
    for (const [query, ids] of Object.entries(found)) {
      t.strictSame((await app.inject(`/things?${query}`)).json<Array<{ id: number }>>().map(({ id }) => id), ids, query)
    }
    await app.close()
  })
})

postgresTest('PostgreSQL: moments are sorted by their microseconds, and cut for filters', t => {
  const moments = ['12:00:00.123001', '12:00:00.123999', '12:00:00.123', '12:00:00.124', '11:59:59.9999']
  const ddl = `create table things (at timestamptz primary key);
    insert into things select ('2024-02-29T' || m || 'Z')::timestamptz from unnest(array['${moments.join("','")}']) m`
  return onDatabase(ddl, async db => {
    const At = Type.String({ format: 'date-time', identifier: true, readable: true })
    const { app } = await serve(t, collection(Type.Object({ at: At }), { source: db.table('things') }))
    const inOrder = ['11:59:59.999', '12:00:00.123', '12:00:00.123', '12:00:00.123', '12:00:00.124']
    for (const limit of [1, 2, 5]) {
      const seen = (await walkPages(app, `/things?limit=${limit}`)).map(({ at }) => String(at).slice(11, -1))
      t.strictSame(seen, inOrder)
      const back = await walkPages(app, `/things?sort=at+desc&limit=${limit}`)
      t.strictSame(back.map(({ at }) => String(at).slice(11, -1)), inOrder.toReversed())
    }
    const counts = { 'at=': 3, 'at>=': 4, 'at>': 1, 'at<=': 4, 'at<': 1, 'at!=': 2, 'at=*': 3 }
    for (const [start, count] of Object.entries(counts)) {
      t.equal((await app.inject(`/things?${start}2024-02-29T12:00:00.123Z`)).json<unknown[]>().length, count, start)
    }
    t.equal((await app.inject('/things/2024-02-29T12:00:00.123Z')).statusCode, 409)
    t.equal((await app.inject('/things/2024-02-29T12:00:00.124Z')).statusCode, 200)
    await app.close()
  }, { check: 'off' })
})
