/**
 * Returns a number as a field of integers shows it: as text, unless it is an integer that a double holds exactly
 * (docs/databases.md: Types of columns).
 */
export function showInteger (value: number): number | string {
  if (Number.isSafeInteger(value)) return value + 0
  return Number.isInteger(value) ? String(BigInt(value)) : String(value)
}

/**
 * Returns a timestamp that a database or an application holds in another form as a client sees it, in UTC with three
 * digits of milliseconds. Returns undefined for a value that is no timestamp.
 *
 * | Value | Meaning |
 * |---|---|
 * | `2026-01-02 03:04:05`, `2026-01-02T03:04`, `2026-01-02` | UTC, as SQLite's own functions write it |
 * | `2026-01-02 03:04:05+05:30` | with a time zone |
 * | 1767323045 | seconds since 1970-01-01 |
 * | 1767323045678 | milliseconds since 1970-01-01: from 10^11 on, in either direction |
 */
export function toTimestamp (value: string | number): string | undefined {
  const text = typeof value === 'number' ? '' : isoText(value)
  if (text === undefined) return undefined
  const millis = typeof value === 'number' ? millisOf(value) : Date.parse(text)
  // The years that the wire knows, 1 to 9999.
  return millis >= firstTimestamp && millis <= lastTimestamp ? new Date(millis).toISOString() : undefined
}

const firstTimestamp = Date.parse('0001-01-01T00:00:00.000Z')
const lastTimestamp = Date.parse('9999-12-31T23:59:59.999Z')

/** The number from which on an integer counts milliseconds. As seconds it is in the year 5138. */
export const firstMillis = 1e11

const millisOf = (value: number) => Math.round(Math.abs(value) < firstMillis ? value * 1000 : value)

const form = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(?:(:\d\d)(\.\d{1,3})?\d*)? ?(Z|[+-]\d\d:\d\d)?)?$/

function isoText (text: string): string | undefined {
  const match = form.exec(text)
  if (match === null) return undefined
  const [, day = '', minutes = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = match
  return `${day}T${minutes}${seconds}${fraction}${zone}`
}

// Decimal numbers as texts, of any size and exactness. No double is made of them.

/** A decimal number taken apart: 0.(digits) times ten to the power of `exponent`. `digits` is empty for zero. */
interface Decimal { readonly negative: boolean, readonly digits: string, readonly exponent: number }

/**
 * Returns a text that stands for the number: equal numbers have equal texts, and the texts sort as the numbers do, in
 * the order -Infinity, numbers, Infinity, NaN. A text that is no number comes last, by itself.
 */
export function decimalKey (text: string): string {
  const special = specialKeys.get(text)
  if (special !== undefined) return special
  const decimal = parseDecimal(text)
  if (decimal === undefined) return `5${text}`
  const { negative, digits, exponent } = decimal
  if (digits === '') return '1'
  const key = String(exponent + exponentOffset).padStart(7, '0') + digits
  // `~` follows all digits: of two negative numbers with the same beginning, the longer one is the smaller.
  return negative ? `0${key.replaceAll(/\d/g, digit => String(9 - Number(digit)))}~` : `2${key}`
}

const specialKeys: ReadonlyMap<string, string> = new Map([['-Infinity', '/'], ['Infinity', '3'], ['NaN', '4']])

// Larger than any exponent of a number in a database.
const exponentOffset = 5_000_000

/** Returns the number of a key as text, without zeros at its end: all spellings of a number have one such text. */
export function decimalOfKey (key: string): string {
  for (const [text, special] of specialKeys) if (key === special) return text
  if (key.startsWith('5')) return key.slice(1)
  if (key === '1') return '0'
  const negative = key.startsWith('0')
  const body = negative ? key.slice(1, -1).replaceAll(/\d/g, digit => String(9 - Number(digit))) : key.slice(1)
  return `${negative ? '-' : ''}${layOut(body.slice(7), Number(body.slice(0, 7)) - exponentOffset)}`
}

/** Returns a number's text without exponent, such as `0.0000001` for `1e-7`. Any other text is returned unchanged. */
export function plainDecimal (text: string): string {
  if (!/[eE]/.test(text)) return text
  const decimal = parseDecimal(text)
  if (decimal === undefined) return text
  const { negative, digits, exponent } = decimal
  if (digits === '') return '0'
  return `${negative ? '-' : ''}${layOut(digits, exponent)}`
}

function layOut (digits: string, exponent: number): string {
  const whole = exponent > 0 ? digits.slice(0, exponent).padEnd(exponent, '0') : '0'
  const fraction = exponent > 0 ? digits.slice(exponent) : '0'.repeat(-exponent) + digits
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Returns true if a number is a multiple of another one as decimals: 19.99 is a multiple of 0.01. */
export function isMultipleOf (value: number, divisor: number): boolean {
  const places = Math.max(placesOf(value), placesOf(divisor))
  return scaled(value, places) % scaled(divisor, places) === 0n
}

const placesOf = (value: number) => plainDecimal(String(value)).split('.')[1]?.length ?? 0

/** Returns the number times ten to the power of `places`, which must be at least its number of decimal places. */
function scaled (value: number, places: number): bigint {
  const [whole = '0', fraction = ''] = plainDecimal(String(value)).split('.')
  return BigInt(whole + fraction.padEnd(places, '0'))
}

function parseDecimal (text: string): Decimal | undefined {
  const match = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', power = '0'] = match
  const all = whole + fraction
  const leading = leadingZeros(all)
  const digits = withoutTrailingZeros(all.slice(leading))
  return { negative: sign === '-', digits, exponent: whole.length - leading + Number(power) }
}

function leadingZeros (digits: string): number {
  let count = 0
  while (digits[count] === '0') count++
  return count
}

function withoutTrailingZeros (digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
