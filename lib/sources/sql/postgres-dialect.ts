import { PostgresQueryCompiler, sql } from 'kysely'
import type { ValueKind } from '../../model/values.ts'
import { foldCase } from '../fold-case.ts'
import type { Held } from './columns.ts'
import type { Dialect, Sql } from './dialect.ts'

/** PostgreSQL, from 14. What is said of a column depends on its type, so that an index can serve it. */
export const postgresDialect: Dialect = {
  compiler: new PostgresQueryCompiler(),
  comparable: (column, held) => comparables[formOf(held)](column),
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
  encode: (column, held) => encoders[formOf(held)](column),
  decode: (encoded, { kind }) => decode(encoded, kind),
  store: (slot, held) => held.type.endsWith('[]') ? storeArray(sql`${sql.val(slot)}`, held.type) : sql`${sql.val(slot)}`,
  // A key that is generated always may still be given by the URL of an upsert.
  givenKey: sql` overriding system value`,
  bind: value => value
}

/** How values are compared and encoded: by their kind, unless the column's own type asks for something else. */
type Form = ValueKind | 'uuid-text' | 'date-text' | 'time-text' | 'timestamptz' | 'timestamptz-millis' | 'timestamp' | 'timestamp-millis' | 'moment-text' | 'numeric'

function formOf ({ kind, type }: Held): Form {
  switch (kind) {
    case 'uuid': return type === 'uuid' ? 'uuid' : 'uuid-text'
    case 'date': return type === 'date' ? 'date' : 'date-text'
    case 'time': return type.startsWith('time ') || type.startsWith('time(') ? 'time' : 'time-text'
    case 'date-time': return momentForm(type)
    case 'number': return type.startsWith('numeric') || isInteger(type) ? 'numeric' : 'number'
    case 'integer': return type === '' || isInteger(type) ? 'integer' : 'numeric'
    default: return kind
  }
}

const isInteger = (type: string) => type === 'smallint' || type === 'integer' || type === 'bigint'

function momentForm (type: string): Form {
  if (!type.startsWith('timestamp')) return 'moment-text'
  // The wire tells milliseconds. A column of finer moments is compared by what is told of it.
  const millis = /^timestamp\([0-3]\)/.test(type)
  if (type.endsWith('with time zone')) return millis ? 'timestamptz-millis' : 'timestamptz'
  return millis ? 'timestamp-millis' : 'timestamp'
}

const text = (column: Sql) => sql`(${column})::text`
const byCodePoint = (column: Sql) => sql`(${column})::text collate "C"`
const asIs = (column: Sql) => column
const inMillis = (column: Sql) => sql`date_trunc('milliseconds', ${column})`

const comparables: Readonly<Record<Form, (column: Sql) => Sql>> = {
  string: byCodePoint,
  json: byCodePoint,
  'uuid-text': byCodePoint,
  'date-text': byCodePoint,
  'time-text': byCodePoint,
  'moment-text': byCodePoint,
  uuid: asIs,
  integer: asIs,
  number: asIs,
  numeric: asIs,
  boolean: asIs,
  date: asIs,
  time: asIs,
  'date-time': asIs,
  timestamptz: inMillis,
  'timestamptz-millis': asIs,
  timestamp: inMillis,
  'timestamp-millis': asIs
}

const types: Readonly<Record<Form, string>> = {
  string: 'text',
  json: 'text',
  'uuid-text': 'text',
  'date-text': 'text',
  'time-text': 'text',
  'moment-text': 'text',
  uuid: 'uuid',
  integer: 'bigint',
  number: 'double precision',
  numeric: 'numeric',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  'date-time': 'timestamptz',
  timestamptz: 'timestamptz',
  'timestamptz-millis': 'timestamptz',
  timestamp: 'timestamp',
  'timestamp-millis': 'timestamp'
}

const cast = (value: Sql, held: Held) => sql`${value}::${sql.raw(types[formOf(held)])}`
const castList = (value: Sql, held: Held) => sql`${value}::${sql.raw(types[formOf(held)])}[]`

const moment = (column: Sql) => sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const momentInZone = (column: Sql) => moment(sql`(${column}) at time zone 'UTC'`)

const encoders: Readonly<Record<Form, (column: Sql) => Sql>> = {
  string: text,
  json: asIs,
  'uuid-text': text,
  'date-text': text,
  'time-text': text,
  'moment-text': text,
  uuid: asIs,
  integer: asIs,
  number: asIs,
  numeric: asIs,
  boolean: asIs,
  date: asIs,
  time: asIs,
  'date-time': momentInZone,
  timestamptz: momentInZone,
  'timestamptz-millis': momentInZone,
  timestamp: moment,
  'timestamp-millis': moment
}

/** JSON's own types are what is wanted; what it has no word for, such as NaN, comes as text. */
function decode (encoded: unknown, kind: ValueKind): unknown {
  if (kind === 'integer' || kind === 'number') return typeof encoded === 'number' ? encoded + 0 : null
  return kind === 'json' && typeof encoded === 'string' ? parseText(encoded) : encoded
}

/** JSON in a column of text. A JSON string in a column of JSON is one already. */
function parseText (encoded: string): unknown {
  try {
    return JSON.parse(encoded)
  } catch {
    return encoded
  }
}

/** An array of scalars, out of the JSON that fields without an order of their own are bound as. */
const storeArray = (value: Sql, type: string) => sql`case when ${value}::json is not null then array(select element from json_array_elements_text(${value}::json) with ordinality as elements(element, place) order by place)::${sql.raw(type)} end`

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
