import { sql } from '../load-kysely.ts'
import type { ValueKind } from '../../../model/kinds.ts'
import { ExactJson } from '../../../model/exact-json.ts'
import { showInteger } from '../../../model/numbers.ts'
import type { Scalar } from '../../../model/values.ts'
import type { TypeFamily } from '../catalog.ts'
import type { ColumnType, Sql } from '../statements/dialect.ts'
import { readInteger, readNumber } from '../statements/exact-numbers.ts'
import { parseScalar, parseText } from '../statements/parse-json.ts'
import { bindInteger, elementOfNumbers, numberOf } from './bound-numbers.ts'
import { isTextType } from './columns.ts'
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

/**
 * As what the values of a kind are stored: those of other types are mistyped (mistyped-values.ts). `flags`: as 0 and 1.
 * `converted`: as texts that are compared in another form.
 */
export type StoredAs = 'texts' | 'timestamps' | 'integers' | 'numbers' | 'bytes' | 'flags' | 'converted' | 'json'

/** What SQLite needs of a kind of values. */
interface Kind {
  readonly stored: StoredAs
  /** The type of a new column of a STRICT table. It holds all values exactly (docs/databases.md: Types of columns). */
  readonly column: string
  /** The families of the columns of STRICT tables that can hold the values; undefined where the schema says more. */
  readonly families: readonly TypeFamily[] | undefined
  /** True if a driver may give the number itself. */
  readonly givesNumbers?: true
  /** Returns a column in a form that is exact inside JSON. */
  encode (column: Sql): Sql
  decode (encoded: unknown): unknown
  /** Returns a value as a driver binds it, of a kind that is bound by its kind. */
  bind (value: Scalar): unknown
  /** Returns a value as JSON that json_each() reads exactly; none for a value that SQLite does not have. */
  element (value: Scalar): string | readonly string[]
}

const asIs = (encoded: unknown) => encoded

const text = {
  stored: 'texts',
  column: 'text',
  families: ['text'],
  encode: asText,
  decode: asIs,
  bind: String,
  element: value => JSON.stringify(String(value))
} as const satisfies Kind

const integers = {
  ...text,
  stored: 'integers',
  column: 'integer',
  families: ['integer'],
  bind: bindInteger,
  element: String
} as const satisfies Kind

const kinds: Readonly<Record<ValueKind, Kind>> = {
  string: { ...text, families: ['text', 'integer', 'float'] },
  integer: {
    ...integers,
    families: ['integer', 'float'],
    givesNumbers: true,
    encode: column => sql`case typeof(${column})
    when 'integer' then case when ${isSafe(column)} then ${column} else ${asText(column)} end
    when 'real' then quote(${column}) else ${markedText(column)} end`,
    decode: numberReader(readInteger, showInteger)
  },
  number: {
    ...text,
    stored: 'numbers',
    column: 'real',
    families: ['integer', 'float'],
    givesNumbers: true,
    // json_array() prints some doubles with 15 digits, in some versions of SQLite; quote() is exact in all versions.
    encode: column => sql`case when typeof(${column}) in ('integer', 'real') then quote(${column})
    else ${markedText(column)} end`,
    decode: numberReader(readNumber, number => Number.isFinite(number) ? number + 0 : String(number)),
    // SQLite has no NaN. As any other text it is above all numbers.
    bind: value => isShownNumber(String(value)) ? numberOf(String(value)) : value,
    element: value => value === 'NaN' ? [] : elementOfNumbers(value)
  },
  boolean: {
    ...text,
    stored: 'flags',
    column: 'integer',
    families: ['integer', 'float'],
    encode: column => booleanOr(column, asText(column)),
    decode: encoded => typeof encoded === 'number' ? encoded !== 0 : encoded
  },
  date: { ...text, families: ['date', 'text'] },
  'date-time': {
    ...text,
    stored: 'timestamps',
    // Timestamps are texts, or seconds since 1970.
    families: ['text', 'integer', 'float'],
    encode: timestamp,
    bind: value => typeof value === 'number' ? value : String(value)
  },
  time: { ...text, families: ['time', 'text'] },
  uuid: { ...text, families: ['uuid', 'text'] },
  int64: { ...integers, encode: integerText },
  decimal: { ...text, stored: 'converted', families: undefined, encode: decimalText },
  byte: {
    ...text,
    stored: 'bytes',
    column: 'blob',
    families: ['bytes'],
    encode: column => base64Or(column, asText(column)),
    // The position of a mistyped value is text.
    bind: value => String(value).startsWith('\u0001') ? value : Buffer.from(String(value), 'base64')
  },
  mixed: {
    ...text,
    stored: 'converted',
    families: undefined,
    encode: mixedText,
    decode: encoded => typeof encoded === 'string' ? parseScalar(encoded) : encoded
  },
  json: {
    ...text,
    stored: 'json',
    families: undefined,
    decode: encoded => typeof encoded === 'string' ? parseText(encoded) : encoded
  },
  exact_json: {
    ...text,
    stored: 'json',
    families: undefined,
    decode: encoded => typeof encoded === 'string' ? new ExactJson(encoded, parseText(encoded)) : encoded
  }
}

/** Returns true for a number that is shown as text, and for no other text that Number() reads, such as an empty one. */
const isShownNumber = (text: string) => /^-?(?:\d+|Infinity)$/.test(text)

export const sqliteKind = (kind: ValueKind): Kind => kinds[kind]

function numberReader (read: (text: string) => unknown, show: (number: number) => unknown) {
  return (encoded: unknown): unknown => {
    if (typeof encoded === 'number') return show(encoded)
    if (typeof encoded !== 'string') return encoded
    return encoded.startsWith('\u0001') ? encoded.slice(1) : read(encoded)
  }
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
  const { stored, encode, givesNumbers } = kinds[kind]
  const exact = whole(column, encode(column))
  if (stored === 'texts') {
    if (type === '' || !isTextType(type)) return exact
    return cutsTexts() ? whole(column, column) : column
  }
  if (stored === 'flags') return booleanOr(column, exact)
  if (givesNumbers !== true) return exact
  if (type === 'REAL') return column
  // A column of text compares numbers as texts.
  return isTextType(type) ? exact : sql`case when ${isSafe(column)} then ${column} else ${exact} end`
}

/**
 * Returns the decoder of what `fetched` selects, and of what `encode` put into JSON. Some drivers give a bigint for
 * each integer.
 */
export const decoder = ({ kind }: ColumnType) => (value: unknown): unknown => kinds[kind].decode(
  value instanceof Uint8Array ? Buffer.from(value).toString() : typeof value === 'bigint' ? Number(value) : value
)
