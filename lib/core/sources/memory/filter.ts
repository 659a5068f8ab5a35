import type { Operator } from '../../model/values.ts'
import type { FieldPredicate, Predicate } from '../../plan/plan.ts'
import { foldCase } from '../fold-case.ts'
import { relatedReducer } from './aggregate.ts'
import { compareValues } from './compare.ts'
import { relatedOf } from './relations.ts'
import { type Tick, untimed } from './tick.ts'
import { comparableOf, comparableReaderOf } from './values.ts'

type RowTest = (row: object) => boolean

export function compileFilter (predicate: Predicate, tick: Tick = untimed): RowTest {
  switch (predicate.kind) {
    case 'all': {
      const tests = predicate.of.map(one => compileFilter(one, tick))
      return row => tests.every(test => test(row))
    }
    case 'any': {
      const tests = predicate.of.map(one => compileFilter(one, tick))
      return row => tests.some(test => test(row))
    }
    case 'not': {
      const test = compileFilter(predicate.of, tick)
      return row => !test(row)
    }
    case 'some': {
      const related = relatedOf(predicate.field, tick)
      const test = compileFilter(predicate.where, tick)
      return row => related(row).some(test)
    }
    case 'related': {
      const reduce = relatedReducer(predicate, [predicate.value], tick)
      const test = compileFilter(predicate.having, tick)
      return row => test(reduce(row))
    }
    default: {
      const read = comparableReaderOf(predicate.field)
      const test = compileCondition(predicate)
      return row => test(read(row))
    }
  }
}

function compileCondition (condition: FieldPredicate): ValueTest {
  switch (condition.kind) {
    case 'is_null': return value => value === null
    case 'compare': return tests[condition.operator](comparableOf(condition.value, condition.field.type.kind))
  }
}

export function filterRows (rows: readonly object[], predicate: Predicate, tick: Tick): readonly object[] {
  const test = compileFilter(predicate, tick)
  return rows.filter(row => {
    tick(1)
    return test(row)
  })
}

type ValueTest = (value: unknown) => boolean

/** Makes the test of an operator from its operand. Both are compared values (values.ts). */
type MakeTest = (operand: unknown) => ValueTest

const is: MakeTest = operand => value => value === operand
const ordered = (holds: (sign: number) => boolean): MakeTest => operand => value =>
  value !== null && holds(compareValues(value, operand))
const textual = (holds: (text: string, part: string) => boolean): MakeTest => operand => value =>
  typeof value === 'string' && typeof operand === 'string' && holds(value, operand)
const folded = (holds: (text: string, part: string) => boolean): MakeTest => operand => {
  const part = foldCase(String(operand))
  return value => typeof value === 'string' && holds(foldCase(value), part)
}
const among: MakeTest = operand => {
  const values = new Set<unknown>(Array.isArray(operand) ? operand : [operand])
  return value => values.has(value)
}
const not = (make: MakeTest): MakeTest => operand => {
  const test = make(operand)
  return value => !test(value)
}

const startsWith = (text: string, part: string) => text.startsWith(part)
const endsWith = (text: string, part: string) => text.endsWith(part)
const contains = (text: string, part: string) => text.includes(part)

const tests: Readonly<Record<Operator, MakeTest>> = {
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
