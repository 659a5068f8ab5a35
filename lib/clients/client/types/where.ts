import type { Api, Target } from './api.ts'

/**
 * A filter. All members must hold; `{}` holds for every item. A member is a field with a value, a list of values, or
 * operators; a relation with a filter that one element must match; or a group `and`, `or`, `not`.
 */
export type Where<A extends Api<A>, K extends keyof A> =
  & { readonly [F in Exclude<keyof A[K]['item'], A[K]['unfilterable']>]?: Comparison<A[K]['item'][F]> }
  & Relations<A, K>
  & Groups<A, K>

interface Groups<A extends Api<A>, K extends keyof A> {
  readonly and?: ReadonlyArray<Where<A, K>>
  readonly or?: ReadonlyArray<Where<A, K>>
  readonly not?: Where<A, K>
}

/** The names of functions of a relation. */
type Count<R> = R extends string ? `${R}.count()` : never
type Numbers<R> = R extends string ? `${R}.${string}.${'sum' | 'avg' | 'count' | 'count_distinct'}()` : never
type Extremes<R> = R extends string ? `${R}.${string}.${'min' | 'max'}()` : never

/** Without types, any name can be that of a field. */
type Relations<A extends Api<A>, K extends keyof A> = string extends keyof A[K]['item'] ? unknown :
  & { readonly [R in Exclude<keyof A[K]['one'], A[K]['unfilterable']>]?: Where<A, Target<A, A[K]['one'], R>> | null }
  & { readonly [R in Exclude<keyof A[K]['many'], A[K]['unfilterable']>]?: Where<A, Target<A, A[K]['many'], R>> }
  & { readonly [R in Exclude<keyof A[K]['many'], A[K]['unfilterable']> as Count<R>]?: Comparison<number> }
  // The names of fields are any text: there would be too many.
  & { readonly [F in Numbers<Exclude<keyof A[K]['many'], A[K]['unfilterable']>>]?: Comparison<number | null> }
  & { readonly [F in Extremes<Exclude<keyof A[K]['many'], A[K]['unfilterable']>>]?: unknown }

/**
 * A value of a field, a list of which it must be one, or operators that must all hold. An object or an array is
 * compared with null alone.
 */
export type Comparison<V> = unknown extends V ? unknown
  : [Extract<V, object>] extends [never] ? Operand<V> | ReadonlyArray<Operand<V>> | Operators<V>
      : null extends V ? null | Pick<Equality<null>, 'eq' | 'ne'> : never

/** A filter takes dates for texts. */
type Operand<V> = string extends V ? V | Date : number extends V ? V | bigint : V

type Operators<V> = Equality<V> & (
  NonNullable<V> extends boolean ? unknown : Ordering<NonNullable<V>> & (string extends V ? Textual : unknown)
)

/** The words of all operators. */
export type OperatorWord = keyof (Equality<unknown> & Ordering<unknown> & Textual)

interface Equality<V> {
  readonly eq?: Operand<V>
  readonly ne?: Operand<V>
  readonly in?: ReadonlyArray<Operand<V>>
  readonly notIn?: ReadonlyArray<Operand<V>>
}

interface Ordering<V> {
  readonly lt?: Operand<V>
  readonly lte?: Operand<V>
  readonly gt?: Operand<V>
  readonly gte?: Operand<V>
}

interface Textual {
  readonly startsWith?: string
  readonly endsWith?: string
  readonly contains?: string
  readonly eqIgnoreCase?: string
  readonly startsWithIgnoreCase?: string
  readonly endsWithIgnoreCase?: string
  readonly containsIgnoreCase?: string
}
