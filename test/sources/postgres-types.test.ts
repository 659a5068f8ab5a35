import { type TSchema, Type } from '@sinclair/typebox'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { collection, kysely, postgres, SubCollection } from '../../lib/index.ts'
import { Id, onPostgres, open as rw, shown as R, urlOf } from '../helpers/checked-tables.ts'
import { serveMinimally } from '../helpers/serve-minimally.ts'
import { walkPages } from '../helpers/walk-pages.ts'

// docs/databases.md: Types of columns. What each type of PostgreSQL is shown, found, stored and sorted as;
// generated-tables.test.ts shows that whatever a column holds is listed, paged and found.

const text = (format?: string) => Type.String(format === undefined ? {} : { format })

/** A type, the field over it, a literal, and the value that is shown. */
const types: ReadonlyArray<readonly [type: string, schema: TSchema, literal: string, shown: unknown]> = [
  ['smallint', Type.Integer(), '7', 7],
  ['integer', Type.Integer(), '-7', -7],
  ['integer', text(), '7', '7'],
  ['bigint', Type.Integer(), '5', 5],
  ['bigint', Type.Integer(), '9007199254740993', '9007199254740993'],
  ['bigint', text('int64'), '5', '5'],
  ['bigint', Type.Number(), '-9223372036854775808', '-9223372036854775808'],
  ['numeric', text('decimal'), '12345678901234567890.1230', '12345678901234567890.1230'],
  ['numeric', Type.Number(), '1.50', 1.5],
  ['numeric', Type.Number(), '0.14285714285714285714', 0.14285714285714285],
  ['numeric', Type.Number(), '1e400', 'Infinity'],
  ['numeric', Type.Integer(), '9007199254740993', '9007199254740993'],
  ['numeric(9,2)', Type.Number(), '1.50', 1.5],
  ['numeric(4,400)', Type.Number(), '9e-397', 0],
  ['real', Type.Number(), '0.1', 0.1],
  ['real', Type.Integer(), '9007199254740992', 9007199000000000],
  ['double precision', Type.Number(), '0.30000000000000004', 0.30000000000000004],
  ['double precision', Type.Number(), 'NaN', 'NaN'],
  ['money', text(), '1.5', '$1.50'],
  ['boolean', Type.Boolean(), 'true', true],
  ['text', text(), 'a"b', 'a"b'],
  ['varchar(9)', text(), ' a ', ' a '],
  ['char(5)', text(), 'ab', 'ab   '],
  ['char', text(), 'a', 'a'],
  ['name', text(), 'a', 'a'],
  ['mood', Type.Union([Type.Literal('sad'), Type.Literal('glad')]), 'glad', 'glad'],
  ['positive', Type.Integer(), '9007199254740993', '9007199254740993'],
  ['date', text('date'), '0044-03-15 BC', '0044-03-15 BC'],
  ['date', text('date'), '2024-02-29', '2024-02-29'],
  ['timestamptz', text('date-time'), '2024-02-29 12:00:00.1235+01', '2024-02-29T11:00:00.123Z'],
  ['timestamptz', text('date-time'), '0044-03-15 10:00:00.123456+00 BC', '0044-03-15T10:00:00.123Z BC'],
  ['timestamptz', text(), '2024-02-29 12:00:00.1235+01', '2024-02-29T11:00:00.1235+00:00'],
  ['timestamptz(3)', text('date-time'), 'infinity', 'infinity'],
  ['timestamp', text('date-time'), '2024-02-29 12:00:00.1235', '2024-02-29T12:00:00.123Z'],
  ['late_moment', text('date-time'), '2024-02-29 12:00:00.5+00', '2024-02-29T12:00:00.500Z'],
  ['time', text('time'), '12:00', '12:00:00'],
  ['timetz', text('time'), '12:00+01', '12:00:00+01'],
  ['interval', text(), '1 day', '1 day'],
  ['uuid', text('uuid'), '6F1C1C1E-6D1C-4B53-8D3B-0C1E1D1C1B1A', '6f1c1c1e-6d1c-4b53-8d3b-0c1e1d1c1b1a'],
  ['bytea', text('byte'), '\\x00ff', 'AP8='],
  ['jsonb', Type.Unknown(), '{"a": [1.5]}', { a: [1.5] }],
  ['inet', text(), '10.0.0.3', '10.0.0.3'],
  ['inet', text(), '10.0.0.3/8', '10.0.0.3/8'],
  ['cidr', text(), '10.0.0.0/8', '10.0.0.0/8'],
  ['macaddr', text(), '08:00:2b:01:02:03', '08:00:2b:01:02:03'],
  ['bit(3)', text(), '101', '101'],
  ['int4range', text(), '[1,3)', '[1,3)'],
  ['xml', text(), '<a>1</a>', '<a>1</a>'],
  ['tsvector', text(), 'a b', "'a' 'b'"]
]

const id = Type.Integer({ identifier: true, ...rw })

onPostgres('a value is shown alike in a column of its own and in an array, found, and stays as it is sent back', [
  "create type mood as enum ('sad', 'glad'); create domain positive as bigint check (value > 0)",
  'create domain some_moment as timestamptz; create domain late_moment as some_moment',
  ...types.map(([type, , literal], n) => `create table t${n} (id int primary key, one ${type}, list ${type}[]);
    insert into t${n} values (2, null, '{}'), (3, null, null),
      (1, '${literal}', array['${literal}', null]::${type}[])`)
].join(';\n'), async (t, db) => {
  const { app, send } = await serveMinimally(Object.fromEntries(types.map(([, schema], n) => {
    const one = Type.Optional({ ...schema, ...rw })
    const list = Type.Optional(Type.Array(Type.Union([schema, Type.Null()]), rw))
    return [`t${n}`, collection(Type.Object({ id, one, list }), { source: db.table(`t${n}`) })]
  })))
  for (const [n, [type, schema, , shown]] of types.entries()) {
    const items = [
      { id: 1, one: shown, list: [shown, null] }, { id: 2, one: null, list: [] }, { id: 3, one: null, list: null }
    ]
    t.strictSame(await send('GET', `/t${n}`), [200, items], type)
    t.strictSame(await send('GET', `/t${n}/1`), [200, items[0]], type)
    if (schema['type'] !== undefined || schema['anyOf'] !== undefined) {
      const quoted = encodeURIComponent(`"${String(shown).replaceAll('"', '\\"')}"`)
      t.strictSame(await send('GET', `/t${n}?one=${quoted}`), [200, items.slice(0, 1)], type)
    }
    const stored = async () => (await db.pool.query(`select one::text, list::text from t${n} where id = 1`)).rows
    const before = await stored()
    t.strictSame(await send('PUT', `/t${n}/1`, items[0]), [204, undefined], type)
    t.strictSame(await stored(), before, type)
  }
  await app.close()
}, { driver: { options: '-c timezone=Europe/Berlin' } })

onPostgres('an array that a client writes is stored element by element, in the types of its column', `
create table t (id int primary key, big bigint[], at timestamptz[], bytes bytea[], price numeric[])`,
async (t, db) => {
  const of = (schema: TSchema) => Type.Optional(Type.Array(schema, rw))
  const T = Type.Object({
    id, big: of(text('int64')), at: of(text('date-time')), bytes: of(text('byte')), price: of(text('decimal'))
  })
  const { app, send } = await serveMinimally({ t: collection(T, { source: db.table('t') }) })
  const item = {
    id: 1,
    big: ['9007199254740993', '1'],
    at: ['2024-02-29T11:00:00.123Z', 'infinity'],
    bytes: ['AP8=', ''],
    price: ['1.50', '12345678901234567890.1230']
  }
  t.equal((await send('POST', '/t', item))[0], 201)
  t.strictSame(await send('GET', '/t/1'), [200, item])
  await db.pool.query("update t set big = '{{9007199254740993}}' where id = 1")
  t.strictSame(await send('GET', '/t/1/big'), [200, [['9007199254740993']]])
  await app.close()
})

onPostgres('text is searched by code point, whatever the collation of its column', `
create collation folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create table things (id integer primary key, v text collate folded);
insert into things values (1, 'Ada'), (2, 'ada'), (3, 'b%d')`, async (t, db) => {
  const Thing = Type.Object({ id: Id, v: Type.Optional(Type.String(R)) })
  const { app, send } = await serveMinimally({ things: collection(Thing, { source: db.table('things') }) })
  for (const [query, ids] of Object.entries({
    'v=ada': [2], 'v^=A': [1], 'v$=da': [1, 2], 'v*=%25': [3], 'v^~=A': [1, 2], 'v~=ADA': [1, 2], 'v*~=D': [1, 2, 3]
  })) {
    t.strictSame(await send('GET', `/things?${query}&fields=id`), [200, ids.map(id => ({ id }))], query)
  }
  await app.close()
})

const moments = ['12:00:00.123001', '12:00:00.123999', '12:00:00.123', '12:00:00.124', '11:59:59.9999']

onPostgres('timestamps are sorted by their microseconds, and cut for filters', `
create table things (at timestamptz primary key);
insert into things select ('2024-02-29T' || m || 'Z')::timestamptz from unnest(array['${moments.join("','")}']) m`,
async (t, db) => {
  const At = Type.String({ format: 'date-time', identifier: true, readable: true })
  const { app, send } = await serveMinimally({
    things: collection(Type.Object({ at: At }), { source: db.table('things') })
  })
  const inOrder = ['11:59:59.999', '12:00:00.123', '12:00:00.123', '12:00:00.123', '12:00:00.124']
  for (const limit of [1, 2, 5]) {
    for (const [direction, expected] of [['', inOrder], ['-', inOrder.toReversed()]] as const) {
      const seen = await walkPages(app, `/things?sort=${direction}at&limit=${limit}`)
      t.strictSame(seen.map(({ at }) => String(at).slice(11, -1)), expected)
    }
  }
  const counts = { 'at=': 3, 'at>=': 4, 'at>': 1, 'at<=': 4, 'at<': 1, 'at!=': 2, 'at=*': 3 }
  for (const [start, count] of Object.entries(counts)) {
    t.equal((await app.inject(`/things?${start}2024-02-29T12:00:00.123Z`)).json<unknown[]>().length, count, start)
  }
  t.match(await send('GET', '/things/2024-02-29T12:00:00.123Z'), [409])
  t.match(await send('GET', '/things/2024-02-29T12:00:00.124Z'), [200])
  await app.close()
}, { check: 'off' })

onPostgres('a page begins after a value that no integer is', `
create table things (id integer primary key, v double precision);
insert into things values (1, 1e-300), (2, 0), (3, 1e300), (4, 0.5), (5, null), (6, -1e-7),
  (7, 100000000000000016)`, async (t, db) => {
  const Thing = Type.Object({ id: Id, v: Type.Optional(Type.Integer(R)) })
  const { app, send } = await serveMinimally({ things: collection(Thing, { source: db.table('things') }) })
  t.strictSame(await send('GET', '/things/7/v'), [200, '100000000000000016'])
  const inOrder = [6, 2, 1, 4, 7, 3, 5]
  for (const [direction, expected] of [['', inOrder], ['-', inOrder.toReversed()]] as const) {
    t.strictSame((await walkPages(app, `/things?sort=${direction}v&limit=1`)).map(item => item['id']), expected)
  }
  await app.close()
})

const numbers = ['1e-6', '1e-4', '0.00012', '1e15', '999999999999999', '1e20', '1e21', '-0', 'NaN', 'Infinity',
  '-Infinity', '0.1', '16777217', '123456.789']

onPostgres('numbers that PostgreSQL writes otherwise than JavaScript are alike in items, pages and lists', `
create table parents (id int primary key); insert into parents values (1);
create table numbers (id int primary key, parent int default 1, exact double precision, rough real, fine numeric);
insert into numbers (id, exact, rough, fine)
  select row_number() over (), n::float8, n::real, n::numeric from unnest(array['${numbers.join("','")}', null]) n`,
async (t, db) => {
  const n = Type.Optional(Type.Number(R))
  const { app, send } = await serveMinimally({
    numbers: collection(Type.Object({ id: Id, parent: Type.Integer(), exact: n, rough: n, fine: n }), {
      source: db.table('numbers'), requestStrategies: { create: false }
    }),
    parents: collection(Type.Object({ id: Id, numbers: SubCollection('numbers', { foreignKey: 'parent', ...R }) }), {
      source: db.table('parents'), requestStrategies: { create: false }
    })
  })
  const [, page] = await send('GET', '/numbers') as [200, ReadonlyArray<{ id: number, exact: unknown }>]
  t.strictSame(page.map(({ exact }) => exact),
    [...numbers.map(Number).map(number => Number.isFinite(number) ? number + 0 : String(number)), null])
  t.strictSame(await send('GET', '/parents?fields=numbers(limit=100;sort=id)'), [200, [{ numbers: page }]])
  for (const one of page) t.strictSame(await send('GET', `/numbers/${one.id}`), [200, one])
  await app.close()
}, { check: 'warn' })

const settings = [
  '', '-c datestyle=SQL,DMY -c timezone=Asia/Tokyo', '-c datestyle=German -c timezone=America/St_Johns',
  '-c extra_float_digits=-15 -c bytea_output=escape -c intervalstyle=sql_standard -c timezone=Pacific/Chatham'
]
const weights = [0.30000000000000004, 2 ** 53, 1.7976931348623157e308, 5e-324, 1 / 3, 123456789.12345679]

onPostgres('settings of the server change no number, day or timestamp, also where they are plain text', `
create table things (at timestamptz(3) primary key, day date, plain timestamp, moment timestamptz, rough real,
  ${weights.map((_, n) => `w${n} double precision`).join()});
insert into things values ('2026-03-02 01:00:00.25+00', '2026-11-22', '2026-11-22 01:02:03', '2026-11-22 01:02:03Z',
  0.1, ${weights.join()})`, async (t, db) => {
  const plain = Type.String(R)
  const Thing = Type.Object({
    at: Type.String({ format: 'date-time', identifier: true, ...R }),
    day: plain,
    plain,
    moment: plain,
    rough: Type.Number(R),
    ...Object.fromEntries(weights.map((_, n) => [`w${n}`, Type.Number(R)]))
  })
  const item = {
    at: '2026-03-02T01:00:00.250Z',
    day: '2026-11-22',
    plain: '2026-11-22T01:02:03',
    moment: '2026-11-22T01:02:03+00:00',
    rough: 0.1,
    ...Object.fromEntries(weights.map((weight, n) => [`w${n}`, weight]))
  }
  const filters = ['day=2026-11-22', 'day^=2026-11', 'plain$=:03', 'moment*=T01', 'moment^~=2026-11-22t',
    'moment>=2026-11-22T01:02:03%2B00:00', 'at=2026-03-02T01:00:00.250Z', 'at=*2026-03-02T10:00:00.25%2B09:00',
    ...weights.map((weight, n) => `w${n}=${encodeURIComponent(weight)}`), 'offset=0']
  const paths = ['/2026-03-02T01:00:00.250Z', '/by_at/2026-03-02T10:00:00.25%2B09:00']
  for (const options of settings) {
    const own = postgres({ connectionString: urlOf(db), driver: { options } })
    const pool = new pg.Pool({ connectionString: urlOf(db), options })
    const through = kysely(new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) }))
    for (const source of [own.table('things'), through.table('things')]) {
      const { app, send } = await serveMinimally({
        things: collection(Thing, { source, requestStrategies: { create: false } })
      })
      // The second and third time, statements are prepared.
      for (let round = 0; round < 3; round++) {
        for (const path of paths) t.strictSame(await send('GET', `/things${path}`), [200, item], options)
        for (const query of filters) t.strictSame(await send('GET', `/things?${query}`), [200, [item]], query)
      }
      await app.close()
    }
    await own.close()
    await pool.end()
  }
})
