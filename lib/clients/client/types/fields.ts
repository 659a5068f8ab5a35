import type { Api, Name, Target } from './api.ts'
import type { FieldFunction, Called, Calls } from './groups.ts'
import type { Where } from './where.ts'

/** The names of the fields that hold numbers. Without types, any name. */
export type NumberNames<I> = {
  [F in keyof I]-?: unknown extends I[F] ? F : Exclude<I[F], null | undefined> extends number ? F : never
}[keyof I] & string

/** A selection: names of fields, and relations with a selection or a query of their own. */
export type Fields<A extends Api<A>, K extends keyof A> = ReadonlyArray<Name<A, K> | Nested<A, K>>

/** One mapped type: a string would be assignable to an intersection with a part that has no members. */
type Nested<A extends Api<A>, K extends keyof A> = [keyof A[K]['one'] | keyof A[K]['many']] extends [never] ? never : {
  readonly [R in keyof A[K]['one'] | keyof A[K]['many']]?: R extends keyof A[K]['one']
    ? OneQuery<A, Target<A, A[K]['one'], R>>
    : ManyQuery<A, Target<A, A[K]['many'], R>>
}

type OneQuery<A extends Api<A>, K extends keyof A> = Fields<A, K> | { readonly fields?: Fields<A, K> }

type ManyQuery<A extends Api<A>, K extends keyof A> = Fields<A, K> | NestedQuery<A, K> | Functions<A[K]['item']>

/** What functions make of related items, in place of the items themselves. */
type Functions<I> = Calls<I> & { readonly count?: true }

interface NestedQuery<A extends Api<A>, K extends keyof A> extends Listing<A, K> {
  readonly fields?: Fields<A, K>
}

/** The parameters of a listing but for its fields. */
export interface Listing<A extends Api<A>, K extends keyof A> {
  readonly where?: Where<A, K> | undefined
  /** `name`, `-name`, `name desc`; `author.name` of a sub-item; `books.count()`, `books.pages.max()` of many. */
  readonly sort?: SortTerm<A, K> | ReadonlyArray<SortTerm<A, K>> | undefined
  readonly page?: number | string | undefined
  readonly size?: number | undefined
  readonly offset?: number | string | undefined
  readonly limit?: number | undefined
}

type Sortable<A extends Api<A>, K extends keyof A> = Exclude<Extract<keyof A[K]['item'], string>, A[K]['unsortable']>

/** A field, or a path through sub-items. Beyond two sub-items the path is any text: there would be too many. */
type SortPath<A extends Api<A>, K extends keyof A> = Sortable<A, K> | `${Many<A, K>}.count()` | FunctionPath<A, K> | {
  [R in One<A, K>]: `${R}.${Sortable<A, Target<A, A[K]['one'], R>> | Further<A, Target<A, A[K]['one'], R>>}`
}[One<A, K>]

type Further<A extends Api<A>, K extends keyof A> = {
  [R in One<A, K>]: `${R}.${Sortable<A, Target<A, A[K]['one'], R>>}` |
    `${R}.${One<A, Target<A, A[K]['one'], R>>}.${string}`
}[One<A, K>]

/** A function of a field of the items of a sub-collection. */
type FunctionPath<A extends Api<A>, K extends keyof A> = {
  [R in Many<A, K>]: `${R}.${Sortable<A, Target<A, A[K]['many'], R>>}.${FieldFunction | 'count'}()`
}[Many<A, K>]

/** The sub-collections by whose numbers lists can be sorted. */
type Many<A extends Api<A>, K extends keyof A> = Exclude<Extract<keyof A[K]['many'], string>, A[K]['unsortable']>

/** The sub-items through which lists can be sorted. */
type One<A extends Api<A>, K extends keyof A> = Exclude<Extract<keyof A[K]['one'], string>, A[K]['unsortable']>

export type SortTerm<A extends Api<A>, K extends keyof A> =
  SortPath<A, K> | `-${SortPath<A, K>}` | `${SortPath<A, K>} ${'asc' | 'desc'}`

/** An item in a listing or inside another item. */
export type Listed<A extends Api<A>, K extends keyof A> = { [F in A[K]['listed']]: Value<A, K, F> }

/** An item at its own URL. */
export type Full<A extends Api<A>, K extends keyof A> =
  { [F in Exclude<Name<A, K>, A[K]['hidden']>]: Value<A, K, F> }

/** An item with the fields of a selection. */
export type Picked<A extends Api<A>, K extends keyof A, S> = S extends ReadonlyArray<infer E>
  ? { [F in NamesIn<E>]: F extends E ? Value<A, K, F> : Within<A, K, F, QueryIn<E, F>> }
  : never

/** The item of a query: with a selection, or without one in the form `D`. */
export type Chosen<A extends Api<A>, K extends keyof A, S, D> = [S] extends [undefined] ? D : Picked<A, K, S>

type Value<A extends Api<A>, K extends keyof A, F> =
  F extends keyof A[K]['item'] ? A[K]['item'][F] :
    F extends keyof A[K]['one'] ? Listed<A, Target<A, A[K]['one'], F>> | null :
      F extends keyof A[K]['many'] ? Array<Listed<A, Target<A, A[K]['many'], F>>> : unknown

type NamesIn<E> = E extends string ? E : keyof E
type QueryIn<E, F> = E extends string ? never : F extends keyof E ? E[F] : never

type Within<A extends Api<A>, K extends keyof A, F, Q> =
  F extends keyof A[K]['one'] ? Element<A, Target<A, A[K]['one'], F>, Q> | null :
    F extends keyof A[K]['many']
      ? [keyof Q & (FieldFunction | 'count')] extends [never]
          ? Array<Element<A, Target<A, A[K]['many'], F>, Q>>
          : keyof Q extends 'count' ? { count: number } : Called<A[Target<A, A[K]['many'], F>]['item'], Q>
      : unknown

type Element<A extends Api<A>, K extends keyof A, Q> =
  Q extends readonly unknown[] ? Picked<A, K, Q> :
    Q extends { readonly fields: infer S } ? Picked<A, K, S> : Listed<A, K>
