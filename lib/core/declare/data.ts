import type { FastifyRequest } from 'fastify'
import type { NumberNames } from '../../clients/client/types/fields.ts'
import type { Group, GroupsQuery } from '../../clients/client/types/groups.ts'
import type { Equal, FieldCondition } from './field-condition.ts'

/**
 * The types of a collection's items, which its declaration carries (docs/own-code.md: Types). `stored`: the scalars
 * that its source holds. `computed`: the fields that are computed. `inputs`: the inputs that are no columns.
 * `relations`: `'one'` for each sub-item, `'many'` for each sub-collection.
 */
export interface Shape {
  readonly stored: object
  readonly computed: object
  readonly inputs: object
  readonly relations: Readonly<Record<string, 'one' | 'many'>>
}

declare const shape: unique symbol

/** A declaration whose items have these types. The symbol exists in types only. */
export interface Shaped<T extends Shape> { readonly [shape]?: T }

/** The types of a declaration's items. */
export type ShapeIn<D> = D extends Shaped<infer T> ? T : AnyShape

/** The types of items of a collection that is asked for by a name which `Collections` does not list: unknown ones. */
export interface AnyShape extends Shape {
  readonly stored: Readonly<Record<string, unknown>>
  readonly computed: object
  readonly inputs: object
  // The fields of `stored` have any name, those of relations included.
  readonly relations: Record<never, never>
}

/**
 * The collections by name, for `dataApi.collection('artists')`. The application adds its own by declaration merging:
 *
 *     declare module 'fastify-data-api' { interface Collections { artists: typeof artists } }
 */
export interface Collections {}

/** The names of collections: those that the application lists in `Collections`, or any if it lists none. */
export type CollectionName = [keyof Collections] extends [never] ? string : keyof Collections & string

type NamedShape<N> = N extends keyof Collections ? ShapeIn<Collections[N]> : AnyShape

/** All scalars of an item. */
export type Scalars<T extends Shape> = T['stored'] & T['computed']

/** A condition on items of a relation, whose types are those of another declaration. */
export interface RelationWhere { readonly [name: string]: unknown }

/**
 * A condition on items: all members must hold (docs/own-code.md: Queries). A relation's condition holds if one element
 * meets all of it; null means that there is no sub-item. A member that is undefined is refused, never ignored.
 */
export type Where<T extends Shape> =
  & { readonly [P in keyof Scalars<T>]?: FieldCondition<Scalars<T>[P]> }
  & { readonly [R in keyof T['relations']]?: RelationWhere | (T['relations'][R] extends 'one' ? null : never) }
  & { readonly [R in Names<T['relations']> as `${R}.count()`]?: FieldCondition<number> }
  & { readonly and?: ReadonlyArray<Where<T>>, readonly or?: ReadonlyArray<Where<T>>, readonly not?: Where<T> }

type Names<O> = keyof O & string

type SubItemNames<T extends Shape> =
  { [R in Names<T['relations']>]: T['relations'][R] extends 'one' ? R : never }[Names<T['relations']>]

/** A field, or a path through sub-items, whose types are those of other declarations. */
type SortPath<T extends Shape> =
  Names<Scalars<T>> | `${SubItemNames<T>}.${string}` | `${Names<T['relations']>}.count()` |
  `${Names<T['relations']>}.${string}.${Call | 'count'}()`

/** A term of an order: `'name'`, `'name desc'` or `'-name'`, or so with a path. */
export type SortTerm<T extends Shape> =
  SortPath<T> | `-${SortPath<T>}` | `${SortPath<T>} ${'asc' | 'desc'}`

/**
 * The query of a relation in a selection: its fields alone, or with a condition, an order and limits of its own; or
 * functions of its items.
 */
export type RelationQuery = readonly SelectedField[] | RelationFunctions | {
  readonly fields?: readonly SelectedField[] | undefined
  readonly where?: RelationWhere | undefined
  readonly sort?: string | readonly string[] | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

type Call = 'count_distinct' | 'sum' | 'avg' | 'min' | 'max'

type RelationFunctions = { readonly count?: true } & { readonly [C in Call]?: readonly string[] }

type SelectedField = string | { readonly [relation: string]: RelationQuery }

/** A field of a selection: the name of a scalar or relation, or an object of relations with their queries. */
export type Field<T extends Shape> =
  Names<Scalars<T>> | Names<T['relations']> | { readonly [R in keyof T['relations']]?: RelationQuery }

/** The fields to return. */
export interface Selecting<F> {
  /** Default: all scalars that the caller may read. */
  readonly fields?: F | undefined
}

/** Which page of a list to return. */
export interface PageQuery {
  readonly page?: number | undefined
  readonly size?: number | undefined
  readonly offset?: number | undefined
  /** An alias of `size`. */
  readonly limit?: number | undefined
  /** The cursor that `next` of a page holds. */
  readonly after?: string | undefined
  readonly before?: string | undefined
}

/** A query of a list (docs/own-code.md: Queries). */
export interface Query<T extends Shape, F = ReadonlyArray<Field<T>>> extends Selecting<F>, PageQuery {
  readonly where?: Where<T> | undefined
  readonly sort?: SortTerm<T> | ReadonlyArray<SortTerm<T>> | undefined
  /** True to count all items that the query finds, as `total` of the page. */
  readonly count?: boolean | undefined
}

type Element = Readonly<Record<string, unknown>>

type RelationValue<K> = K extends 'one' ? Element | null : readonly Element[]

type RelationNames<F> = F extends string ? F : keyof F

/** The values of functions that a query asks for; `Items` if it asks for none. */
type FunctionsIn<Q, Items> =
  [Q] extends [never] ? Items :
    keyof Q extends 'count' ? { readonly count: number } :
        [keyof Q & (Call | 'count')] extends [never] ? Items : Readonly<Record<string, unknown>>

/** An item with the selected fields; without a selection, `Default`. */
export type Selected<T extends Shape, F, Default> = F extends ReadonlyArray<infer One>
  ? Readonly<Pick<Scalars<T>, Extract<One, Names<Scalars<T>>>>> & {
    readonly [R in RelationNames<One> & keyof T['relations']]:
    FunctionsIn<One extends { readonly [_ in R]: infer Q } ? Q : never, RelationValue<T['relations'][R]>>
  }
  : Default

/** A page of a list. `next` and `previous` are the queries of those pages; undefined where there are none. */
export interface Page<I, Q> {
  readonly items: readonly I[]
  readonly next: Q | undefined
  readonly previous: Q | undefined
  /** The number of all items that the query finds, if it asks for it. */
  readonly total: number | undefined
}

/** A value to write: that of the field, or a Date for a text. Null empties an optional field; undefined is left out. */
type Written<V> = Equal<V> | undefined

/** The values of a new item, or the changes of one. A relation takes elements as a body of a request does. */
export type Values<T extends Shape> =
  & { readonly [P in keyof T['stored']]?: Written<T['stored'][P]> }
  & { readonly [P in keyof T['inputs']]?: T['inputs'][P] }
  & { readonly [R in keyof T['relations']]?: T['relations'][R] extends 'one' ? object | null : readonly object[] }

/**
 * The identifier of an item: the value of its key, the values of a key of several fields as a list, or an object with
 * the value of one identifier.
 */
export type Id<T extends Shape> =
  string | number | ReadonlyArray<string | number | boolean> | { readonly [P in keyof T['stored']]?: T['stored'][P] }

/**
 * The items of one collection, as one caller may read and write them (docs/own-code.md). `Default`: an item without a
 * selection. The functions reject with the DataApiError that the same request would be answered with.
 */
export interface CollectionData<T extends Shape, Default> {
  /** Returns one page of the items that the query finds. */
  list<const F extends ReadonlyArray<Field<T>> | undefined = undefined> (
    query?: Query<T, F>
  ): Promise<Page<Selected<T, F, Default>, Query<T, F>>>
  /** Returns all items that the query finds, one after the other. Reads them in batches. */
  stream<const F extends ReadonlyArray<Field<T>> | undefined = undefined> (
    query?: Query<T, F>
  ): AsyncIterable<Selected<T, F, Default>>
  /** Returns the number of items that the query finds. */
  count (query?: { readonly where?: Where<T> | undefined }): Promise<number>
  /** Returns values of groups of the items that the query finds, such as their numbers and sums. */
  groups<const Q extends GroupsQuery<Scalars<T>, SubItemNames<T>, Where<T>>> (
    query: Q
  ): Promise<ReadonlyArray<Group<Scalars<T>, Q>>>
  /** Returns the item. Rejects with `identifier_not_found` where there is none. */
  get<const F extends ReadonlyArray<Field<T>> | undefined = undefined> (
    id: Id<T>, query?: Selecting<F>
  ): Promise<Selected<T, F, Default>>
  /** Returns the item, or undefined where there is none. */
  find<const F extends ReadonlyArray<Field<T>> | undefined = undefined> (
    id: Id<T>, query?: Selecting<F>
  ): Promise<Selected<T, F, Default> | undefined>
  /** Creates an item, or all items of a list, and returns it. */
  create<const F extends ReadonlyArray<Field<T>> | undefined = undefined> (
    values: Values<T>, query?: Selecting<F>
  ): Promise<Selected<T, F, Default>>
  create<const F extends ReadonlyArray<Field<T>> | undefined = undefined> (
    values: ReadonlyArray<Values<T>>, query?: Selecting<F>
  ): Promise<ReadonlyArray<Selected<T, F, Default>>>
  /** Changes these values of an item, and returns it. Rejects with `identifier_not_found` where there is none. */
  update<const F extends ReadonlyArray<Field<T>> | undefined = undefined> (
    id: Id<T>, changes: Values<T>, query?: Selecting<F>
  ): Promise<Selected<T, F, Default>>
  /** Changes these values of an item, or creates it with them, and returns it. */
  upsert<const F extends ReadonlyArray<Field<T>> | undefined = undefined> (
    id: Id<T>, values: Values<T>, query?: Selecting<F>
  ): Promise<Selected<T, F, Default>>
  /** Changes items, each by the key or an identifier among its values, or none. Returns them as `update` does. */
  updateEach<const F extends ReadonlyArray<Field<T>> | undefined = undefined> (
    items: ReadonlyArray<Values<T>>, query?: Selecting<F>
  ): Promise<Array<Selected<T, F, Default>>>
  /** Adds to a number of an item, whatever others add meanwhile. Returns the new value. */
  add (id: Id<T>, field: NumberNames<T['stored']>, addend: number): Promise<number>
  /** Deletes an item. Rejects with `identifier_not_found` where there is none. */
  delete (id: Id<T>): Promise<void>
  /** Changes these values of all items that the condition finds, or of none. Returns their number. */
  updateWhere (where: Where<T>, changes: Values<T>, options?: AffectedOptions): Promise<number>
  /**
   * Creates all items of an iterable, or none, in a transaction of its own. Items that exist, by their keys or by an
   * identifier, are an error, or are updated (`merge`) or left (`ignore`). Returns the numbers of items.
   */
  import (items: Iterable<Values<T>> | AsyncIterable<Values<T>>, options?: {
    readonly merge?: Names<T['stored']> | true | undefined
    readonly ignore?: Names<T['stored']> | true | undefined
    readonly dryRun?: boolean | undefined
  }): Promise<{ readonly created: number, readonly updated: number, readonly ignored: number }>
  /** Deletes all items that the condition finds, or none. Returns their number. */
  deleteWhere (where: Where<T>, options?: AffectedOptions): Promise<number>
}

/** `max`: of more items than that, none is written. */
export interface AffectedOptions { readonly max?: number | undefined }

/** A collection before it is said for whom it is read and written. */
export interface UnboundCollection<T extends Shape> {
  /** The items that exist for the caller of a request, by its rules and scopes. */
  as (request: FastifyRequest): CollectionData<T, Readonly<Partial<Scalars<T>>>>
  /** All items and fields, without rules, scopes, flags and limits. */
  asSystem (): CollectionData<T, Readonly<Scalars<T>>>
}

/** The ways to choose for whom the data is read and written, and to do so in one transaction. */
interface Binding<D> {
  /** The data as it exists for the caller of a request, by its rules and scopes. */
  as (request: FastifyRequest): RequestData
  /** All data, without rules, scopes, flags and limits. */
  asSystem (): SystemData
  /**
   * Runs `work` in a transaction, which its argument joins: commits when the promise is fulfilled, and rolls back if it
   * rejects. A transaction that conflicts with another one is repeated, and `work` with it. Inside of a transaction,
   * joins that one.
   *
   * @param options `on`: a collection of the database that holds the transaction, where the collections belong to
   * several databases.
   */
  transaction<R> (work: (tx: D) => Promise<R>, options?: TransactionOptions): Promise<R>
}

export interface TransactionOptions { readonly on?: CollectionName | Shaped<Shape> }

/** The data of an API, before it is said for whom. */
export interface Data extends Binding<Data> {
  /** Returns a collection by its declaration, which gives it its types, or by its name (see `Collections`). */
  collection<T extends Shape> (declaration: Shaped<T>): UnboundCollection<T>
  collection<N extends CollectionName> (name: N): UnboundCollection<NamedShape<N>>
}

/** The data as it exists for the caller of a request. */
export interface RequestData extends Binding<RequestData> {
  collection<T extends Shape> (declaration: Shaped<T>): CollectionData<T, Readonly<Partial<Scalars<T>>>>
  collection<N extends CollectionName> (
    name: N
  ): CollectionData<NamedShape<N>, Readonly<Partial<Scalars<NamedShape<N>>>>>
}

/** The data as the application itself reads and writes it. */
export interface SystemData extends Binding<SystemData> {
  collection<T extends Shape> (declaration: Shaped<T>): CollectionData<T, Readonly<Scalars<T>>>
  collection<N extends CollectionName> (name: N): CollectionData<NamedShape<N>, Readonly<Scalars<NamedShape<N>>>>
}
