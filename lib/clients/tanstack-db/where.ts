import { passes, valueAt } from './passes.ts'
import type { ItemRow } from './rows.ts'
import type { QueryExpression, PathReference } from './tanstack.ts'

/**
 * What an expression means to the API: all items for which it is true match `where`. `isExact`: no others do, so that
 * the first items of an order are the first ones of the expression too. `takes`: tells which items match `where`.
 */
export interface Meant {
  readonly where: object
  readonly isExact: boolean
  takes (item: ItemRow): boolean
}

/** Returns the path of a field in the API's items by the path in a row; undefined for what the API cannot compare. */
export type PathOf = (path: ReadonlyArray<string | number>) => readonly string[] | undefined

/**
 * Returns what an expression means; undefined for one that the API does not know, which may be true for any item.
 * `negated`: what it means that the expression is false. In TanStack DB it is neither where it compares null.
 */
export function meaningOf (expression: QueryExpression, pathOf: PathOf, negated = false): Meant | undefined {
  if (expression.type === 'val') return expression.value === !negated ? all : none
  if (expression.type === 'ref') return undefined
  const { name, args: [left, right], args } = expression
  if (name === 'not' && left) return meaningOf(left, pathOf, !negated)
  if (name === 'and' || name === 'or') {
    const parts = args.map(one => meaningOf(one, pathOf, negated))
    return (name === 'and') === negated ? either(parts) : both(parts)
  }
  if (left?.type === 'val' && right?.type === 'ref') return comparison(turned[name], right, left, pathOf, negated)
  return left?.type === 'ref' ? comparison(name, left, right, pathOf, negated) : undefined
}

export const all: Meant = { where: {}, isExact: true, takes: () => true }
const none: Meant = { where: { or: [] }, isExact: true, takes: () => false }

function both (parts: ReadonlyArray<Meant | undefined>): Meant {
  const known = parts.filter(one => one !== undefined)
  const isExact = known.length === parts.length && known.every(one => one.isExact)
  const takes = (item: ItemRow) => known.every(one => one.takes(item))
  return { where: { and: known.map(({ where }) => where) }, isExact, takes }
}

function either (parts: ReadonlyArray<Meant | undefined>): Meant | undefined {
  const known = parts.filter(one => one !== undefined)
  if (known.length < parts.length) return undefined
  const takes = (item: ItemRow) => known.some(one => one.takes(item))
  return { where: { or: known.map(({ where }) => where) }, isExact: known.every(one => one.isExact), takes }
}

/** The comparisons whose sides change places. */
const turned: Readonly<Record<string, string>> = { eq: 'eq', gt: 'lt', gte: 'lte', lt: 'gt', lte: 'gte' }
/** Those that are true where the others are false. */
const opposite: Readonly<Record<string, string>> = { gt: 'lte', gte: 'lt', lt: 'gte', lte: 'gt' }

function comparison (
  name: string | undefined,
  { path }: PathReference,
  other: QueryExpression | undefined,
  pathOf: PathOf,
  negated: boolean
): Meant | undefined {
  // A row has null where it has no value.
  if (name === 'isUndefined') return negated ? all : none
  const at = pathOf(path)
  if (at === undefined || name === undefined) return undefined
  if (name === 'isNull') return at.length > 1 ? undefined : filter(at, negated ? { ne: null } : { eq: null })
  if (other?.type !== 'val') return undefined
  const value: unknown = other.value
  if (name === 'in') return membership(at, value, negated)
  if (value === null || value === undefined) return none
  if (typeof value === 'object' && !(value instanceof Date)) return undefined
  if (name === 'like' || name === 'ilike') return likeness(at, value, name === 'ilike', negated)
  if (name !== 'eq') {
    const operator = negated ? opposite[name] : name
    return operator !== undefined && name in opposite ? filter(at, { [operator]: value }) : undefined
  }
  if (!negated) return filter(at, { eq: value })
  // The API's `ne` holds for null as well.
  return typeof value === 'boolean' ? filter(at, { eq: !value }) : filter(at, { ne: value }, false)
}

/** The most values of a list that the API takes. */
const most = 1000

function membership (at: readonly string[], value: unknown, negated: boolean): Meant | undefined {
  const values = Array.isArray(value) ? value.filter(one => one !== null && one !== undefined) : undefined
  if (values === undefined || values.length > most || values.some(one => typeof one === 'object')) return undefined
  return negated ? filter(at, { notIn: values }, false) : filter(at, { in: values })
}

/** `%` stands for any text, `_` for one character, which the API does not know. */
function likeness (at: readonly string[], pattern: unknown, isIgnoring: boolean, negated: boolean): Meant | undefined {
  const [, start, text, end] = /^(%?)([^%_]*)(%?)$/.exec(String(pattern)) ?? []
  if (text === undefined || typeof pattern !== 'string') return undefined
  const word = start ? (end ? 'contains' : 'endsWith') : end ? 'startsWith' : 'eq'
  const test = { [isIgnoring ? `${word}IgnoreCase` : word]: text }
  return negated ? filter(at, test, false, true) : filter(at, test)
}

/** Returns the filter of a field, which may be one of a sub-item. */
function filter (at: readonly string[], test: object, isExact = true, isNot = false): Meant {
  const [name = '', ...outer] = [...at].reverse()
  const field = isNot ? { not: { [name]: test } } : { [name]: test }
  // In `and`, a field that is called like an operator is a field.
  const where = outer.reduce<object>((inner, relation) => ({ [relation]: { and: [inner] } }), field)
  return { where, isExact, takes: item => passes(valueAt(item, at), Object.entries(test), isNot) }
}
