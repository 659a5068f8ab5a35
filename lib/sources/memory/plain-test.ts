import { memoize } from '../../memoize.ts'
import type { DataField } from '../../model/model.ts'
import type { Operator, ValueKind } from '../../model/values.ts'
import { generate } from './generate.ts'

/** Returns true for a row that matches. */
export type RowTest = (row: object) => boolean

/** `any` tests the rows whose values are not plain. */
type MakeTest = (operand: unknown, any: RowTest) => RowTest

/**
 * Returns a test of one property that compares texts with a text, and numbers with a number, without conversions, and
 * leaves all other values to `any`. Returns undefined for a comparison that needs conversions.
 */
export function plainTest (
  field: DataField, operator: Operator, operand: unknown, any: RowTest
): RowTest | undefined {
  if (field.kind !== 'stored' || field.property in Object.prototype) return undefined
  const plain = plainOf(field.type.kind, operand)
  const condition = plain?.conditions.get(operator)
  if (plain === undefined || condition === undefined) return undefined
  const makers = makersOf(field)
  const make = makers.get(operator) ?? generateTest(field.property, plain.isPlain, condition)
  makers.set(operator, make)
  return make(operand, any)
}

const makersOf = memoize((_field: DataField) => new Map<Operator, MakeTest>())

const generateTest = (property: string, isPlain: string, condition: string): MakeTest =>
  generate<MakeTest>(['operand', 'any'], `return row => {
    const value = row[${JSON.stringify(property)}]
    return ${isPlain} ? ${condition} : any(row)
  }`)

/** The values that a comparison need not convert, as JavaScript of `value`, and the conditions that it tests then. */
interface Plain { readonly isPlain: string, readonly conditions: ReadonlyMap<Operator, string> }

function plainOf (kind: ValueKind, operand: unknown): Plain | undefined {
  if (typeof operand === 'string') return plainTexts.has(kind) ? texts : undefined
  return typeof operand === 'number' ? plainNumbers[kind] : undefined
}

// The kinds of text that are shown and compared as they are stored.
const plainTexts: ReadonlySet<ValueKind> = new Set(['string', 'date', 'time', 'uuid'])

// Texts are ordered by code point, which takes a function (sort.ts).
const texts: Plain = {
  isPlain: "typeof value === 'string'",
  conditions: new Map([
    ['equals', 'value === operand'],
    ['not_equals', 'value !== operand'],
    ['starts_with', 'value.startsWith(operand)'],
    ['ends_with', 'value.endsWith(operand)'],
    ['contains', 'value.includes(operand)']
  ])
}

const ofNumbers: Plain['conditions'] = new Map([
  ['equals', 'value === operand'],
  ['not_equals', 'value !== operand'],
  ['greater', 'value > operand'],
  ['less', 'value < operand'],
  ['at_least', 'value >= operand'],
  ['at_most', 'value <= operand']
])

// Other numbers are shown as text.
const plainNumbers: Readonly<Partial<Record<ValueKind, Plain>>> = {
  integer: { isPlain: 'Number.isSafeInteger(value)', conditions: ofNumbers },
  number: { isPlain: 'Number.isFinite(value)', conditions: ofNumbers }
}
