import { loadKysely, sql } from '../load-kysely.ts'
import type { ValueKind } from '../../../model/values.ts'
import type { ColumnType } from '../statements/columns.ts'
import type { Dialect, Sql } from '../statements/dialect.ts'
import { readNumber } from '../statements/exact-numbers.ts'
import type { Slot, Value } from '../statements/shape.ts'
import { sqliteWriter } from './json.ts'

/**
 * The name of the SQL function for comparisons without case. Each connection registers it: SQLite's lower() changes
 * ASCII only.
 */
export const foldFunction = 'data_api_fold_case'

/** The name of the SQL function that throws in a statement that takes too long. Each connection registers its own. */
export const clockFunction = 'data_api_clock'

/** The dialect of SQLite, from version 3.37. */
export const sqliteDialect: Dialect = {
  makeCompiler: () => new (loadKysely().SqliteQueryCompiler)(),
  // A column may be declared with another collation.
  comparable: (column, { kind }) => isNumeric(kind) ? column : sql`${column} collate binary`,
  asShown: column => column,
  operand: bindSlot,
  among: (column, slot, columnType) =>
    sql`${sqliteDialect.comparable(column, columnType)} in (select value from json_each(${sql.val(slot)}))`,
  // LIKE would read % and _ in a value as wildcards, and would ignore the case of ASCII letters.
  startsWith: (column, slot) => sql`substr(${column}, 1, length(${sql.val(slot)})) = ${sql.val(slot)} collate binary`,
  endsWith (column, slot) {
    const end = sql.val(slot)
    const last = sql`substr(${column}, length(${column}) - length(${end}) + 1)`
    return sql`(length(${column}) >= length(${end}) and ${last} = ${end} collate binary)`
  },
  contains: (column, slot) => sql`instr(${column}, ${sql.val(slot)}) > 0`,
  foldCase: column => sql`${sql.id(foldFunction)}(${column})`,
  // random() comes first, because it takes a tenth of the time of a call of JavaScript.
  clocked: conditions => sql`(random() & 63 or ${sql.id(clockFunction)}()) and ${conditions}`,
  limit (limit, offset) {
    // SQLite allows an offset only after a limit; -1 is no limit.
    const first = sql`limit ${limit === undefined ? sql`-1` : unseen(limit)}`
    return sql`${first}${offset === undefined ? sql`` : sql` offset ${unseen(offset)}`}`
  },
  // A transaction already holds the lock of the whole database.
  lock: () => sql``,
  row: values => sql`json_array(${sql.join(values)})`,
  collect: row => sql`json_group_array(json(${row}))`,
  asText: json => json,
  encode: (column, { kind }) => encodings[kind](column),
  decode: (encoded, { kind }) => decoders[kind](encoded),
  fetch: (column, { kind }) => fetches[kind](column),
  decoder: ({ kind }) => fetchDecoders[kind],
  writer: sqliteWriter,
  fetchesPages: false,
  toColumn: bindSlot,
  givenKey: () => sql``,
  bind: bindValue
}

/**
 * Hides a parameter's value from SQLite's planner. Otherwise, where the planner has statistics, and for a limit from
 * SQLite 3.50 on, it plans for the value, and prepares the whole statement again whenever another value is bound: 20 to
 * 120 us a request, where the request itself takes 10.
 */
const unseen = (parameter: Sql) => sql`+${parameter}`

/** Returns the parameter of a value. A number is cast to a double, since a tiny number is bound as text (isTiny). */
function bindSlot (slot: Slot, { kind }: ColumnType): Sql {
  return kind === 'number' ? sql`cast(${sql.val(slot)} as real)` : unseen(sql`${sql.val(slot)}`)
}

const isNumeric = (kind: ValueKind) => kind === 'integer' || kind === 'number' || kind === 'boolean'

// A column may hold values that its declared type does not allow. json_array() fails on a blob, so the cast keeps blobs
// away from it.
const asText = (column: Sql) => sql`cast(${column} as text)`

const encodings: Readonly<Record<ValueKind, (column: Sql) => Sql>> = {
  string: asText,
  date: asText,
  'date-time': asText,
  time: asText,
  uuid: asText,
  json: asText,
  boolean: column => sql`cast(${column} as integer)`,
  // json_array() prints some doubles with 15 digits, in some versions of SQLite; quote() is exact in all versions.
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

// An integer that a double cannot hold exactly is rounded. Without the cast, a driver would throw.
const asNumber = (column: Sql) =>
  sql`case typeof(${column}) when 'integer' then cast(${column} as real) when 'real' then ${column} end`

const fetches: Readonly<Record<ValueKind, (column: Sql) => Sql>> = {
  ...encodings,
  boolean: column => sql`cast(${column} as integer) <> 0`,
  number: asNumber,
  integer: asNumber
}

const finite = (value: unknown) => typeof value === 'number' && Number.isFinite(value) ? value + 0 : null

const fetchDecoders: Readonly<Record<ValueKind, (value: unknown) => unknown>> = {
  ...decoders,
  number: finite,
  integer: finite
}

function bindValue (value: Value): unknown {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number' && isTiny(value)) return String(value)
  if (typeof value !== 'object' || value === null) return value
  return JSON.stringify(value.map(one => typeof one === 'boolean' ? Number(one) : one))
}

/** Returns true for a number that @photostructure/sqlite, up to 1.2 at least, would bind as the integer 0. */
const isTiny = (value: number) => value !== 0 && Math.abs(value) < 1e-14
