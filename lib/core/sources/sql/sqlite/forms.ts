import { sql } from '../load-kysely.ts'
import { showInteger } from '../../../model/numbers.ts'
import type { ValueKind } from '../../../model/values.ts'
import type { ColumnType, Sql } from '../statements/dialect.ts'
import { readInteger, readNumber } from '../statements/exact-numbers.ts'
import { parseScalar, parseText } from '../statements/parse-json.ts'
import { isTextType } from './mistyped-values.ts'
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

const numberReader = (read: (text: string) => unknown, show: (number: number) => unknown) =>
  (encoded: unknown): unknown => {
    if (typeof encoded === 'number') return show(encoded)
    if (typeof encoded !== 'string') return encoded
    return encoded.startsWith('\u0001') ? encoded.slice(1) : read(encoded)
  }

const decoders: Readonly<Record<ValueKind, (encoded: unknown) => unknown>> = {
  string: asIs,
  integer: numberReader(readInteger, showInteger),
  date: asIs,
  'date-time': asIs,
  time: asIs,
  uuid: asIs,
  int64: asIs,
  decimal: asIs,
  byte: asIs,
  number: numberReader(readNumber, number => Number.isFinite(number) ? number + 0 : String(number)),
  boolean: encoded => typeof encoded === 'number' ? encoded !== 0 : encoded,
  mixed: encoded => typeof encoded === 'string' ? parseScalar(encoded) : encoded,
  json: encoded => typeof encoded === 'string' ? parseText(encoded) : encoded
}

/** Returns a text as bytes where a driver would cut it off at a NUL. `text`: what is shown of the column. */
const whole = (column: Sql, text: Sql): Sql =>
  sql`case when instr(${column}, char(0)) then cast(${text} as blob) else ${text} end`

/**
 * Returns a column in a form that is exact outside of JSON. A column of text holds texts and bytes alone, of which
 * JavaScript makes a text; a driver would throw for an integer beyond 2^53. `cutsTexts` tells if the driver cuts texts
 * off at a NUL.
 */
export function fetched (column: Sql, { kind, type }: ColumnType, cutsTexts: () => boolean): Sql {
  const exact = whole(column, encodings[kind](column))
  switch (kind) {
    case 'string':
    case 'date':
    case 'time':
    case 'uuid':
      if (type === '' || !isTextType(type)) return exact
      return cutsTexts() ? whole(column, column) : column
    case 'boolean': return booleanOr(column, exact)
    case 'integer':
    case 'number':
      if (type === 'REAL') return column
      // A column of text compares numbers as texts.
      return isTextType(type) ? exact : sql`case when ${isSafe(column)} then ${column} else ${exact} end`
    default: return exact
  }
}

/**
 * Returns the decoder of what `fetched` selects, and of what `encodings` put into JSON. Some drivers give a bigint for
 * each integer.
 */
export const decoder = ({ kind }: ColumnType) => (value: unknown): unknown => decoders[kind](
  value instanceof Uint8Array ? Buffer.from(value).toString() : typeof value === 'bigint' ? Number(value) : value
)
