/** A value to compare with: that of the field, or a Date for a text. */
type Operand<V> = string extends V ? V | Date : V

type Ordered<V> = Exclude<Operand<V>, null | undefined>
export type Equal<V> = Exclude<Operand<V>, undefined> | (undefined extends V ? null : never)

interface Equality<V> {
  readonly eq?: Equal<V>
  readonly ne?: Equal<V>
  readonly in?: ReadonlyArray<Equal<V>>
  readonly notIn?: ReadonlyArray<Equal<V>>
  readonly '='?: Equal<V>
  readonly '!='?: Equal<V>
  readonly '=*'?: ReadonlyArray<Equal<V>>
  readonly '!=*'?: ReadonlyArray<Equal<V>>
}

interface Ordering<V> {
  readonly lt?: Ordered<V>
  readonly lte?: Ordered<V>
  readonly gt?: Ordered<V>
  readonly gte?: Ordered<V>
  readonly '<'?: Ordered<V>
  readonly '<='?: Ordered<V>
  readonly '>'?: Ordered<V>
  readonly '>='?: Ordered<V>
}

interface Texts {
  readonly startsWith?: string
  readonly endsWith?: string
  readonly contains?: string
  readonly eqIgnoreCase?: string
  readonly startsWithIgnoreCase?: string
  readonly endsWithIgnoreCase?: string
  readonly containsIgnoreCase?: string
  readonly '^='?: string
  readonly '$='?: string
  readonly '*='?: string
  readonly '~='?: string
  readonly '^~='?: string
  readonly '$~='?: string
  readonly '*~='?: string
}

/** The operators that a field takes, by their words or as they are spelled in URLs. All that are given must hold. */
export type Operators<V> = Equality<V> & Ordering<V> & (unknown extends V ? Texts : V extends string ? Texts : unknown)

/**
 * A condition on a field: a value that it equals, null for no value, a list of values that it is one of, or operators.
 */
export type FieldCondition<V> = Equal<V> | ReadonlyArray<Equal<V>> | Operators<V>
