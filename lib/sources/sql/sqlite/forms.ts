import { sql } from '../load-kysely.ts'
import { showInteger } from '../../../model/numbers.ts'
import type { ValueKind } from '../../../model/values.ts'
import type { Sql } from '../statements/dialect.ts'
import { readInteger, readNumber } from '../statements/exact-numbers.ts'
import { parseScalar, parseText } from '../statements/parse-json.ts'
import { call, decimalText, integerText, mixedText } from './functions.ts'
import { timestamp } from './timestamps.ts'

// The forms in which columns of SQLite are selected, by the kinds of their fields, and read.

/**
 * Returns a column as text. A column may hold values that its declared type does not allow: json_array() fails on a
 * blob, so the cast keeps blobs away from it.
 */
export const asText = (column: Sql) => sql`cast(${column} as text)`

/** Returns the text of a value that is no number, but that could be read as one. */
const markedText = (column: Sql) => sql`char(1) || ${asText(column)}`

/** Returns the condition for an integer that a double holds exactly. */
export const isSafe = (column: Sql) =>
  sql`${column} between ${sql.lit(Number.MIN_SAFE_INTEGER)} and ${sql.lit(Number.MAX_SAFE_INTEGER)}`

const base64Or = (column: Sql, other: Sql) =>
  sql`case when typeof(${column}) = 'blob' then ${call('data_api_base64', column)} else ${other} end`

const booleanOr = (column: Sql, other: Sql) =>
  sql`case when ${column} in (0, 1) then cast(${column} as integer) else ${other} end`

/** A column in a form that is exact inside JSON. */
export const encodings: Readonly<Record<ValueKind, (column: Sql) => Sql>> = {
  string: asText,
  date: asText,
  'date-time': timestamp,
  time: asText,
  uuid: asText,
  json: asText,
  mixed: mixedText,
  int64: integerText,
  decimal: decimalText,
  byte: column => base64Or(column, asText(column)),
  boolean: column => booleanOr(column, asText(column)),
  // json_array() prints some doubles with 15 digits, in some versions of SQLite; quote() is exact in all versions.
  number: column => sql`case when typeof(${column}) in ('integer', 'real') then quote(${column})
    else ${markedText(column)} end`,
  integer: column => sql`case typeof(${column})
    when 'integer' then case when ${isSafe(column)} then ${column} else ${asText(column)} end
    when 'real' then quote(${column}) else ${markedText(column)} end`
}

const asIs = (encoded: unknown) => encoded

const numberReader = (read: (text: string) => unknown) => (encoded: unknown): unknown => {
  if (typeof encoded !== 'string') return encoded
  return encoded.startsWith('\u0001') ? encoded.slice(1) : read(encoded)
}

/** The decoders of what `encodings` put into JSON. */
export const decoders: Readonly<Record<ValueKind, (encoded: unknown) => unknown>> = {
  string: asIs,
  integer: numberReader(readInteger),
  date: asIs,
  'date-time': asIs,
  time: asIs,
  uuid: asIs,
  int64: asIs,
  decimal: asIs,
  byte: asIs,
  number: numberReader(readNumber),
  boolean: encoded => typeof encoded === 'number' ? encoded !== 0 : encoded,
  mixed: encoded => typeof encoded === 'string' ? parseScalar(encoded) : encoded,
  json: encoded => typeof encoded === 'string' ? parseText(encoded) : encoded
}

// An integer that a double cannot hold exactly is text. Without that, a driver would throw.
const asNumber = (column: Sql) => sql`case typeof(${column})
  when 'integer' then case when ${isSafe(column)} then cast(${column} as real) else ${asText(column)} end
  when 'real' then ${column} else ${whole(column, asText(column))} end`

/** Returns a text whole: some drivers cut it off at a NUL. `text`: what is shown of the column. */
const whole = (column: Sql, text: Sql): Sql =>
  sql`case when instr(${column}, char(0)) then cast(${text} as blob) else ${text} end`

const wholeText = (column: Sql) => whole(column, asText(column))

/** A column in a form that is exact outside of JSON, with every driver. */
export const fetches: Readonly<Record<ValueKind, (column: Sql) => Sql>> = {
  string: wholeText,
  date: wholeText,
  'date-time': column => whole(column, timestamp(column)),
  time: wholeText,
  uuid: wholeText,
  json: wholeText,
  mixed: column => whole(column, mixedText(column)),
  int64: column => sql`case typeof(${column}) when 'text' then ${wholeText(column)} else ${integerText(column)} end`,
  decimal: column => whole(column, decimalText(column)),
  byte: column => base64Or(column, wholeText(column)),
  boolean: column => booleanOr(column, wholeText(column)),
  number: asNumber,
  integer: asNumber
}

/** Returns a text that was fetched as bytes, so that it is whole. */
const textOf = (value: unknown) => value instanceof Uint8Array ? Buffer.from(value).toString() : value

const exact = (value: unknown) => typeof value === 'number'
  ? Number.isFinite(value) ? value + 0 : String(value)
  : textOf(value)

/** The decoders of what `fetches` selected. */
export const fetchDecoders: Readonly<Record<ValueKind, (value: unknown) => unknown>> = {
  string: textOf,
  integer: value => typeof value === 'number' ? showInteger(value) : textOf(value),
  date: textOf,
  'date-time': textOf,
  time: textOf,
  uuid: textOf,
  int64: textOf,
  decimal: textOf,
  byte: textOf,
  number: exact,
  boolean: value => decoders.boolean(textOf(value)),
  mixed: value => decoders.mixed(textOf(value)),
  json: value => decoders.json(textOf(value))
}
