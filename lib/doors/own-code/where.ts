import type { OperatorWord } from '../../clients/client/types/where.ts'
import { invalidFilter } from '../../core/errors/errors.ts'
import { isObject } from '../../core/errors/is-object.ts'
import { didYouMean, suggest } from '../../core/errors/suggest.ts'
import { type Collection, isRelation } from '../../core/model/model.ts'
import { type Operator, traitsOf } from '../../core/model/values.ts'
import { findReadable } from '../../core/plan/field-path.ts'
import type { Filter, TextPlace, ValueText } from '../../core/request/request.ts'
import { operatorDefaults } from '../../core/request/syntax.ts'

/** An object whose members are not known yet. */
export type Members = Readonly<Record<string, unknown>>

/** Returns true for an object that a literal makes, in contrast to an array, a Date or a value. */
export const isMembers = (value: unknown): value is Members =>
  isObject(value) && !(value instanceof Date)

/**
 * Returns the filters of a condition given as an object (docs/own-code.md: Queries). Throws invalid_filter for an
 * unknown operator, and for a member that is undefined.
 */
export function filtersOf (where: unknown, collection: Collection, parameter: string): readonly Filter[] {
  if (!isMembers(where)) throw invalidFilter(`'${parameter}' must be an object.`, placeOf(parameter))
  return Object.entries(where).map(([name, value]) => filterOf(name, value, collection, `${parameter}.${name}`))
}

/** Own code has no text with a position: its errors name the member by its path. */
export const placeOf = (parameter: string): TextPlace => ({ parameter, position: 1 })

function filterOf (name: string, value: unknown, collection: Collection, parameter: string): Filter {
  if (value === undefined) {
    throw invalidFilter(`'${parameter}' is undefined; leave it out, or use null for no value.`, placeOf(parameter))
  }
  const allOf = (where: unknown, place: string): Filter => ({ kind: 'all', of: filtersOf(where, collection, place) })
  if (isGroup(name) && Array.isArray(value)) {
    return { kind: groups[name], of: value.map((one, index) => allOf(one, `${parameter}.${index}`)) }
  }
  if (name === 'not' && isMembers(value)) return { kind: 'not', of: allOf(value, parameter) }
  const field = findReadable(collection, name)
  const at = placeOf(parameter)
  if (field !== undefined && isRelation(field) && isMembers(value)) {
    return { kind: 'some', path: [name], of: { kind: 'all', of: filtersOf(value, field.target, parameter) }, at }
  }
  if (isMembers(value)) return operationsOf(name, value, parameter)
  return Array.isArray(value) ? compare(name, 'in', value, at) : compare(name, 'equals', value, at)
}

const groups = { and: 'all', or: 'any' } as const

const isGroup = (name: string): name is keyof typeof groups => Object.hasOwn(groups, name)

/** Returns the filter of the operators of one field, all of which must hold. */
function operationsOf (name: string, operations: Members, parameter: string): Filter {
  const entries = Object.entries(operations)
  if (entries.length === 0) throw invalidFilter(`'${parameter}' names no operator.`, placeOf(parameter))
  return { kind: 'all', of: entries.map(([word, value]) => operationOf(name, word, value, `${parameter}.${word}`)) }
}

function operationOf (name: string, word: string, value: unknown, parameter: string): Filter {
  const operator = operators.get(word)
  const at = placeOf(parameter)
  if (operator === undefined) {
    const near = suggest(word, Object.values(operatorWords))
    const advice = near === undefined ? ` Use one of ${Object.values(operatorWords).join(', ')}.` : didYouMean(near)
    throw invalidFilter(`There is no operator '${word}'.${advice}`, at, near)
  }
  const { list } = traitsOf(operator)
  if (list !== Array.isArray(value)) {
    throw invalidFilter(`'${parameter}' takes ${list ? 'an array of values' : 'a single value'}.`, at)
  }
  return compare(name, operator, value, at)
}

function compare (name: string, operator: Operator, value: unknown, at: TextPlace): Filter {
  const path = name.endsWith('()') ? name.split('.') : [name]
  return { kind: 'compare', path, operator, values: [value].flat().map(one => givenValue(one, at)), at }
}

/** Returns a value as a plan takes it, with its text for messages. */
export const givenValue = (value: unknown, at: TextPlace): ValueText =>
  ({ text: String(value), quoted: true, at, given: { value } })

/** The words for operators in queries of own code and of clients. */
export const operatorWords = {
  equals: 'eq',
  not_equals: 'ne',
  greater: 'gt',
  less: 'lt',
  at_least: 'gte',
  at_most: 'lte',
  in: 'in',
  not_in: 'notIn',
  starts_with: 'startsWith',
  ends_with: 'endsWith',
  contains: 'contains',
  equals_ignoring_case: 'eqIgnoreCase',
  starts_with_ignoring_case: 'startsWithIgnoreCase',
  ends_with_ignoring_case: 'endsWithIgnoreCase',
  contains_ignoring_case: 'containsIgnoreCase'
} as const satisfies Record<Operator, OperatorWord>

/** The operators by their words, and by their spellings in URLs. */
const operators: ReadonlyMap<string, Operator> = new Map(
  Object.entries(operatorWords).flatMap(([operator, word]) => {
    const names = [word, ...operatorDefaults[operator as Operator]]
    return names.map(name => [name, operator as Operator] as const)
  })
)
