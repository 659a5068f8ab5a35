import type { Scalar } from '../../../model/values.ts'

// Numbers as the drivers bind them, and as json_each() reads them.

/** node:sqlite binds a number as a real, which is '1.0' beside a text; the drivers bind a bigint as an integer. */
export function bindNumber (value: number): unknown {
  if (Number.isSafeInteger(value)) return BigInt(value)
  return isTiny(value) || hasOwnDigits(value) ? String(value) : value
}

/** Returns a number as SQLite holds it. A cursor that a client made may hold an integer of more than 64 bits. */
export function numberOf (text: string): bigint | number {
  const whole = /^-?\d+$/.test(text) ? BigInt(text) : undefined
  return whole !== undefined && BigInt.asIntN(64, whole) === whole ? whole : Number(text)
}

/** Returns the text of an integer as SQLite holds it, and any other text as it is. */
export const bindInteger = (value: Scalar): unknown => /^-?\d+$/.test(String(value)) ? numberOf(String(value)) : value

/** A text is an exact integer, or endless. The digits of a double, which are not always its own, become a text. */
export function elementOfNumbers (value: Scalar): string {
  if (typeof value === 'number' && hasOwnDigits(value)) return JSON.stringify(String(value))
  return String(value).replace('Infinity', '9e999')
}

/** Returns true for an integer whose digits in JavaScript may be those of another integer: from 2^53 up to 1e21. */
const hasOwnDigits = (value: number) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21

/** Returns true for a number that @photostructure/sqlite, up to 1.2 at least, would bind as the integer 0. */
const isTiny = (value: number) => value !== 0 && Math.abs(value) < 1e-14
