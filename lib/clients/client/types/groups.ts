import type { Comparison } from './where.ts'

/** The units of time by which days and timestamps are grouped, in UTC. */
type TimeUnit = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour'

/** The functions of a field of the items of a group (docs/http.md: Groups). */
export type FieldFunction = 'count_distinct' | 'sum' | 'avg' | 'min' | 'max'

type Names<I> = Extract<keyof I, string>

/** A field; a unit of time of a field: `{ launched_on: 'year' }`; fields of a sub-item: `{ planet: ['kind'] }`. */
type By<I, R extends string> = Names<I> | { readonly [N in Names<I> | R]?: N extends R ? readonly string[] : Unit<N> }

/** Without types, any name can be that of a sub-item. */
type Unit<N> = string extends N ? TimeUnit | readonly string[] : TimeUnit

export type Calls<I> = { readonly [C in FieldFunction]?: ReadonlyArray<Names<I>> | undefined }

/** What groups can be sorted by: the fields and units by which they are made, and functions. */
type SortPath<I, R extends string> =
  Names<I> | 'count()' | `${Names<I>}.${FieldFunction | TimeUnit}()` | `${R}.${string}`

type SortTerm<I, R extends string> = SortPath<I, R> | `-${SortPath<I, R>}` | `${SortPath<I, R>} ${'asc' | 'desc'}`

/** A condition of groups, by functions of their items. */
type Having<I> =
  & { readonly 'count()'?: Comparison<number> }
  & { readonly [N in Names<I> as `${N}.${'sum' | 'avg' | 'count' | 'count_distinct'}()`]?: Comparison<number | null> }
  & { readonly [N in Names<I> as `${N}.${'min' | 'max'}()`]?: Comparison<I[N] | null> }
  & { readonly and?: ReadonlyArray<Having<I>>, readonly or?: ReadonlyArray<Having<I>>, readonly not?: Having<I> }

/** A query of groups. `I`: the fields of the items; `R`: the names of their sub-items; `W`: a condition of items. */
export interface GroupsQuery<I, R extends string, W> extends Calls<I> {
  /** Default: all items are one group. */
  readonly by?: ReadonlyArray<By<I, R>> | undefined
  /** True for the number of the items of each group. */
  readonly count?: boolean | undefined
  readonly where?: W | undefined
  readonly having?: Having<I> | undefined
  readonly sort?: SortTerm<I, R> | ReadonlyArray<SortTerm<I, R>> | undefined
  readonly page?: number | string | undefined
  readonly size?: number | undefined
  readonly offset?: number | string | undefined
  readonly limit?: number | undefined
}

/** A group: the values that its items share, and those that functions make of theirs. */
export type Group<I, Q> =
  & { readonly [N in Extract<ByOf<Q>, keyof I>]: Value<I[N]> }
  & Both<Shared<I, Exclude<ByOf<Q>, string>>>
  & Called<I, Q>

/** The values of functions that a query asks for. */
export type Called<I, Q> =
  & (Q extends { readonly count: true } ? { readonly count: number } : unknown)
  & { readonly [N in Extract<CalledOf<Q>, keyof I>]: {
    readonly [C in FieldFunction as N extends ElementOf<Q, C> ? C : never]: Result<C, I[N]>
  } }

type ByOf<Q> = Q extends { readonly by: ReadonlyArray<infer B> } ? B : never
type ElementOf<Q, C extends FieldFunction> = Q extends { readonly [_ in C]: ReadonlyArray<infer E> } ? E : never
type CalledOf<Q> = { [C in FieldFunction]: ElementOf<Q, C> }[FieldFunction]
type Value<V> = Exclude<V, undefined> | (undefined extends V ? null : never)

/** The members of a unit of time, and of a sub-item. */
type Shared<I, B> = B extends object ? {
  readonly [N in keyof B]: B[N] extends ReadonlyArray<infer E>
    ? { readonly [_ in E & string]: unknown } | null
    : { readonly [_ in B[N] & string]: N extends keyof I ? string | Extract<Value<I[N]>, null> : never }
} : never

/** The intersection of a union; `unknown` of none. */
type Both<U> = [U] extends [never]
  ? unknown
  : (U extends unknown ? (one: U) => void : never) extends (all: infer A) => void ? A : never

type Result<C extends FieldFunction, V> =
  C extends 'count_distinct' ? number :
    C extends 'avg' ? number | null :
      C extends 'sum' ? (NonNullable<V> extends string ? string : number) | null : NonNullable<V> | null
