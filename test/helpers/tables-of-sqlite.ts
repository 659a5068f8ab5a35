import { collection, type Declared, sqlite, type SqliteDatabase } from '../../lib/index.ts'
import dataApi from '../../lib/index.ts'
import Fastify from './fastify.ts'
import { Type } from '@sinclair/typebox'
import { faultsOf } from './judge-table.ts'
import { type Engine, kinds, type RandomTable } from './random-tables.ts'

const texts = (...values: readonly string[]) => values.map(value => `'${value.replaceAll("'", "''")}'`)
const bytes = (...values: readonly string[]) => values.map(value => `cast(x'${value}' as text)`)

const integers = [
  '0', '1', '-1', '7', '10', '9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740995',
  '10000000000000001', '9223372036854775807', '-9223372036854775808', '100000000000000016',
  '1152921504606846976', '1152921504606847000', '1234567890123456789'
]
const reals = [
  '0.5', '-0.0', '0.1', '1.0', '1e19', '9e999', '-9e999', '1e-300', '9007199254740993.0', '1e300', '1e21', '1e-7',
  '0.30000000000000004', '-1.5', '123456789.125'
]
const words = texts(
  '', ' ', 'a', 'A', 'a ', 'á', 'á', '😀', '\uffff', '%', '_', '"', ',', '/', 'a,b', 'null', 'true', '1', '01', '1.0',
  '-', 'by_c0', '{"a":1}', '[1', '"x"', '*x', 'NaN', 'Infinity', 'x\n', '\r', "it's", '\ufffd', '\ufeffa'
)
const days = texts('2026-01-02', '2025-12-31', 'infinity', '-infinity', '0001-01-01')
const moments = [
  ...texts(
    '2026-01-02T03:04:05.000Z', '2026-01-02 03:04:05', '2026-01-02 03:04:05.250', '2026-01-02', '2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05+01:00', '2026-01-02T03:04:05.123456Z', 'infinity', '2026-01-02T03:04'
  ),
  '1767323045', '1767323045123', '1767323045.5', '-5'
]
const times = texts('12:00:00', '23:59:59.5')
const uuids = texts('6f1c1c1e-6d1c-4b53-8d3b-0c1e1d1c1b1a', '00000000-0000-0000-0000-000000000000')
const blobs = ["x''", "x'00'", "x'ff'", "x'31'", "x'fbf0'", "x'616263'"]
const decimals = [
  ...texts('1.50', '1.5', '10', '9', '-1.55', '0', '0.00', '123456789012345678901234567890.123', 'NaN'),
  ...integers, ...reals
]
// Text with NUL, and text that is no UTF-8.
const spoilt = bytes(
  '610062', '00', 'ff', '61ff', '80', 'c3', 'eda080', 'c080', '3100', '323032362d30312d303200', '312e3500'
)
const hostile = [
  'null', ...integers, ...reals, ...words, ...days, ...moments, ...times, ...uuids, ...blobs, ...decimals, ...spoilt,
  ...texts('\u0001', '\u0001t', '\u0001n1', '\u0001bAA==', '2026-02-30', '26-1-2', '2026-13-40 99:99:99', '25:00:00',
    '12:00', '-0', '1e3', '.5', '+1', '1.', '6F1C1C1E-6D1C-4B53-8D3B-0C1E1D1C1B1A')
]

/** SQLite: columns of any affinity may hold any value. */
export const onSqlite: Engine = {
  types: [
    'integer', 'int', 'real', 'numeric', 'text', 'blob', '', 'varchar(20)', 'decimal(10,2)', 'boolean', 'datetime',
    'date', 'any'
  ],
  suffixes: ['', 'not null', 'collate nocase', 'collate rtrim not null'],
  options: ['', ' strict', ' without rowid', ' strict, without rowid'],
  kindsOf: () => kinds,
  fitting: {
    integer: integers,
    number: [...integers, ...reals],
    boolean: ['0', '1'],
    string: words,
    int64: integers,
    decimal: decimals,
    byte: blobs,
    date: days,
    'date-time': moments,
    time: times,
    uuid: uuids,
    mixed: [...integers, ...words, ...texts('"1"', '1.5', '1.50', ' true', ' "a"', 'false')]
  },
  hostile
}

/** Returns the faults of a table on SQLite; undefined if it cannot be made, or if the check refuses it. */
export async function tryOnSqlite (table: RandomTable): Promise<readonly string[] | undefined> {
  const db = sqlite(':memory:')
  try {
    // STRICT tables have few types.
    if (!tryExec(db, table.ddl) && !tryExec(db, table.ddl.replace(/strict,?/, ''))) return undefined
    for (const row of table.rows) tryExec(db, `insert into things values (${row.join(', ')})`)
    const app = Fastify()
    await app.register(dataApi, { collections: { things: declare(table, db) }, pages: { maxSize: Infinity } })
    try {
      await app.ready()
      return await faultsOf({ ...table, app, ...factsOf(table, db) })
    } catch (error) {
      if (error instanceof Error && error.name === 'DeclarationError') return undefined
      throw error
    } finally {
      await app.close()
    }
  } finally {
    db.close()
  }
}

function tryExec (db: SqliteDatabase, text: string): boolean {
  try {
    db.exec(text)
    return true
  } catch {
    return false
  }
}

function declare ({ columns, key }: RandomTable, db: SqliteDatabase): Declared {
  const schema = Type.Object(Object.fromEntries(columns.map(({ name, schema }) => [name, schema])))
  const source = db.table('things')
  return key.length > 1 ? collection(schema, { key: [...key], source }) : collection(schema, { source })
}

function factsOf ({ columns }: RandomTable, { driver }: SqliteDatabase) {
  const ask = (text: string) => Number(Object.values(driver.prepare(text).get() as object)[0])
  return {
    count: ask('select count(*) from things'),
    withMistyped: new Set(columns.map(({ name, kind }) => {
      const isMistyped = mistyped[kind]?.(name) ?? isSpoilt(name)
      return ask(`select count(*) from things where ${name} is not null and (${isMistyped})`) > 0 ? name : ''
    }))
  }
}

/** Text that is not UTF-8 is shown with U+FFFD in the place of bytes. */
const isSpoilt = (name: string) => `typeof(${name}) = 'blob' or instr(${name}, char(0)) > 0 or
  instr(cast(${name} as text), '\ufffd') = 0 and data_api_is_unicode(cast(${name} as text)) = 0`

const unfit = (name: string) => `typeof(${name}) not in ('integer', 'real')`

/** The conditions for values that no value of a kind is shown as. */
const mistyped: Readonly<Record<string, (name: string) => string>> = {
  integer: name => `${unfit(name)} or ${name} <> cast(${name} as integer)`,
  number: unfit,
  boolean: name => `${name} not in (0, 1)`,
  int64: name => `${unfit(name)} or ${name} <> cast(${name} as integer)`,
  byte: name => `typeof(${name}) <> 'blob'`
}
