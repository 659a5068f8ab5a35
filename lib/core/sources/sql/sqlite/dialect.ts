import { loadKysely, sql } from '../load-kysely.ts'
import { memoize } from '../../../scheduling/memoize.ts'
import { decimalOfKey } from '../../../model/numbers.ts'
import type { ColumnType, Dialect, PositionSql, Sql } from '../statements/dialect.ts'
import { isTyped, type Slot, type TypedValue, type Value } from '../statements/slots.ts'
import { bindNumber, elementOfNumbers } from './bound-numbers.ts'
import { clocked } from './clock.ts'
import { isBinaryText, isIntegerType, isTextType } from './columns.ts'
import type { SqliteDriver } from './driver.ts'
import { call, decimalText, mixedText } from './functions.ts'
import { sqliteWriter } from './json.ts'
import { asText, decoder, fetched, isSafe, sqliteKind, type StoredAs } from './kinds.ts'
import { sum } from './sums.ts'
import { bucket } from './time-units.ts'
import { isCanonical, storeTimestamp, timestamp, timestampCondition } from './timestamps.ts'
import {
  holdsTies, mistypedOperand, mistypedPosition, mistypedTexts, namedCondition, plainTexts
} from './mistyped-values.ts'

const unlessJsonNull = (column: Sql) =>
  sql`case when trim(${column}, char(32, 9, 10, 13)) <> 'null' then ${column} end`

/** The dialect of SQLite, from version 3.37. */
export const sqliteDialect: Dialect = {
  makeCompiler: () => new (loadKysely().SqliteQueryCompiler)(),
  comparable,
  filtered,
  indexCondition: (column, operator, slot, { kind, type }) =>
    kind === 'date-time' && type !== '' && isTextType(type)
      ? timestampCondition(column, operator, sql.val(slot))
      : undefined,
  jsonNullAsNull: (column, { kind }) => kind === 'json' ? unlessJsonNull(column) : column,
  // A timestamp may be stored as another text, which docs/databases.md says.
  isLossy: () => false,
  // `1.5` and `1.50`, the timestamps `2026-01-02` and `2026-01-02 00:00:00`, the text `1` and the number.
  isInjective: columnType => !holdsTies(columnType) && !['converted', 'timestamps'].includes(storedOf(columnType)),
  groups: columnType => ({
    condition: column => namedCondition(column, columnType),
    encode: value => columnType.kind === 'decimal' ? value : sqliteKind(columnType.kind).encode(value),
    decode (encoded) {
      if (columnType.kind === 'decimal') return decimalOfKey(String(encoded))
      return ['converted', 'timestamps'].includes(storedOf(columnType)) ? encoded : decoder(columnType)(encoded)
    }
  }),
  sum,
  bucket,
  extreme: (call, filtered) => sql`${sql.raw(call)}(${filtered})`,
  position,
  filteredPosition: (filtered, columnType) => isAsStored(columnType) ? position(filtered, columnType) : undefined,
  storedTexts: mistypedTexts,
  storedOperand: (slot, columnType, textual) =>
    mistypedOperand(sql.val(slot), operand(slot, columnType, textual), columnType, one => comparable(one, columnType)),
  asShown: column => column,
  operand,
  among: (column, slot, columnType) =>
    sql`${filtered(column, columnType)} in (select ${elementOf(columnType)} from json_each(${sql.val(slot)}))`,
  // LIKE would read % and _ in a value as wildcards, and would ignore the case of ASCII letters.
  textTests: {
    starts_with (column, slot) {
      const start = sql.val(slot)
      return sql`substr(${column}, 1, length(${start})) = ${start} collate binary`
    },
    ends_with (column, slot) {
      const end = sql.val(slot)
      const last = sql`substr(${column}, length(${column}) - length(${end}) + 1)`
      return sql`(length(${column}) >= length(${end}) and ${last} = ${end} collate binary)`
    },
    contains: (column, slot) => sql`instr(${column}, ${sql.val(slot)}) > 0`
  },
  foldCase: column => call('data_api_fold_case', asText(column)),
  clocked,
  within: select => select,
  limit (limit, offset) {
    // SQLite allows an offset only after a limit; -1 is no limit.
    const first = sql`limit ${limit === undefined ? sql`-1` : unseen(limit)}`
    return sql`${first}${offset === undefined ? sql`` : sql` offset ${unseen(offset)}`}`
  },
  // A transaction already holds the lock of the whole database.
  lock: () => sql``,
  encode: (column, { kind }) => sqliteKind(kind).encode(column),
  fetch: (column, columnType) => fetched(column, columnType, () => true),
  decoder,
  writer: sqliteWriter,
  endsLongReads: true,
  fetchesPages: false,
  toColumn,
  // With the affinity of a key: a join table may hold `01` as text, which SQLite compares with an integer key as 1.
  toJoinColumn: (slot, columnType) => storedOf(columnType) === 'integers'
    ? sql`cast(${sql.val(slot)} as integer)`
    : operand(slot, columnType, false),
  givenKey: () => sql``,
  bind: bindValue
}

export const dialectOf = (driver: SqliteDriver): Dialect => ({
  ...sqliteDialect,
  fetch: (column, columnType) => fetched(column, columnType, () => cutsTexts(driver))
})

const cutsTexts = memoize((driver: SqliteDriver): boolean => {
  const { text } = driver.prepare("select 'a' || char(0) || 'b' as text").get() as { readonly text: string }
  return text.length < 3
})

/**
 * Hides a parameter's value from SQLite's planner. Otherwise, where the planner has statistics, and for a limit from
 * SQLite 3.50 on, it plans for the value, and prepares the whole statement again whenever another value is bound: 20 to
 * 120 us a request, where the request itself takes 10.
 */
const unseen = (parameter: Sql) => sql`+${parameter}`

/** Returns the parameter of a value that is compared. `textual`: see isTextual(). */
function operand (slot: Slot, { kind, type }: ColumnType, textual: boolean): Sql {
  const value = sql.val(slot)
  if (kind === 'number' && !textual) return numberOfText(value, type)
  return kind === 'decimal' ? call('data_api_decimal_key', value) : unseen(sql`${value}`)
}

/**
 * Returns the number of a value that may be bound as text (bindNumber). A column that holds whole numbers as integers
 * is compared with an integer: a double may have other digits than those that JavaScript writes of it.
 */
const numberOfText = (value: Sql, type: string) =>
  /^(int|numeric)/i.test(type) ? sql`cast(${value} as numeric)` : sql`cast(${value} as real)`

/** Returns the parameter of a value that is stored. */
function toColumn (slot: Slot, { kind, type }: ColumnType): Sql {
  const value = sql.val(slot)
  if (kind === 'number') return sql`cast(${value} as real)`
  return kind === 'date-time' ? storeTimestamp(value, type) : unseen(sql`${value}`)
}

/** Returns an element of json_each() as it is compared. */
function elementOf ({ kind, type }: ColumnType): Sql {
  const value = sql`value`
  if (kind === 'number') return sql`iif(typeof(${value}) = 'text', ${numberOfText(value, type)}, ${value})`
  // @photostructure/sqlite takes no bytes, returned by a function, for null.
  if (kind === 'byte') return sql`case ${value} when '' then x'' else ${call('data_api_bytes', value)} end`
  return kind === 'decimal' ? call('data_api_decimal_key', value) : value
}

/** Values that are compared as they are stored. */
const compared: ReadonlySet<StoredAs> = new Set(['integers', 'numbers', 'flags', 'bytes'])

/** Returns true for a column whose filters compare it as it is stored. */
const isAsStored = (columnType: ColumnType) => compared.has(storedOf(columnType)) ||
  (storedOf(columnType) === 'texts' && !holdsTies(columnType))

const storedOf = ({ kind }: ColumnType): StoredAs => sqliteKind(kind).stored

function comparable (column: Sql, { kind, type }: ColumnType): Sql {
  if (compared.has(sqliteKind(kind).stored)) return column
  if (kind === 'decimal') return call('data_api_decimal_key', decimalText(column))
  if (kind === 'mixed') return call('data_api_mixed_text', mixedText(column))
  if (kind === 'date-time' && isIntegerType(type)) return column
  if (kind === 'date-time' && (type === '' || !isTextType(type))) return timestamp(column)
  // SQLite 3.53.4 serves no `or` by an index where a collation is named, not even the column's own.
  if (isBinaryText(type)) return column
  if (holdsTies({ kind, type })) return sql`(${shownText(column)} || ${tieBreaker(column)}) collate binary`
  // A column may be declared with another collation, and one that is not of text may hold numbers.
  return isTextType(type) ? sql`${column} collate binary` : shownText(column)
}

const shownText = (column: Sql) => sql`cast(${column} as text) collate binary`

/** Orders the values of one text by their types, behind the text itself and before all longer ones. */
const tieBreaker = (column: Sql) =>
  sql`case typeof(${column}) when 'text' then '' else char(0) || typeof(${column}) end`

function position (column: Sql, columnType: ColumnType): PositionSql | undefined {
  const isPlain = plainTexts(column, columnType)
  if (hasStoredForm(columnType)) {
    const isNone = isPlain && sql`(${isPlain} and ${isCanonical(column)})`
    return { sql: timestampPosition(column, columnType), isNone }
  }
  const mistyped = mistypedPosition(column, columnType)
  return mistyped && { sql: mistyped, isNone: isPlain }
}

/** Returns true for timestamps that are ordered by their texts or numbers as they are stored. */
const hasStoredForm = ({ kind, type }: ColumnType) =>
  kind === 'date-time' && type !== '' && (isTextType(type) || isIntegerType(type))

/** Returns a number, or a text in the form in which it is stored. A driver throws for an integer beyond 2^53. */
const timestampPosition = (column: Sql, columnType: ColumnType): Sql => sql`case typeof(${column})
  when 'integer' then case when ${isSafe(column)} then ${column} else cast(${column} as text) end
  when 'real' then char(1, 110) || quote(${column})
  else coalesce(${mistypedPosition(column, columnType) ?? sql`null`}, ${column}) end`

function filtered (column: Sql, columnType: ColumnType): Sql {
  if (holdsTies(columnType)) return shownText(column)
  return columnType.kind === 'date-time' ? timestamp(column) : comparable(column, columnType)
}

function bindValue (value: Value): unknown {
  if (isTyped(value)) return bindTyped(value)
  if (typeof value === 'boolean') return BigInt(value)
  if (typeof value === 'number') return bindNumber(value)
  if (typeof value !== 'object' || value === null) return value
  return `[${value.map(one => typeof one === 'string' ? JSON.stringify(one) : elementOfNumbers(Number(one))).join()}]`
}

function bindTyped ({ kind, text }: TypedValue): unknown {
  const { bind, element } = sqliteKind(kind)
  return typeof text === 'object' ? `[${text.flatMap(element).join(',')}]` : bind(text)
}
