import { decimalKey } from '../../core/model/numbers.ts'
import { formatTypes } from '../../core/model/values.ts'

/** A type of columns, as SQLite is told. The affinity of `JSON TEXT` is text, which keeps each value as it is. */
export type FileColumnType = 'INTEGER' | 'REAL' | 'BOOLEAN' | 'JSON TEXT' | 'TEXT'

/** A value as SQLite is given it. */
export type FileValue = string | number | bigint | null

/** A number of JSON that a double does not hold, by its digits. Inside of other JSON it is written as text. */
export class LongNumber {
  readonly text: string
  constructor (text: string) { this.text = text }
  toJSON (): string { return this.text }
  toString (): string { return this.text }
}

/**
 * Returns the type that keeps each text as it is: numbers are those that JavaScript writes as they stand in the file.
 * `1.10`, `007` and `1e5` are text, and so are integers beyond 64 bits.
 */
export function typeOfTexts (texts: readonly string[]): FileColumnType {
  if (texts.length === 0) return 'TEXT'
  if (texts.every(isInteger)) return 'INTEGER'
  if (texts.every(isDouble)) return 'REAL'
  return texts.every(isBoolean) ? 'BOOLEAN' : 'TEXT'
}

const isInteger = (text: string) => formatTypes.int64.parse(text) !== undefined
const isDouble = (text: string) => /^-?\d/.test(text) && String(Number(text)) === text
const isBoolean = (text: string) => /^(?:true|false)$/i.test(text)

/** Returns a text as a column of the type stores it. */
export function storedText (text: string, type: FileColumnType): FileValue {
  switch (type) {
    case 'INTEGER': return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
    case 'REAL': return Number(text)
    case 'BOOLEAN': return Number(text.toLowerCase() === 'true')
    default: return text
  }
}

/** Parses JSON as JSON.parse() does, but for numbers that a double does not hold: each is a LongNumber. */
export function parseExactJson (text: string): unknown {
  const rounded = JSON.parse(text) as unknown
  // A double holds each number of 15 digits without exponent.
  if (!/[\d.]{16}|\d[eE]/.test(text)) return rounded
  let isExact = true
  const marked = text.replaceAll(stringOrNumber, token => {
    // Each string gets a letter in front, names too, so that no string is taken for the digits of a number.
    if (token.startsWith('"')) return `"s${token.slice(1)}`
    if (isHeld(token)) return token
    isExact = false
    return `"n${token}"`
  })
  return isExact ? rounded : unmark(JSON.parse(marked))
}

const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Returns true for a number that the double nearest to it equals, in whichever way both are written. */
const isHeld = (text: string) => {
  const written = String(Number(text))
  return written === text || (Number.isFinite(Number(text)) && decimalKey(written) === decimalKey(text))
}

function unmark (value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('n') ? new LongNumber(value.slice(1)) : value.slice(1)
  if (Array.isArray(value)) return value.map(unmark)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.slice(1), unmark(member)]))
}
