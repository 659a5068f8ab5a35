import { ExactJson } from './exact-json.ts'
import { decimalKey, plainDecimal, showInteger, toTimestamp } from './numbers.ts'

/** The properties of a kind of values that more than one room needs. Each engine has a table of its own (kinds.ts). */
interface KindTraits {
  /** True for numbers, also for those that are texts in JSON because a double holds fewer digits. */
  readonly isNumber: boolean
  /** True if values can have any length. */
  readonly isLong: boolean
  /** True if equal values have equal texts, whatever the type of their column. */
  readonly hasOneText: boolean
  /** True if a text of this kind is bound as what it stands for, and so with its kind. */
  readonly bindsByKind: boolean
  /** Returns a value that an application holds as an item shows it. */
  show (value: unknown): unknown
  /** Returns a value as it is compared, of what is shown: values are equal, and sort, as the results do. */
  readonly compare?: (shown: unknown) => unknown
  /** Returns the number that sums add, of what is shown; undefined for a kind that has no sums. */
  readonly add?: (shown: unknown) => unknown
}

const asShown = (shown: unknown) => shown

const plain = { isNumber: false, isLong: false, hasOneText: false, bindsByKind: false, show } as const
const number = { ...plain, isNumber: true, add: asShown } as const

/**
 * The table of all kinds of values.
 *
 * - `integer`: a number, or the digits of an integer beyond 2^53 as text
 * - `number`: a number, or `NaN`, `Infinity`, `-Infinity` as text
 * - `int64`, `decimal`: the exact number as text; compared as numbers
 * - `byte`: bytes as text in base64; compared as bytes
 * - `mixed`: a string, number or boolean; compared as texts
 * - `json`: any JSON; not compared
 * - `exact_json`: JSON with its text, as fields of JSON are read to be changed; no declaration has it
 */
const kinds = {
  string: { ...plain, isLong: true, hasOneText: true },
  integer: { ...number, hasOneText: true, bindsByKind: true, show: showIntegers, compare: ofText(toNumber) },
  number: { ...number, bindsByKind: true, compare: ofText(toNumber) },
  boolean: plain,
  date: { ...plain, show: showDay },
  'date-time': { ...plain, bindsByKind: true, show: showMoment },
  time: plain,
  uuid: { ...plain, hasOneText: true },
  int64: { ...number, hasOneText: true, bindsByKind: true, show: showInt64, compare: ofText(toInteger) },
  decimal: { ...number, show: showText, compare: ofText(decimalKey) },
  byte: {
    ...plain,
    isLong: true,
    bindsByKind: true,
    show: value => value instanceof Uint8Array ? Buffer.from(value).toString('base64') : show(value),
    compare: ofText(text => Buffer.from(text, 'base64').toString('latin1'))
  },
  mixed: { ...plain, isLong: true, bindsByKind: true, compare: shown => shown === null ? null : String(shown) },
  json: { ...plain, isLong: true },
  exact_json: { ...plain, isLong: true, show: showExactly }
} as const satisfies Readonly<Record<string, KindTraits>>

export type ValueKind = keyof typeof kinds

export const kindOf = (kind: ValueKind): KindTraits => kinds[kind]

/** Returns a value of an object as an item shows it, whatever its kind: null for undefined, 0 for -0. */
export function show (value: unknown): unknown {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : String(value)
  if (value === undefined || value === null) return null
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  return value instanceof Date ? dateText(value) : value
}

const dateText = (date: Date): string | null => Number.isNaN(date.getTime()) ? null : date.toISOString()

function showExactly (value: unknown): unknown {
  const shown = show(value)
  return shown === null ? null : new ExactJson(JSON.stringify(shown), shown)
}

function showDay (value: unknown): unknown {
  return value instanceof Date ? dateText(value)?.split('T', 1)[0] ?? null : show(value)
}

function showIntegers (value: unknown): unknown {
  return typeof value === 'number' ? showInteger(value) : show(value)
}

function showInt64 (value: unknown): unknown {
  return typeof value === 'number' && Number.isInteger(value) ? String(BigInt(value)) : showText(value)
}

function showText (value: unknown): unknown {
  const shown = show(value)
  return typeof shown === 'number' ? plainDecimal(String(shown)) : shown
}

function showMoment (value: unknown): unknown {
  return isTimestamp(value) ? toTimestamp(value) ?? show(value) : show(value)
}

/** Returns true for what may be a timestamp in another form than that of Date.prototype.toISOString(). */
function isTimestamp (value: unknown): value is string | number {
  if (typeof value === 'number') return true
  return typeof value === 'string' && !(value.length === 24 && value[10] === 'T' && value.endsWith('Z'))
}

function ofText (convert: (text: string) => unknown) {
  return (shown: unknown): unknown => typeof shown === 'string' ? convert(shown) : shown
}

/** Text that is no integer stays as it is. */
function toInteger (text: string): unknown {
  return /^-?\d+$/.test(text) ? exact(text) : text
}

/** Text that is no number stays as it is, and so sorts after all numbers. NaN does too. */
function toNumber (text: string): unknown {
  const number = Number(text)
  if (Number.isNaN(number)) return text
  return /^-?\d+$/.test(text) ? exact(text) : number
}

/** A number where it is exact, otherwise a BigInt. */
function exact (text: string): number | bigint {
  const number = Number(text)
  return Number.isFinite(number) && BigInt(number) === BigInt(text) ? number : BigInt(text)
}
