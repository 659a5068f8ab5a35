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

/**
 * Makes filters of the members of a `where`: the client makes their text, own code those of a parsed query. A list of
 * filters must hold as a whole. `at`: the path of the member, for messages.
 */
export interface FilterMaker<F> {
  compare (name: string, word: OperatorWord, operand: unknown, at: string): F
  /** Of a relation: one element must match all filters. */
  some (name: string, filters: readonly F[], at: string): F
  not (filters: readonly F[]): F
  any (members: ReadonlyArray<readonly F[]>): readonly F[]
  /** Returns the error of what is no condition, such as undefined, which never means that there is none. */
  fault (at: string, found: unknown): Error
}

/** Returns the filters of an object, all of which must hold (docs/clients.md: Filters). Throws the maker's errors. */
export function walkWhere<F> (where: unknown, make: FilterMaker<F>, path = 'where'): readonly F[] {
  if (isValue(where)) throw make.fault(path, where)
  return Object.entries(where as object).flatMap(([name, value]: [string, unknown]) => {
    const at = `${path}.${name}`
    const isList = Array.isArray(value)
    if (isList && /^(and|or)$/.test(name)) {
      const members = value.map((one, index) => walkWhere(one, make, `${at}.${index}`))
      return name === 'or' ? make.any(members) : members.flat()
    }
    const compare = (word: string, operand: unknown, at: string) => {
      if ([operand].flat().includes(undefined)) throw make.fault(at, undefined)
      return make.compare(name, word as OperatorWord, operand, at)
    }
    if (isValue(value)) return compare(isList ? 'in' : 'eq', value, at)
    const members = Object.entries(value as object)
    if (members[0] && members.every(([word]) => Object.hasOwn(operators, word))) {
      return members.map(([word, operand]) => compare(word, operand, `${at}.${word}`))
    }
    const filters = walkWhere(value, make, at)
    return name === 'not' ? make.not(filters) : make.some(name, filters, at)
  })
}

const isValue = (value: unknown) => Object(value) !== value || Array.isArray(value) || value instanceof Date

/** A filter as text. `inside`: it stands in parentheses, where a list needs its own. */
type Text = (inside?: boolean) => string

const texts: FilterMaker<Text> = {
  compare: (name, word, operand) => inside => {
    const text = [operand].flat().map(formatValue).join()
    return name + operators[word] + (inside && Array.isArray(operand) ? `(${text})` : text)
  },
  some: (name, filters) => () => name + group(filters),
  not: filters => () => `!${group(filters)}`,
  any (members) {
    // A member without filters is true. No member is true where there is none.
    if (members.some(one => !one[0])) return []
    return [() => members[0] ? `(${members.map(one => one[1] ? group(one) : one[0]?.(true)).join('|')})` : '!()']
  },
  fault: (_, found) => new TypeError(`where: ${found as string}`)
}

/** Returns filters in parentheses, or the group that they are already. */
function group (filters: readonly Text[]): string {
  const text = filters.map(one => one(true)).join()
  return !filters[1] && text.startsWith('(') ? text : `(${text})`
}

/** Returns the texts of the filters of an object, all of which must hold. Throws a TypeError for undefined. */
export const formatWhere = (where: unknown, inside?: boolean): readonly string[] =>
  walkWhere(where, texts).map(one => one(inside))

/** Returns a value as text. Strings are in quotes, so that no character of them has a meaning. */
function formatValue (given: unknown): string {
  const value = given instanceof Date ? given.toJSON() : given
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value)
}
