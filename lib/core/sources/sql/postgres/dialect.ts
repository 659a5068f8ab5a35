import { loadKysely, sql } from '../load-kysely.ts'
import { showInteger } from '../../../model/numbers.ts'
import type { ColumnType, Dialect, Sql } from '../statements/dialect.ts'
import { readInteger, readNumber } from '../statements/exact-numbers.ts'
import { parseScalar, parseText } from '../statements/parse-json.ts'
import { isTyped, type Slot } from '../statements/slots.ts'
import { decodeArray, elementOf, isArray, storeArray } from './arrays.ts'
import { capitals } from './capitals.ts'
import { indexConditionOf, numericOf } from './inexact.ts'
import {
  byCodePoint, type Form, formOf, forms, isJson, isLossy, isPadded, numberMember, text, textForm
} from './forms.ts'
import { postgresWriter } from './json.ts'
import { bucket, extreme, sum } from './sums.ts'

/**
 * The dialect of PostgreSQL, from version 14. The SQL for a column depends on the column's type, so that indexes serve
 * it.
 */
export const postgresDialect: Dialect = {
  makeCompiler: () => new (loadKysely().PostgresQueryCompiler)(),
  comparable: (column, columnType) => formOf(columnType).comparable(column),
  filtered,
  indexCondition (column, operator, slot, columnType, textual) {
    const { inexact } = formOf(columnType)
    const value = operand(slot, columnType)
    if (inexact !== undefined) return indexConditionOf(column, operator, inexact.ends(value))
    const nearest = sql`(${value})::double precision`
    if (!textual || !isDouble(columnType)) return undefined
    return indexConditionOf(column, operator, { low: nearest, high: nearest })
  },
  jsonNullAsNull: (column, columnType) => formOf(columnType).jsonNullAsNull?.(column) ?? column,
  isLossy,
  // A field of several types shows the text `1` as the number.
  isInjective: columnType => columnType.kind !== 'mixed' && !isLossy(columnType),
  groups: columnType => ({
    condition: () => undefined,
    encode: value => encodeGroup(value, columnType),
    decode: encoded => columnType.kind === 'mixed' ? encoded : decode(encoded, columnType)
  }),
  sum: (column, columnType, call) => sum({ column, filtered: filtered(column, columnType, false) }, columnType, call),
  bucket,
  extreme,
  position (column, columnType) {
    const position = formOf(columnType).inexact?.position?.(column)
    return position && { sql: position }
  },
  storedOperand: (slot, columnType, textual) => textual
    ? sql`${numericText(sql`${sql.val(slot)}`)}::${sql.raw(storedType(columnType))}`
    : isInexactNumber(columnType)
      ? sql`${sql.val(slot)}::${sql.raw(storedType(columnType))}`
      : operand(slot, columnType),
  // A column of text stays as it is, so that an index can serve it.
  asShown: (column, { kind, type }) =>
    kind === 'string' && textForm(type) !== forms.text ? textForm(type).fetch(column) : column,
  operand,
  among: (column, slot, columnType, textual) =>
    sql`${filtered(column, columnType, textual)} = any(${castList(sql`${sql.val(slot)}`, columnType, textual)})`,
  // By code point: the collation of a column may ignore case, or not allow searches at all.
  textTests: {
    starts_with: (column, slot) => sql`starts_with(${byCodePoint(column)}, ${text(sql`${sql.val(slot)}`)})`,
    ends_with (column, slot) {
      const end = text(sql`${sql.val(slot)}`)
      return sql`right(${byCodePoint(column)}, length(${end})) = ${end}`
    },
    contains: (column, slot) => sql`strpos(${byCodePoint(column)}, ${text(sql`${sql.val(slot)}`)}) > 0`
  },
  foldCase (column) {
    const isAscii = sql`octet_length(${text(column)}) = length(${text(column)})`
    const lower = sql`lower(${text(column)} collate "C")`
    // Other characters are mapped one by one: for them, lower() depends on the server's version and libraries.
    const mapped = sql`translate(${byCodePoint(column)}, ${sql.lit(capitals().from)}, ${sql.lit(capitals().to)})`
    return sql`case when ${isAscii} then ${lower} else ${mapped} end`
  },
  clocked: conditions => conditions,
  within,
  limit (limit, offset) {
    const first = limit === undefined ? sql`` : sql`limit ${limit}`
    return sql`${first}${offset === undefined ? sql`` : sql` offset ${offset}`}`
  },
  lock: () => sql` for update`,
  encode: (column, columnType) => formOf(columnType).fetch(column),
  writer: postgresWriter,
  endsLongReads: true,
  fetchesPages: true,
  fetch: (column, columnType) => formOf(columnType).fetch(column),
  decoder: decoderOf,
  toColumn: (slot, columnType) => toColumn(sql`${sql.val(slot)}`, columnType),
  toJoinColumn (slot, columnType) {
    const { kind, type } = columnType
    if (kind === 'string' && !comparesText.test(type)) return sql`${text(sql`${sql.val(slot)}`)}::${sql.raw(type)}`
    const value = operand(slot, columnType)
    return type === 'real' ? sql`(${value})::real` : value
  },
  manyRows (rows, types) {
    const columns = types.map((columnType, index) => {
      const name = sql.id(`c${index}`)
      const value = toColumn(name, columnType)
      return { value, declared: sql`${name} ${value === name ? sql.raw(columnType.type) : sql`text`}` }
    })
    const declared = sql.join(columns.map(one => one.declared))
    const values = sql.join(columns.map(one => one.value))
    return sql`select ${values} from json_to_recordset(${sql.val(rows)}::text::json) as "(rows)" (${declared})`
  },
  // The URL of an upsert may give a key even where the column is `generated always`.
  givenKey: () => sql` overriding system value`,
  bind (value) {
    const scalar = isTyped(value) ? value.text : value
    if (typeof scalar === 'object' && scalar !== null) return scalar.map(String)
    return isTyped(value) ? String(scalar) : scalar
  }
}

/**
 * The same dialect for the drivers of applications, which hold all rows of a result before they can be measured, and
 * whose parsers of types would change values: that of `bigint` often makes a number of it.
 */
export const bufferedDialect: Dialect = {
  ...postgresDialect,
  endsLongReads: false,
  fetch (column, columnType) {
    const fetched = formOf(columnType).fetch(column)
    return isParsed(columnType) ? text(fetched) : fetched
  }
}

const isParsed = ({ kind, type }: ColumnType) =>
  kind === 'boolean' || ((kind === 'integer' || kind === 'number') && type !== 'integer' && type !== 'smallint')

/** Returns the select of one row without a text that would take more memory here than the answer may. */
function within (select: Sql, columns: readonly string[], longest: number): Sql {
  if (longest === Infinity) return select
  const rows = sql.id('rows')
  // A character has up to three bytes; the fourth is for the row that is read ahead, and for carried values.
  const short = sql`case when octet_length(${rows}) <= ${sql.lit(4 * longest)} then ${rows} end as ${rows}`
  const outputs = columns.map(name => name === 'rows' ? short : sql.id(name))
  // With an offset the server does not merge the selects, and makes the text once.
  return sql`select ${sql.join(outputs)} from (${select} offset 0) as ${sql.id('(answer)')}`
}

function encodeGroup (value: Sql, columnType: ColumnType): Sql {
  // Equal decimals have different texts, with and without zeros at their ends, and so have padded texts.
  if (columnType.kind === 'decimal') return sql`trim_scale(${value})::text`
  if (isPadded(columnType.type)) return formOf(columnType).encode(sql`${value}::${sql.raw(columnType.type)}`)
  return isAsCompared(columnType) ? value : formOf(columnType).encode(value)
}

/** The types whose columns PostgreSQL compares with texts; also the name of an unknown one. */
const comparesText = /^(?:$|text|character|citext|name$)/

const isInexactNumber = (columnType: ColumnType) => formOf(columnType).inexact?.shownType === 'double precision'

/** Returns true for a field whose groups are encoded as they are compared. */
const isAsCompared = (columnType: ColumnType) =>
  isText(columnType) || columnType.kind === 'mixed' || isInexactNumber(columnType)

/** Returns true for a field of plain text, whose values are compared as they are shown. */
const isText = ({ kind }: ColumnType) => kind === 'string'

function filtered (column: Sql, columnType: ColumnType, textual: boolean): Sql {
  const { comparable, inexact } = formOf(columnType)
  const shown = inexact === undefined ? comparable(column) : inexact.toShown(column)
  return textual && isDouble(columnType) ? numericOf(shown) : shown
}

/** Returns true for a column whose filters compare doubles, to which the cast of an integer may round it. */
const isDouble = (columnType: ColumnType) =>
  columnType.type === 'double precision' || filteredType(formOf(columnType)) === 'double precision'

function operand (slot: Slot, columnType: ColumnType, textual = false): Sql {
  const form = formOf(columnType)
  const value = sql`${sql.val(slot)}`
  if (textual && isDouble(columnType)) return sql`${value}::text::numeric`
  return form.operand?.(value) ?? sql`${value}::${sql.raw(filteredType(form))}`
}

const filteredType = ({ type, inexact }: Form) => inexact?.shownType ?? type

const storedType = (columnType: ColumnType) => formOf(columnType).inexact?.type ?? formOf(columnType).type

/** Returns null for a text that is no number. A cursor that a client made may hold one, and a cast of it would fail. */
const numericText = (value: Sql) =>
  sql`(case when ${value}::text ~ '^(-?[0-9]+([.][0-9]+)?(e[-+][0-9]+)?|NaN|-?Infinity)$' then ${value}::text end)`

// By way of an array of texts, which every driver can send.
function castList (value: Sql, columnType: ColumnType, textual: boolean): Sql {
  const form = formOf(columnType)
  if (textual && isDouble(columnType)) return sql`${value}::text[]::numeric[]`
  const element = sql.id('element')
  return form.operand === undefined
    ? sql`${value}::text[]::${sql.raw(filteredType(form))}[]`
    : sql`array(select ${form.operand(element)} from unnest(${value}::text[]) as ${element})`
}

/** Returns the value of an encoded one. */
function decode (encoded: unknown, columnType: ColumnType): unknown {
  const { kind, type } = columnType
  if (kind === 'json' && isArray(type)) {
    const element = elementOf(columnType)
    return decodeArray(encoded, element, value => decode(value, element))
  }
  if (kind === 'number' && type.startsWith('numeric')) return nearest(encoded)
  if (kind === 'integer') return decodeInteger(encoded)
  if (kind === 'number') {
    return typeof encoded === 'number' ? encoded + 0 : encoded === null ? null : readNumber(String(encoded))
  }
  if (kind === 'mixed' && typeof encoded === 'object' && encoded !== null && numberMember in encoded) {
    return parseScalar(String(encoded[numberMember]))
  }
  // A column of type json or jsonb gives JSON values. JSON in a column of text arrives as a string.
  if (typeof encoded !== 'string' || isJson(type)) return encoded
  return kind === 'json' ? parseText(encoded) : kind === 'mixed' ? parseScalar(encoded) : encoded
}

/** A driver gives a double as a number, and an integer that a double may not hold as text. */
function decodeInteger (value: unknown): number | string | null {
  if (typeof value === 'number') return showInteger(value)
  return value === null ? null : readInteger(String(value))
}

/** Returns the decoder of a column's fetched values, which some drivers give as texts and others as values. */
function decoderOf (columnType: ColumnType): (value: unknown) => unknown {
  switch (columnType.kind) {
    case 'integer': return decodeInteger
    case 'number': {
      const read = columnType.type.startsWith('numeric') ? nearest : exact
      return value => typeof value === 'number' && Number.isFinite(value) ? value + 0 : read(value)
    }
    case 'boolean': return value => value === null ? null : value === true || value === 't' || value === 'true'
    case 'mixed':
    case 'json': return value => value === null ? null : decode(JSON.parse(String(value)), columnType)
    case 'date': return columnType.type === 'date'
      ? value => value === null ? null : dayOf(Number(value))
      : value => value
    default: return value => value
  }
}

/**
 * Returns the date of a number of days since 1970-01-01. Cached: a few dates come often, and a Date is slow to make.
 */
function dayOf (days: number): string {
  const cached = cachedDays.get(days)
  if (cached !== undefined) return cached
  if (cachedDays.size >= maxDays) cachedDays.clear()
  const day = formatDay(days)
  cachedDays.set(days, day)
  return day
}

/** Returns a date as PostgreSQL writes it: `0044-03-15 BC`, `12024-01-01`, `infinity`. */
function formatDay (days: number): string {
  if (days === 2147483647) return 'infinity'
  if (days === -2147483648) return '-infinity'
  // The calendar repeats itself every 400 years, and Date does not reach as far as PostgreSQL.
  const eras = Math.floor((days - firstDay) / daysOfEra)
  const date = new Date((days - eras * daysOfEra) * 86_400_000)
  const year = date.getUTCFullYear() + eras * 400
  const day = `${String(year > 0 ? year : 1 - year).padStart(4, '0')}${date.toISOString().slice(4, 10)}`
  return year > 0 ? day : `${day} BC`
}

const daysOfEra = 146_097
// 2000-01-01: the days of the 400 years from then on are those of all eras.
const firstDay = 10_957

const cachedDays = new Map<number, string>()
// The days of a hundred years.
const maxDays = 36_525

const exact = (value: unknown) => value === null ? null : readNumber(String(value))

/** Returns the nearest double of a `numeric`, as a field of type Number shows it. */
function nearest (value: unknown): number | string | null {
  if (value === null) return null
  const number = Number(value)
  return Number.isFinite(number) ? number + 0 : String(number)
}

function toColumn (value: Sql, columnType: ColumnType): Sql {
  const { kind, type } = columnType
  // Bound as text: some drivers would encode JSON text as JSON once more.
  const json = sql`${value}::text::json`
  if (isArray(type)) {
    const element = elementOf(columnType)
    return storeArray(json, type, text => toColumn(text, element))
  }
  if (kind === 'byte' && type === 'bytea') return sql`decode(${value}::text, 'base64')`
  if (/^(date|timestamp)/.test(type)) return sql`${value}::text::${sql.raw(type)}`
  return (kind === 'json' || kind === 'mixed') && isJson(type) ? sql`${value}::text::${sql.raw(type)}` : value
}
