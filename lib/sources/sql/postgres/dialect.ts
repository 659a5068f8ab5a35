import { PostgresQueryCompiler, sql } from 'kysely'
import { foldCase } from '../../fold-case.ts'
import type { ColumnType } from '../statements/columns.ts'
import type { Dialect, Sql } from '../statements/dialect.ts'
import { formOf, forms, isJson, text, textForm } from './forms.ts'
import { postgresWriter } from './json.ts'

/** PostgreSQL, from 14. What is said of a column depends on its type, so that an index can serve it. */
export const postgresDialect: Dialect = {
  compiler: new PostgresQueryCompiler(),
  comparable: (column, held) => formOf(held).comparable(column),
  // Plain text is left as it is, so that an index can serve it.
  asShown: (column, { kind, type }) => kind === 'string' && textForm(type) !== forms.text ? textForm(type).fetch(column) : column,
  operand: (slot, held) => cast(sql`${sql.val(slot)}`, held),
  among: (column, slot, held) => sql`${postgresDialect.comparable(column, held)} = any(${castList(sql`${sql.val(slot)}`, held)})`,
  startsWith: (column, slot) => sql`starts_with(${text(column)}, ${text(sql`${sql.val(slot)}`)})`,
  endsWith: (column, slot) => sql`right(${text(column)}, length(${text(sql`${sql.val(slot)}`)})) = ${text(sql`${sql.val(slot)}`)}`,
  contains: (column, slot) => sql`strpos(${text(column)}, ${text(sql`${sql.val(slot)}`)}) > 0`,
  // What is not ASCII is mapped one by one: what lower() does depends on the server's version and libraries.
  foldCase: column => sql`case when octet_length(${text(column)}) = length(${text(column)}) then lower(${text(column)} collate "C") else translate(${text(column)}, ${sql.lit(capitals.from)}, ${sql.lit(capitals.to)}) end`,
  limit: (limit, offset) => sql`${limit === undefined ? sql`` : sql`limit ${limit}`}${offset === undefined ? sql`` : sql` offset ${offset}`}`,
  lock: sql` for update`,
  row: values => sql`json_build_array(${sql.join(values)})`,
  collect: row => sql`coalesce(json_agg(${row}), '[]')`,
  asText: json => sql`(${json})::text`,
  encode: (column, held) => formOf(held).encode(column),
  decode,
  writer: postgresWriter,
  fetchesPages: true,
  fetch: (column, held) => formOf(held).fetch(column),
  fetched,
  store: (slot, held) => store(sql`${sql.val(slot)}`, held),
  // A key that is generated always may still be given by the URL of an upsert.
  givenKey: sql` overriding system value`,
  bind: value => typeof value === 'object' && value !== null ? value.map(String) : value
}

const cast = (value: Sql, held: ColumnType) => sql`${value}::${sql.raw(formOf(held).type)}`
// Of texts, which every driver knows how to send.
const castList = (value: Sql, held: ColumnType) => sql`${value}::text[]::${sql.raw(formOf(held).type)}[]`

/** JSON's own types are what is wanted; what it has no word for, such as NaN, comes as text. */
function decode (encoded: unknown, { kind, type }: ColumnType): unknown {
  if (kind === 'integer' || kind === 'number') return typeof encoded === 'number' ? encoded + 0 : null
  // A column of JSON has given JSON's own types.
  return kind === 'json' && typeof encoded === 'string' && !isJson(type) ? parseText(encoded) : encoded
}

/** Drivers give text, or what they make of it. */
function fetched (held: ColumnType): (value: unknown) => unknown {
  switch (held.kind) {
    case 'integer':
    case 'number': return value => value === null ? null : finite(Number(value))
    case 'boolean': return value => value === null ? null : value === true || value === 't'
    case 'json': return value => value === null ? null : decode(JSON.parse(String(value)), held)
    case 'date': return held.type === 'date' ? value => value === null ? null : dayOf(Number(value)) : value => value
    default: return value => value
  }
}

/** Dates come again and again, and a calendar takes its time. */
function dayOf (days: number): string {
  const known = knownDays.get(days)
  if (known !== undefined) return known
  if (knownDays.size >= mostDays) knownDays.clear()
  const day = new Date(days * 86_400_000).toISOString().slice(0, 10)
  knownDays.set(days, day)
  return day
}

const knownDays = new Map<number, string>()
// Those of a hundred years.
const mostDays = 36_525

const finite = (value: number) => Number.isFinite(value) ? value + 0 : null

/** JSON in a column of text. */
function parseText (encoded: string): unknown {
  try {
    return JSON.parse(encoded)
  } catch {
    return encoded
  }
}

function store (value: Sql, { kind, type }: ColumnType): Sql {
  // Bound as text: some drivers would make JSON of what is JSON already.
  const json = sql`${value}::text::json`
  if (type.endsWith('[]')) return storeArray(json, type)
  return kind === 'json' && isJson(type) ? sql`${value}::text::${sql.raw(type)}` : value
}

/** An array of scalars, out of the JSON that fields without an order of their own are bound as. */
const storeArray = (json: Sql, type: string) => sql`case when ${json} is not null then array(select element from json_array_elements_text(${json}) with ordinality as elements(element, place) order by place)::${sql.raw(type)} end`

/** The characters that foldCase() maps, and what to. */
const capitals = findCapitals()

function findCapitals (): { readonly from: string, readonly to: string } {
  let from = ''
  let to = ''
  for (let code = 1; code <= 0x1ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    const folded = foldCase(character)
    if (folded === character) continue
    from += character
    to += folded
  }
  return { from, to }
}
