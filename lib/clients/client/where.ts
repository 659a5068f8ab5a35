import type { OperatorWord } from './types/where.ts'

/** The words of operators, with the wire's spelling (docs/http.md: Query strings). */
const operators: Readonly<Record<OperatorWord, string>> = {
  eq: '=',
  ne: '!=',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  in: '=*',
  notIn: '!=*',
  startsWith: '^=',
  endsWith: '$=',
  contains: '*=',
  eqIgnoreCase: '~=',
  startsWithIgnoreCase: '^~=',
  endsWithIgnoreCase: '$~=',
  containsIgnoreCase: '*~='
}

const isOperator = (key: string): key is OperatorWord => Object.hasOwn(operators, key)

/**
 * Returns the filters of an object, all of which must hold. `inside`: they stand in parentheses, where a list needs its
 * own. Throws a TypeError for undefined, which never means that there is no condition.
 */
export function formatWhere (where: object, inside?: boolean): readonly string[] {
  return Object.entries(where).flatMap(([name, value]: [string, unknown]) => {
    const isList = Array.isArray(value)
    if (isList && name === 'and') return value.flatMap(one => formatWhere(one as object, inside))
    if (isList && name === 'or') return formatOr(value as readonly object[])
    const isValue = isList || Object(value) !== value || value instanceof Date
    const members = isValue ? [[isList ? 'in' : 'eq', value] as const] : Object.entries(value as object)
    // A relation: one element must match all of its filters.
    if (!members[0] || !members.every(([key]) => isOperator(key))) {
      return (name === 'not' ? '!' : name) + group(formatWhere(value as object, true))
    }
    return members.map(([key, operand]) => {
      const text = [operand].flat().map(formatValue).join()
      return name + operators[key as OperatorWord] + (inside && Array.isArray(operand) ? `(${text})` : text)
    })
  })
}

function formatOr (members: readonly object[]): readonly string[] | string {
  const parts = members.map(one => formatWhere(one, true))
  // A member without filters is true. No member is true where there is none.
  if (parts.some(part => !part[0])) return []
  return parts[0] ? `(${parts.map(part => part[1] ? group(part) : part).join('|')})` : '!()'
}

/** Returns filters in parentheses, or the group that they are already. */
const group = (filters: readonly string[]): string =>
  !filters[1] && filters[0]?.startsWith('(') ? filters[0] : `(${filters as unknown as string})`

/** Returns a value as text. Strings are in quotes, so that no character of them has a meaning. */
function formatValue (given: unknown): string {
  if (given === undefined) throw new TypeError('where: undefined')
  const value = given instanceof Date ? given.toJSON() : given
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value)
}
