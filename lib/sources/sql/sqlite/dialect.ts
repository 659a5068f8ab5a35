import { sql, SqliteQueryCompiler } from 'kysely'
import type { ValueKind } from '../../../model/values.ts'
import type { ColumnType } from '../statements/columns.ts'
import type { Dialect, Sql } from '../statements/dialect.ts'
import { readNumber } from '../statements/exact-numbers.ts'
import type { Slot, Value } from '../statements/shape.ts'
import { sqliteWriter } from './json.ts'

/** The function registered on every connection for comparisons without regard to case: SQLite's own lower() knows ASCII only. */
export const foldFunction = 'data_api_fold_case'

/** SQLite, from 3.37. */
export const sqliteDialect: Dialect = {
  compiler: new SqliteQueryCompiler(),
  // A column may be declared with a collation of its own.
  comparable: (column, { kind }) => isNumeric(kind) ? column : sql`${column} collate binary`,
  asShown: column => column,
  operand: bound,
  among: (column, slot, held) => sql`${sqliteDialect.comparable(column, held)} in (select value from json_each(${sql.val(slot)}))`,
  // LIKE would take % and _ in a value for wildcards, and disregard the case of ASCII.
  startsWith: (column, slot) => sql`substr(${column}, 1, length(${sql.val(slot)})) = ${sql.val(slot)} collate binary`,
  endsWith: (column, slot) => sql`(length(${column}) >= length(${sql.val(slot)}) and substr(${column}, length(${column}) - length(${sql.val(slot)}) + 1) = ${sql.val(slot)} collate binary)`,
  contains: (column, slot) => sql`instr(${column}, ${sql.val(slot)}) > 0`,
  foldCase: column => sql`${sql.id(foldFunction)}(${column})`,
  // SQLite has no offset without a limit.
  limit: (limit, offset) => sql`limit ${limit === undefined ? sql`-1` : unseen(limit)}${offset === undefined ? sql`` : sql` offset ${unseen(offset)}`}`,
  // A transaction has the whole database to itself.
  lock: sql``,
  row: values => sql`json_array(${sql.join(values)})`,
  collect: row => sql`json_group_array(json(${row}))`,
  asText: json => json,
  encode: (column, { kind }) => encoders[kind](column),
  decode: (encoded, { kind }) => decoders[kind](encoded),
  fetch: (column, { kind }) => fetches[kind](column),
  fetched: ({ kind }) => fetchers[kind],
  writer: sqliteWriter,
  fetchesPages: false,
  store: bound,
  givenKey: sql``,
  bind: bindValue
}

/**
 * A parameter whose value SQLite's planner does not look at. Where the planner has statistics, and for a limit from 3.50 on, it otherwise makes its plan
 * for the value, and the whole statement anew whenever another is bound: 20 to 120 us a request where the request itself takes 10.
 */
const unseen = (parameter: Sql) => sql`+${parameter}`

/** Numbers are said to be doubles, since those next to nothing are bound as text. */
function bound (slot: Slot, { kind }: ColumnType): Sql {
  return kind === 'number' ? sql`cast(${sql.val(slot)} as real)` : unseen(sql`${sql.val(slot)}`)
}

const isNumeric = (kind: ValueKind) => kind === 'integer' || kind === 'number' || kind === 'boolean'

// A column may hold what its schema does not say. Of that, json_array() would refuse a blob, so none reaches it.
const asText = (column: Sql) => sql`cast(${column} as text)`

const encoders: Readonly<Record<ValueKind, (column: Sql) => Sql>> = {
  string: asText,
  date: asText,
  'date-time': asText,
  time: asText,
  uuid: asText,
  json: asText,
  boolean: column => sql`cast(${column} as integer)`,
  // json_array() prints some doubles with 15 digits, depending on SQLite's version; quote() is exact on all.
  number: column => sql`quote(${column})`,
  integer: column => sql`case typeof(${column}) when 'integer' then ${column} when 'real' then quote(${column}) end`
}

const asIs = (encoded: unknown) => encoded

const decoders: Readonly<Record<ValueKind, (encoded: unknown) => unknown>> = {
  string: asIs,
  integer: encoded => typeof encoded === 'string' ? readNumber(encoded) : encoded,
  date: asIs,
  'date-time': asIs,
  time: asIs,
  uuid: asIs,
  number: encoded => readNumber(String(encoded)),
  boolean: encoded => encoded === null ? null : encoded !== 0,
  json: encoded => typeof encoded === 'string' ? JSON.parse(encoded) : encoded
}

// An integer that no double holds is rounded, where a driver would refuse it.
const asNumber = (column: Sql) => sql`case typeof(${column}) when 'integer' then cast(${column} as real) when 'real' then ${column} end`

const fetches: Readonly<Record<ValueKind, (column: Sql) => Sql>> = {
  ...encoders,
  boolean: column => sql`cast(${column} as integer) <> 0`,
  number: asNumber,
  integer: asNumber
}

const finite = (value: unknown) => typeof value === 'number' && Number.isFinite(value) ? value + 0 : null

const fetchers: Readonly<Record<ValueKind, (value: unknown) => unknown>> = { ...decoders, number: finite, integer: finite }

function bindValue (value: Value): unknown {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number' && isTiny(value)) return String(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value.map(one => typeof one === 'boolean' ? Number(one) : one)) : value
}

/** Whether @photostructure/sqlite, until 1.2 at least, would bind the number as the integer 0. */
const isTiny = (value: number) => value !== 0 && Math.abs(value) < 1e-14
