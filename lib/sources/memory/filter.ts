import type { DataField, RelationField } from '../../model/model.ts'
import type { Operator } from '../../model/values.ts'
import type { Predicate } from '../../plan/plan.ts'
import { foldCase } from '../fold-case.ts'
import { tick } from './clock.ts'
import { relatedOf } from './relations.ts'
import { compareValues } from './compare-values.ts'
import { comparableOperand } from './comparable.ts'
import { plainTest, type RowTest } from './plain-test.ts'
import { leaving, resumed, someOf } from './suspension.ts'
import { comparableReaderOf } from './values.ts'

export type { RowTest } from './plain-test.ts'

/** The operand of a comparison, in the form in which it is compared (comparable.ts). */
type Value = unknown

/** Compiles a predicate to a test of rows. */
export function compileFilter (predicate: Predicate): RowTest {
  switch (predicate.kind) {
    case 'all': return allOf(predicate.of.map(compileFilter), predicate.of.some(hasRelation))
    case 'any': return anyOf(predicate.of.map(compileFilter), predicate.of.some(hasRelation))
    case 'not': {
      const test = compileFilter(predicate.of)
      return row => !test(row)
    }
    case 'some': return some(predicate.field, compileFilter(predicate.where))
    case 'is_null': {
      const read = comparableReaderOf(predicate.field)
      return row => read(row) === null
    }
    case 'compare': {
      const { field, operator, value } = predicate
      return compareTest(field, operator, comparableOperand(value, field.type.kind))
    }
  }
}

function compareTest (field: DataField, operator: Operator, operand: Value): RowTest {
  const test = tests[operator](operand)
  const read = comparableReaderOf(field)
  const any: RowTest = row => test(read(row))
  return plainTest(field, operator, operand, any) ?? any
}

/** Returns true for a predicate whose test visits other rows, and so may be suspended. */
function hasRelation (predicate: Predicate): boolean {
  switch (predicate.kind) {
    case 'some': return true
    case 'not': return hasRelation(predicate.of)
    case 'all': case 'any': return predicate.of.some(hasRelation)
    case 'compare': case 'is_null': return false
  }
}

/** Most filters have one or two terms. `long`: the tests may be suspended, and go on at the test where they were. */
function allOf (tests: readonly RowTest[], long: boolean): RowTest {
  const [first, second, ...others] = tests
  if (first === undefined) return () => true
  if (second === undefined) return first
  if (long) return row => !someOf(() => tests, test => !test(row))
  if (others.length === 0) return row => first(row) && second(row)
  return row => tests.every(test => test(row))
}

function anyOf (tests: readonly RowTest[], long: boolean): RowTest {
  return long ? row => someOf(() => tests, test => test(row)) : row => tests.some(test => test(row))
}

function some (field: RelationField, test: RowTest): RowTest {
  const related = relatedOf(field)
  const visit: RowTest = row => {
    tick()
    return test(row)
  }
  return row => someOf(() => related(row), visit)
}

/**
 * Returns the rows that match. Can be suspended; then it goes on with the rows as they were, which the application may
 * change meanwhile.
 */
export function filterRows (rows: Iterable<object>, test: RowTest): readonly object[] {
  const state = resumed<{ readonly list: readonly object[], readonly index: number, readonly matching: object[] }>()
  const matching = state?.matching ?? []
  const list = state?.list ?? (Array.isArray(rows) ? rows as readonly object[] : [...rows])
  let index = state?.index ?? 0
  try {
    for (; index < list.length; index++) {
      tick()
      const row = list[index] as object
      if (test(row)) matching.push(row)
    }
    return matching
  } catch (error) {
    throw leaving(error, { list: list === rows ? [...list] : list, index, matching })
  }
}

type ValueTest = (value: unknown) => boolean

const is = (value: Value): ValueTest => one => one === value
const ordered = (holds: (sign: number) => boolean) => (value: Value): ValueTest =>
  one => one !== null && value !== null && holds(compareValues(one, value))
const textual = (holds: (text: string, part: string) => boolean) => (value: Value): ValueTest =>
  one => typeof one === 'string' && typeof value === 'string' && holds(one, value)
const folded = (holds: (text: string, part: string) => boolean) => (value: Value): ValueTest => {
  const part = foldCase(String(value))
  return one => typeof one === 'string' && holds(foldCase(one), part)
}
const among = (value: Value): ValueTest => {
  const values = new Set<unknown>(Array.isArray(value) ? value : [value])
  return one => values.has(one)
}
const not = (make: (value: Value) => ValueTest) => (value: Value): ValueTest => {
  const test = make(value)
  return one => !test(one)
}

const startsWith = (text: string, part: string) => text.startsWith(part)
const endsWith = (text: string, part: string) => text.endsWith(part)
const contains = (text: string, part: string) => text.includes(part)

const tests: Readonly<Record<Operator, (value: Value) => ValueTest>> = {
  equals: is,
  not_equals: not(is),
  greater: ordered(sign => sign > 0),
  less: ordered(sign => sign < 0),
  at_least: ordered(sign => sign >= 0),
  at_most: ordered(sign => sign <= 0),
  in: among,
  not_in: not(among),
  starts_with: textual(startsWith),
  ends_with: textual(endsWith),
  contains: textual(contains),
  equals_ignoring_case: folded((text, part) => text === part),
  starts_with_ignoring_case: folded(startsWith),
  ends_with_ignoring_case: folded(endsWith),
  contains_ignoring_case: folded(contains)
}
