import type { DataField } from '../model/model.ts'
import type { Scalar } from '../model/values.ts'
import type { Predicate } from './plan.ts'

export const always: Predicate = { kind: 'all', of: [] }
export const never: Predicate = { kind: 'any', of: [] }

export const equals = (field: DataField, value: Scalar | null): Predicate => ({ kind: 'compare', field, operator: 'equals', value })

/** All of them hold; the tree stays as flat as it can. */
export function both (first: Predicate, second: Predicate): Predicate {
  if (first === always) return second
  if (second === always) return first
  return { kind: 'all', of: [first, second] }
}

export function all (of: readonly Predicate[]): Predicate {
  const [only, ...others] = of
  if (only === undefined) return always
  return others.length === 0 ? only : { kind: 'all', of }
}

export function any (of: readonly Predicate[]): Predicate {
  const [only, ...others] = of
  return only !== undefined && others.length === 0 ? only : { kind: 'any', of }
}
