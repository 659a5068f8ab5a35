import type { ItemRow } from './rows.ts'

/** Returns the value of a field of an item, or of its sub-item: undefined for one that is not shown, or of no item. */
export const valueAt = (item: ItemRow, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as ItemRow | null)?.[name], item)

type Test = (value: unknown, operand: unknown) => boolean

const texts = {
  startsWith: (value, operand) => String(value).startsWith(String(operand)),
  endsWith: (value, operand) => String(value).endsWith(String(operand)),
  contains: (value, operand) => String(value).includes(String(operand))
} satisfies Record<string, Test>

const ignoringCase = (test: Test): Test =>
  (value, operand) => test(String(value).toLowerCase(), String(operand).toLowerCase())

const isAmong: Test = (value, operand) => (operand as readonly unknown[]).some(one => isSame(value, one))

/** What the operators of filters that where.ts makes say of a value that is not null. */
const tests: Readonly<Record<string, Test>> = {
  ...texts,
  ...Object.fromEntries(Object.entries(texts).map(([word, test]) => [`${word}IgnoreCase`, ignoringCase(test)])),
  eqIgnoreCase: ignoringCase(isSame),
  eq: isSame,
  ne: (value, operand) => !isSame(value, operand),
  in: isAmong,
  notIn: (value, operand) => !isAmong(value, operand),
  lt: (value, operand) => isLess(value, operand),
  gt: (value, operand) => isLess(operand, value),
  lte: (value, operand) => !isLess(operand, value),
  gte: (value, operand) => !isLess(value, operand)
}

/** Returns true if a value passes all tests, by operator. Of a value that is not shown, no test is known to hold. */
export function passes (
  value: unknown, all: ReadonlyArray<readonly [word: string, operand: unknown]>, isNot: boolean
): boolean {
  if (value === undefined) return false
  return all.every(([word, operand]) => holds(value, word, operand) !== isNot)
}

function holds (value: unknown, word: string, operand: unknown): boolean {
  if (operand === null) return (value === null) === (word === 'eq')
  if (value === null) return word === 'ne' || word === 'notIn'
  return tests[word]?.(value, operand) ?? false
}

// JSON has texts where a page has a Date or a bigint.
function isSame (value: unknown, operand: unknown): boolean {
  return operand instanceof Date ? +new Date(String(value)) === +operand : String(value) === String(operand)
}

function isLess (one: unknown, other: unknown): boolean {
  const [left, right] = [one, other] as [number, number]
  if (one instanceof Date || other instanceof Date) return +new Date(left) < +new Date(right)
  return left < right
}

/** Returns true if an item precedes another in the order of the API: null is last, and first in descending order. */
export function isBefore (
  item: ItemRow, other: ItemRow, path: readonly string[], direction: 'asc' | 'desc'
): boolean {
  const [one, another] = [item, other].map(row => valueAt(row, path) ?? null)
  if (one === null || another === null) return one !== another && (one === null) === (direction === 'desc')
  return direction === 'asc' ? isLess(one, another) : isLess(another, one)
}
