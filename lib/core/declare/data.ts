import type { FastifyRequest } from 'fastify'
import type { Page } from '../../clients/client/page.ts'
import type { FieldsGiven as ClientSelection } from '../../clients/client/types/answers.ts'
import type { AnyApi } from '../../clients/client/types/api.ts'
import type { MergePatch, Merging, Query as ClientQuery } from '../../clients/client/types/client.ts'
import type { NumberNames, Picked } from '../../clients/client/types/fields.ts'
import type { Group, GroupsQuery } from '../../clients/client/types/groups.ts'
import type { Where as ClientWhere } from '../../clients/client/types/where.ts'

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
interface AnyShape extends Shape {
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
type CollectionName = [keyof Collections] extends [never] ? string : keyof Collections & string

type NamedShape<N> = N extends keyof Collections ? ShapeIn<Collections[N]> : AnyShape

/** All scalars of an item. */
type Scalars<T extends Shape> = T['stored'] & T['computed']

/** The values that a field is compared with: an optional field without a value is null. */
type Comparable<V> = Exclude<V, undefined> | (undefined extends V ? null : never)

type RelationNames<T extends Shape, K> =
  { [R in Names<T['relations']>]: T['relations'][R] extends K ? R : never }[Names<T['relations']>]

/** The collections behind the relations of a declaration, as the types of the client see them: any names are known. */
interface Others extends Omit<AnyApi[string], 'many'> { readonly many: Readonly<Record<string, 'others'>> }

/** A declaration, as the types of the client see a collection. */
interface Seen<T extends Shape> extends Omit<Others, 'item' | 'one' | 'many'> {
  readonly item: { readonly [P in keyof Scalars<T>]-?: Comparable<Scalars<T>[P]> }
  readonly one: { readonly [R in RelationNames<T, 'one'>]: 'others' }
  readonly many: { readonly [R in RelationNames<T, 'many'>]: 'others' }
}

interface ApiOf<T extends Shape> {
  readonly items: string extends keyof T['stored'] ? Others : Seen<T>
  readonly others: Others
}

type Names<O> = keyof O & string

/** A condition on items, as the client takes it (docs/clients.md: Filters). */
type Where<T extends Shape> = ClientWhere<ApiOf<T>, 'items'>

/** A selection, as the client takes it. */
type Selection<T extends Shape> = ClientSelection<ApiOf<T>, 'items'>

/** The fields to return. */
interface Selecting<F> {
  /** Default: all scalars that the caller may read. */
  readonly fields?: F
}

/** The fields to return of an item that is written: these, or all scalars that the caller may read. */
interface Returning<F> { readonly returning?: F | true }

/** A query of a list, as the client takes it (docs/own-code.md: Queries). */
export interface Query<T extends Shape, F = Selection<T>> extends ClientQuery<ApiOf<T>, 'items', F> {}

/** An item with the selected fields; without a selection, `Default`. */
export type Selected<T extends Shape, F, Default> = F extends ReadonlyArray<infer One>
  ? Readonly<Pick<Scalars<T>, Extract<One, Names<Scalars<T>>>>> & Related<T, F, Extract<One, Names<Scalars<T>>>>
  : Default

type Related<T extends Shape, F, Scalar> = Readonly<Omit<Picked<ApiOf<T>, 'items', F>, Scalar & PropertyKey>>

/** A value to write: that of the field, or a Date for a text. Null empties an optional field; undefined is left out. */
type Written<V> = Comparable<V> | (string extends V ? Date : never) | undefined

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
 * The items of one collection, as one caller may read and write them (docs/own-code.md: Own code). `Default`: an item
 * without a selection. The functions reject with the DataApiError that the same request would be answered with.
 */
export interface CollectionData<T extends Shape, Default> {
  /** Returns one page of the items that the query finds. */
  list<const F extends Selection<T> = undefined> (
    query?: Query<T, F>
  ): Promise<Page<ReadonlyArray<Selected<T, F, Default>>>>
  /** Returns all items that the query finds, one after the other. Reads them in batches. */
  stream<const F extends Selection<T> = undefined> (
    query?: Query<T, F>
  ): AsyncIterable<Selected<T, F, Default>>
  /** Returns the number of items that the query finds. */
  count (where?: Where<T>): Promise<number>
  /** Returns values of groups of the items that the query finds, such as their numbers and sums. */
  groups<const Q extends GroupsQuery<Scalars<T>, RelationNames<T, 'one'>, Where<T>>> (
    query: Q
  ): Promise<ReadonlyArray<Group<Scalars<T>, Q>>>
  /** Returns the item. Rejects with `identifier_not_found` where there is none. */
  get<const F extends Selection<T> = undefined> (
    id: Id<T>, query?: Selecting<F>
  ): Promise<Selected<T, F, Default>>
  /** Returns the item, or undefined where there is none. */
  find<const F extends Selection<T> = undefined> (
    id: Id<T>, query?: Selecting<F>
  ): Promise<Selected<T, F, Default> | undefined>
  /** Creates an item, or all items of a list, and returns it. */
  create<const F extends Selection<T> = undefined> (
    values: Values<T>, options?: Returning<F>
  ): Promise<Selected<T, F, Default>>
  create<const F extends Selection<T> = undefined> (
    values: ReadonlyArray<Values<T>>, options?: Returning<F>
  ): Promise<ReadonlyArray<Selected<T, F, Default>>>
  /**
   * Changes these values of an item, and returns it. Rejects with `identifier_not_found` where there is none. With
   * `merge`, values of JSON are merged into those that it has.
   */
  update<const F extends Selection<T> = undefined> (
    id: Id<T>, patch: MergePatch<Values<T>>, options: Returning<F> & Merging
  ): Promise<Selected<T, F, Default>>
  update<const F extends Selection<T> = undefined> (
    id: Id<T>, changes: Values<T>, options?: Returning<F>
  ): Promise<Selected<T, F, Default>>
  /** Changes these values of an item, or creates it with them, and returns it. */
  upsert<const F extends Selection<T> = undefined> (
    id: Id<T>, values: Values<T>, options?: Returning<F>
  ): Promise<Selected<T, F, Default>>
  /** Changes items, each by the key or an identifier among its values, or none. Returns them as `update` does. */
  updateEach<const F extends Selection<T> = undefined> (
    items: ReadonlyArray<Values<T>>, options?: Returning<F>
  ): Promise<Array<Selected<T, F, Default>>>
  /** Adds to a number of an item, whatever others add meanwhile. Returns the new value. */
  add (id: Id<T>, field: NumberNames<T['stored']>, addend: number): Promise<number>
  /** Deletes an item. Rejects with `identifier_not_found` where there is none. */
  delete (id: Id<T>): Promise<void>
  /** Changes these values of all items that the condition finds, or of none. Returns their number. */
  updateMany (where: Where<T>, changes: Values<T>, options?: AffectedOptions): Promise<number>
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
  deleteMany (where: Where<T>, options?: AffectedOptions): Promise<number>
}

/** `max`: of more items than that, none is written. */
interface AffectedOptions { readonly max?: number | undefined }

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

interface TransactionOptions { readonly on?: CollectionName | Shaped<Shape> }

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
