import type { Properties } from './collection.ts'

/** A condition on an item, as a scope's builder makes it. */
export interface Condition { readonly kind: 'condition', readonly of: ConditionNode }

export type ConditionNode =
  | {
    readonly kind: 'compare'
    readonly property: string
    readonly operator: ConditionOperator
    readonly value: unknown
  }
  | { readonly kind: 'some', readonly relation: string, readonly where: Condition }
  | { readonly kind: 'all' | 'any', readonly of: readonly Condition[] }
  | { readonly kind: 'not', readonly of: Condition }
  | { readonly kind: 'visible' }

type ConditionOperator = 'equals' | 'in' | 'less' | 'at_most' | 'greater' | 'at_least'

type Ordered<V> = Exclude<V, null | undefined>

/**
 * Builds conditions on items. Properties and values are those of the schema. No value is less or greater than null.
 */
export interface Where<I> {
  /** The property has this value; null means that it has none. */
  equals<P extends Properties<I>> (property: P, value: I[P] | null): Condition
  /** The property has one of these values. */
  oneOf<P extends Properties<I>> (property: P, values: ReadonlyArray<I[P] | null>): Condition
  less<P extends Properties<I>> (property: P, value: Ordered<I[P]>): Condition
  atMost<P extends Properties<I>> (property: P, value: Ordered<I[P]>): Condition
  greater<P extends Properties<I>> (property: P, value: Ordered<I[P]>): Condition
  atLeast<P extends Properties<I>> (property: P, value: Ordered<I[P]>): Condition
  /**
   * The condition holds for the sub-item, or for at least one item of the sub-collection. The other collection's scope
   * is not applied: `some('issue', where.visible)` applies it.
   */
  some (relation: string, condition: (where: Where<Record<string, unknown>>) => Condition): Condition
  /** All conditions hold; true without conditions. */
  all (...conditions: readonly Condition[]): Condition
  /** At least one condition holds; false without conditions. */
  any (...conditions: readonly Condition[]): Condition
  not (condition: Condition): Condition
  /** The item exists for the caller: it may read the collection, and the item is in its scope. */
  readonly visible: () => Condition
}
