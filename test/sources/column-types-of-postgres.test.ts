import { Type } from '@sinclair/typebox'
import pg from 'pg'
import { collection, postgres } from '../../lib/index.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test } from '../helpers/on-postgres.ts'
import { serverUrl } from '../helpers/sources.ts'
import { type Columns, forgedValues, id, R, schemaOf, serve, toSql } from '../helpers/typed-columns.ts'
import { visitsOnce, walkPages } from '../helpers/walk-pages.ts'

// docs/databases.md: Types of columns. Tables of PostgreSQL that the plugin did not make.

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
  tiny: ['numeric(4,400)', Type.Number(R), '1e-400', '2e-400', '9e-397', "'NaN'"],
  count: [
    'bigint', Type.Number(R), '9007199254740993', '9007199254740992', '5', '-9223372036854775808', '100000000000000016'
  ],
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
    "'0044-03-15 10:00:00.123456+00 BC'", "'12024-01-01 00:00:00+00'", "'2024-02-29 12:00:00.123999+00'",
    "'294276-12-31 23:59:59.999999+00'", "'4714-11-24 00:00:00+00 BC'"
  ],
  plain: [
    'timestamp', Type.String({ format: 'date-time', ...R }), "'infinity'", "'0044-03-15 10:00:00 BC'",
    "'2024-02-29 12:00:00.123999'", "'294276-12-31 23:59:59.999999'", "'294276-12-31 23:59:59.998'"
  ],
  zoned: [
    'timetz', Type.String({ format: 'time', ...R }), "'12:00+05:30'", "'12:00Z'", "'06:30Z'", "'23:00-02'",
    "'24:00:00+00'", "'12:00:00.5+00:01:15'"
  ],
  hour: ['time', Type.String({ format: 'time', ...R }), "'24:00:00'", "'23:59:59.999999'", "'00:00'"],
  scalar: [
    'jsonb', Type.Union([Type.Number(), Type.Boolean(), Type.String()], R), "'9007199254740993'", "'1.50'", "'1e21'",
    "'0.1428571428571428571'", "'\"a\"'", "'true'", "'7'", "'null'", "'{\"a\": 1}'", "'[]'"
  ],
  span: ['interval', Type.String(R), "'1 day'", "'2 hours'", "'-3 mons'"],
  whole: ['real', Type.Integer(R), '1', '16777216', '9007199254740992'],
  wholes: [
    'double precision', Type.Integer(R), '1', '-9223372036854775808', '100000000000000016', '9007199254740994'
  ],
  since: ['timestamptz', Type.String(R), "'infinity'", "'0044-03-15 BC'", "'2024-02-29 12:00:00.123999+00'"],
  folded: ['text collate folded', Type.String(R), "'Ada'", "'bo'", "'b%_'", "'Ärger'"],
  cut: ['late_moment', Type.String({ format: 'date-time', ...R }), "'2024-02-29 12:00:00.5+00'"]
}

const typesOfPostgres = `
create collation folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create domain some_moment as timestamptz;
create domain late_moment as some_moment`

test('PostgreSQL: each row is on one page and found by what is shown, whatever its columns hold', async t => {
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
    tiny: 0,
    count: 5,
    price: '10',
    bytes: '/wA=',
    day: '0044-03-15 BC',
    moment: '0044-03-15T10:00:00.123Z BC',
    plain: '2024-02-29T12:00:00.123Z',
    zoned: '06:30:00+00',
    hour: '00:00:00',
    scalar: '1000000000000000000000',
    span: '-3 mons',
    whole: 9007199000000000,
    wholes: '100000000000000016',
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

test('PostgreSQL: text is searched by code point, whatever the collation of its column', async t => {
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

test('PostgreSQL: timestamps are sorted by their microseconds, and cut for filters', t => {
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

test('PostgreSQL: a page begins after a value that no integer is', t => onDatabase(`
  create table things (id integer primary key, v double precision);
  insert into things values (1, 1e-300), (2, 0), (3, 1e300), (4, 0.5), (5, null), (6, -1e-7)`, async db => {
  const Thing = Type.Object({ id, v: Type.Optional(Type.Integer(R)) })
  const { app } = await serve(t, collection(Thing, { source: db.table('things') }))
  for (const direction of ['asc', 'desc']) {
    const ids = (await walkPages(app, `/things?sort=v+${direction}&limit=1`)).map(item => item['id'])
    const inOrder = [6, 2, 1, 4, 3, 5]
    t.strictSame(ids, direction === 'asc' ? inOrder : inOrder.toReversed())
  }
  await app.close()
}))
