import { sql } from '../load-kysely.ts'
import type { Sql } from '../statements/dialect.ts'
import {
  fineTimestamp, fineTimestampInZone, type Inexact, real, timestamp, timestampInZone, wideNumeric
} from './inexact.ts'

/**
 * How values of a column type are written in SQL. `type`: the type that a bound value is cast to. `comparable`: for
 * comparing and ordering. `encode`: inside of JSON. `fetch`: outside of JSON. `operand`: a bound value, instead of the
 * plain cast. `jsonNullAsNull`: the column, with null for other values that are shown as null. `inexact`: present if a
 * client sees another value than the one that is ordered.
 */
export interface ColumnCodec {
  readonly type: string
  comparable (column: Sql): Sql
  encode (column: Sql): Sql
  fetch (column: Sql): Sql
  operand? (value: Sql): Sql
  jsonNullAsNull? (column: Sql): Sql
  readonly inexact?: Inexact
}

const asIs = (column: Sql) => column
export const text = (column: Sql) => sql`(${column})::text`
export const byCodePoint = (column: Sql) => sql`(${column})::text collate "C"`

const plain = (type: string, fetch = asIs): ColumnCodec => ({ type, comparable: asIs, encode: asIs, fetch })

/** A type whose values JSON holds as text. */
const textual = (type: string, toText = text): ColumnCodec =>
  ({ type, comparable: asIs, encode: toText, fetch: toText })

// A number takes less time to make, send and read than a text, and does not depend on DateStyle. Infinity is no number
// of days: it is told by the ends of what an integer holds, which no date reaches.
const days = (column: Sql) => sql`case ${column} when 'infinity' then 2147483647 when '-infinity' then -2147483648
  else ${column} - '1970-01-01'::date end`

// JSON has one form for days and timestamps, independent of DateStyle. UTC makes it independent of TimeZone.
const isoText = (column: Sql) => sql`(to_json(${column}) #>> '{}')`
const isoTimestamp = (column: Sql) => sql`(${isoText(sql`(${column}) at time zone 'UTC'`)} ||
  case when isfinite(${column}) then '+00:00' else '' end)`

/** The text that a type writes itself. The casts of some types are others: that of `inet` adds a mask. */
const output = (column: Sql) => sql`(case when ${column} is null then null else format('%s', ${column}) end)`
const asText = (toText: (column: Sql) => Sql): ColumnCodec => ({
  type: 'text',
  comparable: column => sql`(${toText(column)}) collate "C"`,
  encode: toText,
  fetch: toText
})

// Bound as text, because postgres.js makes a Date of a value whose type it knows to be a day or a timestamp, and a Date
// holds neither years before Christ nor `infinity`.
const timestampOperand = (value: Sql) => sql`${text(value)}::timestamptz`
const localTimestampOperand = (value: Sql) => sql`${text(value)}::timestamp`

const base64 = (column: Sql) => sql`translate(encode(${column}, 'base64'), E'\n', '')`

/** A time without a zone is UTC, whatever the session's TimeZone. */
const zoned = (value: Sql) =>
  sql`(case when ${text(value)} ~ '[Zz+-]' then ${text(value)} else ${text(value)} || 'Z' end)::timetz`

// The text of any JSON in a column of text; any other text is taken for itself.
const jsonString = '^"([^"\\\\[:cntrl:]]|\\\\["\\\\/bfnrt])*"$'
const unquoted = (column: Sql) => sql`(case when left(${text(column)}, 1) <> '"' then ${text(column)}
  when ${text(column)} ~ ${sql.lit(jsonString)} then ${text(column)}::json #>> '{}' else ${text(column)} end)`

const jsonType = (column: Sql) => sql`jsonb_typeof(to_jsonb(${column}))`
/** The text of a number is without zeros at its end. */
const jsonNumber = (column: Sql) => sql`trim_scale((to_jsonb(${column}) #>> '{}')::numeric)::text`

/** The text by which JSON is compared that is shown as a scalar. What is none is shown as its text. */
const scalarOfJson = (column: Sql) => sql`(case ${jsonType(column)} when 'number' then ${jsonNumber(column)}
  when 'string' then to_jsonb(${column}) #>> '{}' else to_jsonb(${column})::text end) collate "C"`

/** The member under which a number in a column of JSON is encoded as text, which JSON.parse() does not round. */
export const numberMember = '(number)'
const exactScalar = (column: Sql) => sql`(case ${jsonType(column)}
  when 'number' then json_build_object(${sql.lit(numberMember)}, ${jsonNumber(column)})
  when 'string' then to_json(${column}) when 'boolean' then to_json(${column})
  else to_json(to_jsonb(${column})::text) end)`

// The text of JSON need not be made for its type to be known.
const unlessJsonNull = (type: string) => (column: Sql) => isJson(type)
  ? sql`case when ${sql.raw(`${type}_typeof`)}(${column}) <> 'null' then ${column} end`
  : sql`case when btrim(${text(column)}, E' \\t\\n\\r') <> 'null' then ${column} end`

/** Returns the codec of JSON, whose own null is shown as null. */
export const jsonCodec = (type: string): ColumnCodec => ({ ...codecs.json, jsonNullAsNull: unlessJsonNull(type) })

const nullOfJson = (column: Sql) => sql`nullif(to_jsonb(${column}), 'null')`

const mixedJson: ColumnCodec = {
  type: 'text',
  comparable: scalarOfJson,
  encode: exactScalar,
  fetch: column => text(exactScalar(column))
}

export const codecs = {
  isoText: asText(isoText),
  isoTimestamp: asText(isoTimestamp),
  text: { type: 'text', comparable: byCodePoint, encode: text, fetch: text },
  output: asText(output),
  // Spaces at the end are shown, and make no difference where texts are compared.
  padded: {
    type: 'text',
    comparable: byCodePoint,
    encode: output,
    fetch: output,
    operand: value => sql`${text(value)}::bpchar::text`
  },
  json: { type: 'text', comparable: byCodePoint, encode: asIs, fetch: column => sql`to_json(${column})::text` },
  mixed: {
    type: 'text',
    comparable: column => sql`${unquoted(column)} collate "C"`,
    encode: asIs,
    fetch: column => sql`to_json(${column})::text`
  },
  mixedJson,
  /** The null of JSON is that of a field that may be null. */
  nullableMixedJson: {
    ...mixedJson,
    jsonNullAsNull: nullOfJson,
    comparable: column => scalarOfJson(nullOfJson(column)),
    encode: column => exactScalar(nullOfJson(column)),
    fetch: column => mixedJson.fetch(nullOfJson(column))
  },
  uuid: plain('uuid', text),
  integer: plain('bigint'),
  // As text, because a driver or JSON.parse() may round a number.
  bigint: textual('bigint'),
  int64: textual('bigint'),
  number: plain('double precision'),
  numeric: plain('numeric'),
  integerNumeric: textual('numeric', column => sql`trim_scale(${column})::text`),
  wideNumeric: { ...plain('numeric'), encode: text, fetch: text, inexact: wideNumeric },
  real: { ...plain('double precision'), inexact: real },
  decimal: textual('numeric'),
  /** The digits of a double, which may be others than JavaScript writes. */
  decimalOfDouble: { ...textual('numeric'), operand: value => sql`${text(value)}::float8::text::numeric` },
  boolean: plain('boolean'),
  bytes: { ...textual('bytea', base64), operand: value => sql`decode(${value}, 'base64')` },
  date: { ...plain('date', days), operand: value => sql`${text(value)}::date` },
  timestampInZone: { ...textual('timestamptz', timestampInZone), operand: timestampOperand },
  timestamp: { ...textual('timestamp', timestamp), operand: localTimestampOperand },
  time: plain('time', text),
  timetz: { ...plain('timetz', text), operand: zoned }
} as const satisfies Record<string, ColumnCodec>

export function numberCodec (type: string): ColumnCodec {
  if (type === 'real') return codecs.real
  if (isInteger(type)) return type === 'bigint' ? { ...codecs.bigint, type: 'numeric' } : codecs.numeric
  if (!type.startsWith('numeric')) return codecs.number
  const [, digits, places = '0'] = /^numeric\((\d+)(?:,(-?\d+))?\)$/.exec(type) ?? []
  // A double holds every decimal number of 15 digits, so that its text is that of the number, if its exponent fits.
  return Number(digits) <= 15 && Math.abs(Number(places)) < 100 ? codecs.numeric : codecs.wideNumeric
}

export function integerCodec (type: string): ColumnCodec {
  if (type === 'smallint' || type === 'integer') return codecs.integer
  if (type === '' || type === 'bigint') return codecs.bigint
  if (type === 'real') return codecs.real
  return type.startsWith('numeric') ? codecs.integerNumeric : codecs.numeric
}

export function timeCodec (type: string): ColumnCodec {
  if (!/^time[ (]/.test(type)) return codecs.text
  return type.endsWith('with time zone') ? codecs.timetz : codecs.time
}

/** Returns the codec for a field of plain text, whose column may still be of days or timestamps. */
export function textCodec (type: string): ColumnCodec {
  if (type === 'date' || /^timestamp.* without time zone$/.test(type)) return codecs.isoText
  if (type.startsWith('timestamp')) return codecs.isoTimestamp
  if (isPadded(type)) return codecs.padded
  return type === 'inet' || type === 'cidr' ? codecs.output : codecs.text
}

/** Returns true for `char(n)`, whose values have spaces at their ends. */
export const isPadded = (type: string) => /^(?:character(?:\(|$)|bpchar)/.test(type)

export const isInteger = (type: string) => type === 'smallint' || type === 'integer' || type === 'bigint'

export function timestampCodec (type: string): ColumnCodec {
  if (!type.startsWith('timestamp')) return codecs.text
  const codec = type.endsWith('with time zone') ? codecs.timestampInZone : codecs.timestamp
  // Other columns hold timestamps that are finer than the milliseconds of the wire.
  if (/^timestamp\([0-3]\)/.test(type)) return codec
  return { ...codec, inexact: codec === codecs.timestampInZone ? fineTimestampInZone : fineTimestamp }
}

export const isJson = (type: string) => type === 'json' || type === 'jsonb'
