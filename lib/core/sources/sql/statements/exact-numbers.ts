import { showInteger } from '../../../model/numbers.ts'

// A database cannot write every number as JavaScript does. In its JSON such a number is an array of one string,
// `["<text>"]`, which is the form of no scalar; writeMarked puts the number in its place.

/** Replaces the marked numbers in a text of JSON that a database wrote by numbers as JavaScript writes them. */
export function writeMarked (text: string): string {
  if (!text.includes('["')) return text
  // The pattern matches marked numbers alone. Inside a string a quote follows a backslash, and no digit or letter
  // follows the closing quote of a string that ends in `:[`.
  return text.replaceAll(/(^|:)\["([-+.\w]+)"\]/gm, (_marked, before: string, number: string) => {
    const read = number.startsWith(integerMark) ? readInteger(number.slice(1)) : readNumber(number)
    return `${before}${JSON.stringify(read)}`
  })
}

/** The first letter of a marked number in a field of integers. */
export const integerMark = 'i'

/**
 * Reads a number from a database's text, such as the result of SQLite's quote(). What JSON cannot carry stays text: an
 * integer that a double cannot hold, an endless number, NaN. Returns `null` for the text `NULL`, and any other text as
 * it is.
 */
export function readNumber (text: string): number | string | null {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return text === '' ? text : value + 0
  if (Number.isFinite(value)) return /^-?\d+$/.test(text) ? text : value
  if (text === 'NULL') return null
  return Number.isNaN(value) ? text : String(value)
}

/** Reads a number of a field of integers as readNumber() does. A number that is no integer stays text too. */
export function readInteger (text: string): number | string | null {
  const value = readNumber(text)
  return typeof value === 'number' ? showInteger(value) : value
}
