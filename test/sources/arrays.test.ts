import { type TSchema, Type } from '@sinclair/typebox'
import { collection } from '../../lib/index.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test } from '../helpers/on-postgres.ts'
import { serveMinimally } from '../helpers/serve-minimally.ts'

// docs/databases.md: Types of columns. Each type alone and in an array: its text is the one that PostgreSQL writes, and
// elements are shown as values of their type.

const text = (format?: string) => Type.String(format === undefined ? {} : { format })

/** A type, the field over it, a literal, and the value that is shown. */
const types: ReadonlyArray<readonly [type: string, schema: TSchema, literal: string, shown: unknown]> = [
  ['smallint', Type.Integer(), '7', 7],
  ['integer', Type.Integer(), '-7', -7],
  ['integer', text(), '7', '7'],
  ['bigint', Type.Integer(), '5', 5],
  ['bigint', Type.Integer(), '9007199254740993', '9007199254740993'],
  ['bigint', text('int64'), '5', '5'],
  ['numeric', text('decimal'), '12345678901234567890.1230', '12345678901234567890.1230'],
  ['numeric', Type.Number(), '1.50', 1.5],
  ['numeric', Type.Integer(), '9007199254740993', '9007199254740993'],
  ['numeric(9,2)', Type.Number(), '1.50', 1.5],
  ['real', Type.Number(), '0.1', 0.1],
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
  ['timestamptz', text(), '2024-02-29 12:00:00.1235+01', '2024-02-29T11:00:00.1235+00:00'],
  ['timestamptz(3)', text('date-time'), 'infinity', 'infinity'],
  ['timestamp', text('date-time'), '2024-02-29 12:00:00.1235', '2024-02-29T12:00:00.123Z'],
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

const rw = { readable: true, writable: true } as const
const id = Type.Integer({ identifier: true, ...rw })

const ddl = ["create type mood as enum ('sad', 'glad'); create domain positive as bigint check (value > 0)"]
  .concat(types.map(([type, , literal], n) => `
    create table t${n} (id int primary key, one ${type}, list ${type}[]);
    insert into t${n} values (2, null, '{}'), (3, null, null),
      (1, '${literal}', array['${literal}', null]::${type}[])`))
  .join(';\n')

test('an element of an array is shown as a value of its type is in a column of its own', t =>
  onDatabase(ddl, async db => {
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
  }, { driver: { options: '-c timezone=Europe/Berlin' } }))

test('an array that a client writes is stored element by element, in the types of its column', t => onDatabase(`
create table t (id int primary key, big bigint[], at timestamptz[], bytes bytea[], price numeric[])`, async db => {
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
}))
