import { type TSchema, Type } from '@sinclair/typebox'
import { type Test, test } from 'tap'
import {
  collection, type OpenApiDocument, type PostgresDatabase, sqlite, type SqliteDatabase, SubItem
} from '../../lib/index.ts'
import fc, { runsOf, seed } from '../helpers/fast-check.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { readDocument } from '../helpers/openapi.ts'
import { serveMinimally } from '../helpers/serve-minimally.ts'

// docs/clients.md: Values of databases. Each type of the catalogue, with each declaration that suits it.

const text = (format?: string) => Type.String(format === undefined ? {} : { format })

/** Literals of SQL without quotes: some at the edges, and those that are drawn. */
const among = (edges: readonly string[], drawn?: fc.Arbitrary<unknown>) =>
  fc.oneof(fc.constantFrom(...edges), ...drawn === undefined ? [] : [drawn.map(String)])

const integers = (bits: number) => among(
  ['0', '-1', String(2n ** BigInt(bits - 1) - 1n), String(-(2n ** BigInt(bits - 1)))],
  fc.bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n })
)
const wide = among(['9007199254740993', '-9007199254740993', '1e15'], integers(64))
const doubles = among(['0', '1e300', '-1e-300', '1e21', '0.30000000000000004', '1e17'],
  fc.double({ noNaN: true, noDefaultInfinity: true }))
const specials = fc.constantFrom('NaN', 'Infinity', '-Infinity')
const decimals = fc.tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.nat(99999))
  .map(([whole, fraction]) => `${whole}.${fraction}`)
const days = among(['infinity', '-infinity', '0044-03-15 BC', '0001-01-01', '9999-12-31', '12024-01-01', '1970-01-01'],
  fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map(date => date.toISOString().slice(0, 10)))
const moments = among([
  'infinity', '-infinity', '0044-03-15 10:00:00 BC', '12024-01-01 00:00:00', '1970-01-01 00:00:00.123456'
], fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
  .map(date => date.toISOString()))
const times = ['24:00:00', '00:00:00', '23:59:59.999999', '12:00:00.5']
const words = among(['', 'a"b', 'NULL', '{}'], fc.string({ unit: 'grapheme-ascii' }))
  .map(one => one.replaceAll('\0', ''))

interface Column {
  readonly type: string
  /** The declarations that suit it. */
  readonly schemas: readonly TSchema[]
  readonly values: fc.Arbitrary<string>
}

const onPostgres: readonly Column[] = [
  { type: 'smallint', schemas: [Type.Integer(), Type.Number()], values: integers(16) },
  { type: 'integer', schemas: [Type.Integer(), Type.Number(), text(), text('int64')], values: integers(32) },
  { type: 'bigint', schemas: [Type.Integer(), Type.Number(), text('int64'), text()], values: integers(64) },
  {
    type: 'numeric',
    schemas: [Type.Number(), Type.Integer(), text('decimal'), text()],
    values: fc.oneof(decimals, integers(64), specials)
  },
  { type: 'numeric(9,2)', schemas: [Type.Number(), Type.Integer()], values: among(['NaN', '0', '1.50', '-3']) },
  { type: 'real', schemas: [Type.Number(), Type.Integer()], values: fc.oneof(specials, among(['0.1', '1e30', '-2'])) },
  { type: 'double precision', schemas: [Type.Number(), Type.Integer()], values: fc.oneof(doubles, specials) },
  { type: 'positive', schemas: [Type.Integer()], values: among(['9007199254740993', '1']) },
  { type: 'money', schemas: [text()], values: among(['1.5']) },
  { type: 'boolean', schemas: [Type.Boolean()], values: among(['true', 'false']) },
  { type: 'text', schemas: [text()], values: words },
  { type: 'char(5)', schemas: [text()], values: among(['ab', '']) },
  { type: 'mood', schemas: [Type.Union([Type.Literal('sad'), Type.Literal('glad')]), text()], values: among(['glad']) },
  { type: 'date', schemas: [text('date'), text()], values: days },
  { type: 'timestamptz', schemas: [text('date-time'), text()], values: moments },
  { type: 'timestamp', schemas: [text('date-time')], values: moments },
  { type: 'time', schemas: [text('time'), text()], values: among(times) },
  {
    type: 'timetz',
    schemas: [text('time')],
    values: among([...times, '24:00:00+05', '12:00:00-03:30', '12:00:00+01:02:03'])
  },
  { type: 'interval', schemas: [text()], values: among(['1 day', '-3 mons']) },
  { type: 'uuid', schemas: [text('uuid')], values: fc.uuid() },
  { type: 'bytea', schemas: [text('byte')], values: among(['\\x00ff', '\\x', '\\x010203']) },
  { type: 'inet', schemas: [text()], values: among(['10.0.0.3', '10.0.0.3/8']) },
  { type: 'int4range', schemas: [text()], values: among(['[1,3)', 'empty']) }
]

// A field of integers over a column that is called `integer` is described for integers up to 2^53.
const onSqlite: readonly Column[] = [
  { type: 'integer', schemas: [Type.Integer(), Type.Number()], values: integers(53) },
  { type: 'integer', schemas: [text('int64')], values: integers(64) },
  { type: 'bigint', schemas: [Type.Integer(), Type.Number()], values: integers(64) },
  { type: 'unsigned big int', schemas: [Type.Integer()], values: integers(64) },
  { type: 'int8', schemas: [Type.Integer()], values: integers(64) },
  {
    type: 'numeric',
    schemas: [Type.Number(), Type.Integer(), text('decimal')],
    values: fc.oneof(wide, among(['0.5', '1e300', '9e999', '-9e999']))
  },
  { type: 'decimal(9, 2)', schemas: [Type.Number()], values: wide },
  { type: 'real', schemas: [Type.Number(), Type.Integer()], values: fc.oneof(doubles, among(['9e999', '-9e999'])) },
  { type: 'double', schemas: [Type.Number()], values: doubles },
  { type: 'boolean', schemas: [Type.Boolean()], values: among(['0', '1']) },
  { type: 'text', schemas: [text()], values: words },
  { type: 'text', schemas: [text('date')], values: among(['2026-01-02', '0001-01-01']) },
  { type: 'text', schemas: [text('date-time')], values: among(['2026-01-02 03:04:05', '2026-01-02T03:04:05Z']) },
  { type: 'integer', schemas: [text('date-time')], values: among(['0', '1767323045', '-5']) },
  { type: 'text', schemas: [text('time')], values: among(['23:59:59']) },
  { type: 'text', schemas: [text('uuid')], values: fc.uuid() },
  { type: 'text', schemas: [text('decimal')], values: among(['1.50', '-3']) },
  { type: 'blob', schemas: [text('byte')], values: among(['']) }
]

const R = { readable: true } as const
const id = Type.Integer({ identifier: true, ...R })
const quote = (literal: string) => `'${literal.replaceAll("'", "''")}'`

/** The fields over a column `one` and, where there is one, over an array `list`: each has a name of its own. */
function fieldsOf ({ type, schemas }: Column, lists: boolean): ReadonlyArray<readonly [string, string, TSchema]> {
  // Such an array shows numbers of any kind.
  const isUnfit = (schema: TSchema) => schema['type'] === 'integer' && /^(?:real|double)/.test(type)
  return schemas.flatMap((schema, at) => [
    [`one${at}`, 'one', Type.Optional({ ...schema, ...R })] as const,
    ...lists && !isUnfit(schema) ? [[`list${at}`, 'list', Type.Optional(Type.Array(schema, R))] as const] : []
  ])
}

async function judge (t: Test, db: SqliteDatabase | PostgresDatabase, columns: readonly Column[], lists: boolean) {
  const { app } = await serveMinimally(Object.fromEntries(columns.map((column, n) => {
    const fields = fieldsOf(column, lists)
    const source = db.table(`t${n}`, { columns: Object.fromEntries(fields) })
    const schemas = Object.fromEntries(fields.map(([name, , schema]) => [name, schema]))
    return [`t${n}`, collection(Type.Object({ id, ...schemas }), { source })]
  })))
  await app.ready()
  for (const profile of ['docs', 'types'] as const) {
    const reader = readDocument((await app.inject(`/openapi.json?profile=${profile}`)).json<OpenApiDocument>())
    for (const [n, column] of columns.entries()) {
      const scalars = profile === 'types' ? [] : fieldsOf(column, lists).map(([name]) => `/t${n}/1/${name}`)
      for (const path of [`/t${n}`, `/t${n}/1`, ...scalars]) {
        const { statusCode, headers, body } = await app.inject(path)
        const found = reader.find('GET', path)
        const wrong = found && reader.wrong(found, statusCode, String(headers['content-type']), body)
        t.ok(found && statusCode === 200 && wrong === undefined,
          `${column.type} ${path} ${statusCode}: ${JSON.stringify(wrong)} ${body.slice(0, 1000)}`)
      }
    }
  }
  await app.close()
}

/** Draws values of a column, and returns a row for each. */
const rowsOf = ({ values }: Column, toRow: (literal: string) => string) =>
  fc.sample(values, { numRuns: runsOf(30), seed }).map((literal, n) => `(${n + 1}, ${toRow(literal)})`).join(', ')

const ofPostgres = onPostgres.map((column, n) => {
  const rows = rowsOf(column, literal => `${quote(literal)}, array[${quote(literal)}, null]::${column.type}[]`)
  return `create table t${n} (id int primary key, one ${column.type}, list ${column.type}[]);
    insert into t${n} values ${rows}, (0, null, null)`
})

postgresTest('what PostgreSQL shows of any column is as the document describes it, alone and in an array', t =>
  onDatabase([
    "create type mood as enum ('sad', 'glad'); create domain positive as bigint check (value > 0)", ...ofPostgres
  ].join(';\n'), db => judge(t, db, onPostgres, true)))

test('what SQLite shows of any column is as the document describes it', async t => {
  const db = sqlite(':memory:')
  for (const [n, column] of onSqlite.entries()) {
    const isText = column.type === 'text'
    const rows = rowsOf(column, literal => column.type === 'blob' ? "x'00ff'" : isText ? quote(literal) : literal)
    db.exec(`create table t${n} (id integer primary key, one ${column.type});
      insert into t${n} values ${rows}, (0, null)`)
  }
  await judge(t, db, onSqlite, false)
  db.close()
})

/** Columns whose types have no other values than those that a field describes, and fields that declare a bound. */
const plain = {
  small: [Type.Integer(R), 'integer'],
  words: [Type.String(R), 'text'],
  counted: [Type.Integer(R), 'bigint generated by default as identity'],
  serial: [Type.Integer(R), 'bigserial'],
  bounded: [Type.Integer({ maximum: Number.MAX_SAFE_INTEGER, ...R }), 'bigint']
} as const

postgresTest('a schema has no texts and no null where none can be', t => onDatabase(`
  create table plain (id int primary key, ${Object.entries(plain).map(([name, [, type]]) => `${name} ${type}`).join()});
  create table keys (id bigint generated always as identity primary key);
  create table lists (id int primary key, key_id bigint references keys, wide bigint not null, days date[] not null)`,
async db => {
  const lists = Type.Object({
    id,
    keyId: Type.Integer(R),
    wide: Type.Integer(R),
    days: Type.Array(Type.String({ format: 'date' }), R),
    key: SubItem('keys', { foreignKey: 'keyId', ...R })
  })
  const { app } = await serveMinimally({
    plain: collection(Type.Object({
      id,
      ...Object.fromEntries(Object.entries(plain).map(([name, [schema]]) => {
        return [name, schema]
      }))
    }), { source: db.table('plain') }),
    keys: collection(Type.Object({ id }), { source: db.table('keys') }),
    lists: collection(lists, { source: db.table('lists', { columns: 'snake_case' }) })
  })
  await app.ready()
  const { Plain, Keys, Lists } = app.dataApi.openapi({ profile: 'types' }).components.schemas
  t.strictSame(Plain?.['properties'], {
    id: { type: 'integer' },
    small: { type: 'integer' },
    words: { type: 'string' },
    counted: { type: 'integer' },
    serial: { type: 'integer' },
    bounded: { type: 'integer', maximum: Number.MAX_SAFE_INTEGER }
  })
  t.strictSame(Keys?.['properties'], { id: { type: 'integer' } })
  t.match(Lists?.['properties'], {
    key_id: { type: 'integer' }, wide: { type: ['integer', 'string'], pattern: '^-?\\d{16,19}$' }
  })
  const item = /interface Lists \{[^}]*\}/.exec(app.dataApi.types())?.[0] ?? ''
  const types = ['id: number', 'key_id: number', 'wide: number | string', 'days: (string | null)[]']
  t.equal(item, `interface Lists {\n${types.map(type => `  ${type}\n`).join('')}}`)
  await app.close()
}))
