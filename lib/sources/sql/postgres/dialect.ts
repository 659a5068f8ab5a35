import { loadKysely, sql } from '../load-kysely.ts'
import { foldCase } from '../../fold-case.ts'
import type { ColumnType } from '../statements/columns.ts'
import type { Dialect, Sql } from '../statements/dialect.ts'
import { formOf, forms, isJson, text, textForm } from './forms.ts'
import { postgresWriter } from './json.ts'

/**
 * The dialect of PostgreSQL, from version 14. The SQL for a column depends on the column's type, so that indexes serve
 * it.
 */
export const postgresDialect: Dialect = {
  makeCompiler: () => new (loadKysely().PostgresQueryCompiler)(),
  comparable: (column, columnType) => formOf(columnType).comparable(column),
  // A column of text stays as it is, so that an index can serve it.
  asShown: (column, { kind, type }) =>
    kind === 'string' && textForm(type) !== forms.text ? textForm(type).fetch(column) : column,
  operand: (slot, columnType) => cast(sql`${sql.val(slot)}`, columnType),
  among: (column, slot, columnType) =>
    sql`${postgresDialect.comparable(column, columnType)} = any(${castList(sql`${sql.val(slot)}`, columnType)})`,
  startsWith: (column, slot) => sql`starts_with(${text(column)}, ${text(sql`${sql.val(slot)}`)})`,
  endsWith (column, slot) {
    const end = text(sql`${sql.val(slot)}`)
    return sql`right(${text(column)}, length(${end})) = ${end}`
  },
  contains: (column, slot) => sql`strpos(${text(column)}, ${text(sql`${sql.val(slot)}`)}) > 0`,
  foldCase (column) {
    const isAscii = sql`octet_length(${text(column)}) = length(${text(column)})`
    const lower = sql`lower(${text(column)} collate "C")`
    // Other characters are mapped one by one: for them, lower() depends on the server's version and libraries.
    const mapped = sql`translate(${text(column)}, ${sql.lit(capitals().from)}, ${sql.lit(capitals().to)})`
    return sql`case when ${isAscii} then ${lower} else ${mapped} end`
  },
  clocked: conditions => conditions,
  limit (limit, offset) {
    const first = limit === undefined ? sql`` : sql`limit ${limit}`
    return sql`${first}${offset === undefined ? sql`` : sql` offset ${offset}`}`
  },
  lock: () => sql` for update`,
  row: values => sql`json_build_array(${sql.join(values)})`,
  collect: row => sql`coalesce(json_agg(${row}), '[]')`,
  asText: json => sql`(${json})::text`,
  encode: (column, columnType) => formOf(columnType).encode(column),
  decode,
  writer: postgresWriter,
  fetchesPages: true,
  fetch: (column, columnType) => formOf(columnType).fetch(column),
  decoder: decoderOf,
  toColumn: (slot, columnType) => toColumn(sql`${sql.val(slot)}`, columnType),
  // The URL of an upsert may give a key even where the column is `generated always`.
  givenKey: () => sql` overriding system value`,
  bind: value => typeof value === 'object' && value !== null ? value.map(String) : value
}

const cast = (value: Sql, columnType: ColumnType) => sql`${value}::${sql.raw(formOf(columnType).type)}`

// By way of an array of texts, which every driver can send.
const castList = (value: Sql, columnType: ColumnType) => sql`${value}::text[]::${sql.raw(formOf(columnType).type)}[]`

/**
 * Returns the value of an encoded one; null for a number that JSON does not have, such as NaN, which arrives as text.
 */
function decode (encoded: unknown, { kind, type }: ColumnType): unknown {
  if (kind === 'integer' || kind === 'number') return typeof encoded === 'number' ? encoded + 0 : null
  // A column of type json or jsonb gives JSON values. JSON in a column of text arrives as a string.
  return kind === 'json' && typeof encoded === 'string' && !isJson(type) ? parseText(encoded) : encoded
}

/** Returns the decoder of a column's fetched values, which some drivers give as texts and others as values. */
function decoderOf (columnType: ColumnType): (value: unknown) => unknown {
  switch (columnType.kind) {
    case 'integer':
    case 'number': return value => value === null ? null : finite(Number(value))
    case 'boolean': return value => value === null ? null : value === true || value === 't'
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
  const day = new Date(days * 86_400_000).toISOString().slice(0, 10)
  cachedDays.set(days, day)
  return day
}

const cachedDays = new Map<number, string>()
// The days of a hundred years.
const maxDays = 36_525

const finite = (value: number) => Number.isFinite(value) ? value + 0 : null

/** Returns the value of JSON in a column of text; the text itself where it is not JSON. */
function parseText (encoded: string): unknown {
  try {
    return JSON.parse(encoded)
  } catch {
    return encoded
  }
}

function toColumn (value: Sql, { kind, type }: ColumnType): Sql {
  // Bound as text: some drivers would encode JSON text as JSON once more.
  const json = sql`${value}::text::json`
  if (type.endsWith('[]')) return storeArray(json, type)
  return kind === 'json' && isJson(type) ? sql`${value}::text::${sql.raw(type)}` : value
}

/**
 * Returns an array of scalars from JSON: the field of such a column is of kind `json`, and its values are bound as
 * JSON.
 */
function storeArray (json: Sql, type: string): Sql {
  const elements = sql`json_array_elements_text(${json}) with ordinality as elements(element, place)`
  const array = sql`array(select element from ${elements} order by place)`
  return sql`case when ${json} is not null then ${array}::${sql.raw(type)} end`
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
