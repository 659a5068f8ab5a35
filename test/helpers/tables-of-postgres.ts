import { Type } from '@sinclair/typebox'
import dataApi, { collection, type Declared, type KyselyDatabase } from '../../lib/index.ts'
import Fastify from './fastify.ts'
import { faultsOf } from './judge-table.ts'
import type { Engine, RandomTable } from './random-tables.ts'

const texts = (...values: readonly string[]) => values.map(value => `'${value.replaceAll("'", "''")}'`)

const integers = texts(
  '0', '1', '-1', '10', '32767', '2147483647', '9007199254740991', '9007199254740992', '9007199254740993',
  '-9007199254740995', '10000000000000001', '9223372036854775807', '-9223372036854775808', '100000000000000016',
  '1152921504606846976', '1152921504606847000', '1234567890123456789'
)
const numbers = [...integers, ...texts(
  '0.5', '0.1', '1.10', '1e19', '1e300', '1e-300', '3.4028235e38', '1e-45', '16777217', '0.30000000000000004', '-1.5',
  'NaN', 'Infinity', '-Infinity', '0.1428571428571428571', '99999.99', '1e21', '1e-7',
  '123456789012345678901234567890.5'
)]
const words = texts(
  '', ' ', 'a', 'A', 'a ', 'á', 'á', '😀', '\uffff', '\ufffd', '\ufeffa', '%', '_', '"', ',', '/', 'a,b', 'null', 'true',
  '1', '01', '-', '{"a":1}', '[1', '"x"', '*x', 'NaN', 'x\n', '\r', "it's", '\u0001t', '12:00:00', '2026-01-02'
)
const days = texts(
  '2026-01-02', '2024-02-29', 'infinity', '-infinity', '0044-03-15 BC', '12024-01-01', '0001-01-01', '5874897-12-31'
)
const moments = texts(
  '2026-01-02 03:04:05.123456+00', '2026-01-02 03:04:05.123999+00', '2026-01-02 03:04:05+02', 'infinity', '-infinity',
  '0044-03-15 10:00:00.5+00 BC', '12024-01-01 00:00:00+00', '1969-12-31 23:59:59.9999+00', '2026-01-02 03:04:05.123Z'
)
const times = texts(
  '12:00:00', '23:59:59.5', '12:00:00+05:30', '06:30:00Z', '23:00:00-02', '00:00:00.000001', '24:00:00'
)
const uuids = texts('6f1c1c1e-6d1c-4b53-8d3b-0c1e1d1c1b1a', '00000000-0000-0000-0000-000000000000')
const bytes = texts('\\x', '\\x00', '\\xff00', '\\x31')
const booleans = ['true', 'false']

const all = [
  'null', ...numbers, ...words, ...days, ...moments, ...times, ...uuids, ...bytes, ...booleans,
  ...texts('6F1C1C1E-6D1C-4B53-8D3B-0C1E1D1C1B1A', '1 day', '-3 mons', '1.50', '1.0', '"1"', ' 1', '" x"', ' "x"',
    'tru', '[1,3)', '{1,2}', '192.168.0.1', '101', '0.29')
]

const ofNumbers = ['integer', 'number', 'string'] as const
const ofText = ['string', 'date', 'time', 'uuid', 'date-time', 'mixed'] as const
const kindsOfTypes: Readonly<Record<string, readonly string[]>> = {
  smallint: [...ofNumbers, 'int64', 'decimal'],
  integer: [...ofNumbers, 'int64', 'decimal'],
  bigint: [...ofNumbers, 'int64', 'decimal'],
  real: ofNumbers,
  'double precision': ofNumbers,
  numeric: [...ofNumbers, 'int64', 'decimal'],
  'numeric(12,2)': [...ofNumbers, 'int64', 'decimal'],
  'numeric(30,10)': [...ofNumbers, 'int64', 'decimal'],
  text: ofText,
  'varchar(60)': ofText,
  'char(5)': ['string'],
  boolean: ['boolean'],
  date: ['date', 'string'],
  timestamptz: ['date-time', 'string'],
  timestamp: ['date-time', 'string'],
  'timestamptz(3)': ['date-time', 'string'],
  time: ['time', 'string'],
  timetz: ['time', 'string'],
  uuid: ['uuid', 'string'],
  bytea: ['byte'],
  interval: ['string'],
  int4range: ['string'],
  inet: ['string'],
  jsonb: ['mixed']
}

/** PostgreSQL: a value that does not fit a column is not stored. */
export const onPostgres: Engine = {
  types: Object.keys(kindsOfTypes),
  suffixes: ['', 'not null'],
  options: [''],
  kindsOf: type => kindsOfTypes[type] ?? [],
  fitting: {
    integer: integers,
    number: numbers,
    string: all,
    int64: integers,
    decimal: numbers,
    boolean: booleans,
    date: days,
    'date-time': moments,
    time: times,
    uuid: uuids,
    byte: bytes,
    mixed: [
      ...words,
      ...texts('1.5', '1.50', '1.0', '"1"', ' true', '"a"', ' "a"', '"1.5"', 'null', '"null"', '{"b": 1, "a": [2]}'),
      ...texts('[ ]')
    ]
  },
  hostile: all
}

/** Runs a statement of the owner of the tables. */
export type Run = (text: string) => Promise<unknown>

/** Returns the faults of a table on PostgreSQL; undefined if it cannot be made, or if the check refuses it. */
export async function tryOnPostgres (
  table: RandomTable, db: Pick<KyselyDatabase, 'table'>, run: Run
): Promise<readonly string[] | undefined> {
  await run('drop table if exists things')
  const isMade = await succeeds(run(table.ddl))
  if (!isMade) return undefined
  let count = 0
  for (const row of table.rows) if (await succeeds(run(`insert into things values (${row.join(', ')})`))) count++
  const app = Fastify()
  await app.register(dataApi, { collections: { things: declare(table, db) }, pages: { maxSize: Infinity } })
  try {
    await app.ready()
    return await faultsOf({ ...table, app, count, withMistyped: new Set() })
  } catch (error) {
    if (error instanceof Error && error.name === 'DeclarationError') return undefined
    throw error
  } finally {
    await app.close()
  }
}

const succeeds = (work: Promise<unknown>) => work.then(() => true, () => false)

function declare ({ columns, key }: RandomTable, db: Pick<KyselyDatabase, 'table'>): Declared {
  const schema = Type.Object(Object.fromEntries(columns.map(({ name, schema }) => [name, schema])))
  const source = db.table('things')
  return key.length > 1 ? collection(schema, { key: [...key], source }) : collection(schema, { source })
}
