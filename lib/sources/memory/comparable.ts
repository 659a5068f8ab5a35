import { decimalKey } from '../../model/decimals.ts'
import type { Predicate } from '../../plan/plan.ts'

/** Makes what is compared of what is shown: values are equal, and sort, as what it returns for them does. */
export type ToComparable = (shown: unknown) => unknown

/** Returns the function for a kind of values; undefined for a kind whose values are compared as they are shown. */
export const comparableOf = (kind: string | undefined): ToComparable | undefined => comparables.get(kind ?? '')

/** Returns the operand of a comparison in the form in which it is compared with the values of the kind. */
export function comparableOperand (value: Operand, kind: string): Operand | unknown {
  const toComparable = comparableOf(kind)
  if (toComparable === undefined) return value
  return Array.isArray(value) ? value.map(toComparable) : toComparable(value)
}

type Operand = Extract<Predicate, { kind: 'compare' }>['value']

const ofText = (convert: (text: string) => unknown): ToComparable =>
  shown => typeof shown === 'string' ? convert(shown) : shown

/** A number where it is exact, otherwise a BigInt. Text that is no integer stays as it is. */
function toInteger (text: string): unknown {
  if (!/^-?\d+$/.test(text)) return text
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}

/** Text that is no number stays as it is, and so sorts after all numbers. NaN does too. */
function toNumber (text: string): unknown {
  const number = Number(text)
  if (Number.isNaN(number)) return text
  return /^-?\d+$/.test(text) && BigInt(text) !== BigInt(number) ? BigInt(text) : number
}

const comparables: ReadonlyMap<string, ToComparable> = new Map([
  ['integer', ofText(toNumber)],
  ['int64', ofText(toInteger)],
  ['number', ofText(toNumber)],
  ['decimal', ofText(decimalKey)],
  ['byte', ofText(text => Buffer.from(text, 'base64').toString('latin1'))],
  ['mixed', shown => shown === null ? null : String(shown)]
])
