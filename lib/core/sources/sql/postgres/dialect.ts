import { loadKysely, sql } from '../load-kysely.ts'
import type { ColumnType, Dialect, Sql } from '../statements/dialect.ts'
import { isTyped, type Slot } from '../statements/slots.ts'
import { elementOf, isArray, storeArray } from './arrays.ts'
import { indexConditionOf, numericOf } from './inexact.ts'
import { decode } from './decoders.ts'
import { byCodePoint, type ColumnCodec, codecs, isJson, isPadded, text, textCodec } from './codecs.ts'
import { postgresWriter } from './json.ts'
import { columnCodec, isLossy, postgresKind } from './kinds.ts'
import { sum } from './sums.ts'
import { foldCase } from '../../fold-case.ts'
import type { TimeUnit } from '../../../plan/time-units.ts'

/**
 * The dialect of PostgreSQL, from version 14. The SQL for a column depends on the column's type, so that indexes serve
 * it.
 */
export const postgresDialect: Dialect = {
  makeCompiler: () => new (loadKysely().PostgresQueryCompiler)(),
  comparable: (column, columnType) => columnCodec(columnType).comparable(column),
  filtered,
  indexCondition (column, operator, slot, columnType, textual) {
    const { inexact } = columnCodec(columnType)
    const value = operand(slot, columnType)
    if (inexact !== undefined) return indexConditionOf(column, operator, inexact.ends(value))
    const nearest = sql`(${value})::double precision`
    if (!textual || !isDouble(columnType)) return undefined
    return indexConditionOf(column, operator, { low: nearest, high: nearest })
  },
  jsonNullAsNull: (column, columnType) => columnCodec(columnType).jsonNullAsNull?.(column) ?? column,
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
    const position = columnCodec(columnType).inexact?.position?.(column)
    return position && { sql: position }
  },
  storedOperand: (slot, columnType, textual) => textual
    ? sql`${numericText(sql`${sql.val(slot)}`)}::${sql.raw(storedType(columnType))}`
    : isInexactNumber(columnType)
      ? sql`${sql.val(slot)}::${sql.raw(storedType(columnType))}`
      : operand(slot, columnType),
  // A column of text stays as it is, so that an index can serve it.
  asShown: (column, { kind, type }) =>
    kind === 'string' && textCodec(type) !== codecs.text ? textCodec(type).fetch(column) : column,
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
  encode: (column, columnType) => columnCodec(columnType).fetch(column),
  writer: postgresWriter,
  endsLongReads: true,
  fetchesPages: true,
  fetch: (column, columnType) => columnCodec(columnType).fetch(column),
  decoder (columnType) {
    const { decode } = postgresKind(columnType.kind)
    return value => decode(value, columnType)
  },
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
    const fetched = columnCodec(columnType).fetch(column)
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
  if (isPadded(columnType.type)) return columnCodec(columnType).encode(sql`${value}::${sql.raw(columnType.type)}`)
  return isAsCompared(columnType) ? value : columnCodec(columnType).encode(value)
}

/** The types whose columns PostgreSQL compares with texts; also the name of an unknown one. */
const comparesText = /^(?:$|text|character|citext|name$)/

const isInexactNumber = (columnType: ColumnType) => columnCodec(columnType).inexact?.shownType === 'double precision'

/** Returns true for a field whose groups are encoded as they are compared. */
const isAsCompared = (columnType: ColumnType) =>
  isText(columnType) || columnType.kind === 'mixed' || isInexactNumber(columnType)

/** Returns true for a field of plain text, whose values are compared as they are shown. */
const isText = ({ kind }: ColumnType) => kind === 'string'

function filtered (column: Sql, columnType: ColumnType, textual: boolean): Sql {
  const { comparable, inexact } = columnCodec(columnType)
  const shown = inexact === undefined ? comparable(column) : inexact.toShown(column)
  return textual && isDouble(columnType) ? numericOf(shown) : shown
}

/** Returns true for a column whose filters compare doubles, to which the cast of an integer may round it. */
const isDouble = (columnType: ColumnType) =>
  columnType.type === 'double precision' || filteredType(columnCodec(columnType)) === 'double precision'

function operand (slot: Slot, columnType: ColumnType, textual = false): Sql {
  const codec = columnCodec(columnType)
  const value = sql`${sql.val(slot)}`
  if (textual && isDouble(columnType)) return sql`${value}::text::numeric`
  return codec.operand?.(value) ?? sql`${value}::${sql.raw(filteredType(codec))}`
}

const filteredType = ({ type, inexact }: ColumnCodec) => inexact?.shownType ?? type

const storedType = (columnType: ColumnType) => columnCodec(columnType).inexact?.type ?? columnCodec(columnType).type

/** Returns null for a text that is no number. A cursor that a client made may hold one, and a cast of it would fail. */
const numericText = (value: Sql) =>
  sql`(case when ${value}::text ~ '^(-?[0-9]+([.][0-9]+)?(e[-+][0-9]+)?|NaN|-?Infinity)$' then ${value}::text end)`

// By way of an array of texts, which every driver can send.
function castList (value: Sql, columnType: ColumnType, textual: boolean): Sql {
  const codec = columnCodec(columnType)
  if (textual && isDouble(columnType)) return sql`${value}::text[]::numeric[]`
  const element = sql.id('element')
  return codec.operand === undefined
    ? sql`${value}::text[]::${sql.raw(filteredType(codec))}[]`
    : sql`array(select ${codec.operand(element)} from unnest(${value}::text[]) as ${element})`
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

interface Capitals { readonly from: string, readonly to: string }

let foundCapitals: Capitals | undefined

/** Returns the characters that foldCase() changes, and the characters that it gives for them. */
function capitals (): Capitals {
  // Found at the first use, because it takes 40 ms.
  foundCapitals ??= findCapitals()
  return foundCapitals
}

function findCapitals (): Capitals {
  let from = ''
  let to = ''
  for (let code = 1; code <= 0x1ffff; code++) {
    // Surrogates are no characters.
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    const folded = foldCase(character)
    if (folded === character) continue
    from += character
    to += folded
  }
  return { from, to }
}

/** The aggregates min() and max() of PostgreSQL before 18 take neither UUIDs nor bytes. */
function extreme (call: 'min' | 'max', value: Sql, columnType: ColumnType): Sql {
  const name = sql.raw(call)
  switch (columnCodec(columnType).type) {
    case 'uuid': return sql`${name}((${value})::text collate "C")::uuid`
    case 'bytea': return sql`decode(${name}(encode(${value}, 'hex') collate "C"), 'hex')`
    default: return sql`${name}(${value})`
  }
}

/** Returns the beginning of the unit of time that a day or timestamp is in (Dialect.bucket). */
function bucket (value: Sql, columnType: ColumnType, unit: TimeUnit) {
  const inZone = columnCodec(columnType).type === 'timestamptz'
  const local = inZone ? sql`(${value}) at time zone 'UTC'` : sql`(${value})::timestamp`
  const isWhole = sql`${local} >= '0001-01-01' and ${local} < '10000-01-01'`
  const start = sql`(case when ${isWhole} then date_trunc(${sql.lit(unit)}, ${local}) else ${local} end)`
  return unit === 'hour'
    ? { sql: start, type: { kind: 'date-time', type: 'timestamp(3) without time zone', nullable: true } as const }
    : { sql: sql`${start}::date`, type: { kind: 'date', type: 'date', nullable: true } as const }
}
