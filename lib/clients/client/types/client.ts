import type { LivePage } from '../follow.ts'
import type { Page, PagePosition } from '../page.ts'
import type { KeyedOptions, RequestOptions } from '../send.ts'
import type { WriteAnswer, Reserved, Returning, FieldsGiven } from './answers.ts'
import type { Api, Target } from './api.ts'
import type { Batch, Results, Written } from './batch.ts'
import type { Chosen, Full, Listed, Listing, NumberNames } from './fields.ts'
import type { Group, GroupsQuery } from './groups.ts'
import type { Where } from './where.ts'

/** A client: a property for each collection. */
export type Client<A extends Api<A>> = { readonly [K in Exclude<keyof A, Reserved | 'batch'>]: Collection<A, K> } & {
  /** Returns a collection by its name, which may be known at run time only. */
  resource<K extends keyof A & string> (name: K): Collection<A, K>
  /** Requests the methods that the root takes; undefined where CORS hides `Allow` from the page. */
  allowed (options?: RequestOptions): Promise<Method[] | undefined>
  /**
   * Sends the writes that `write` makes as one request: all are done, or none. Resolves to the results of those that it
   * returns; of all, where it returns none.
   */
  batch<const W extends ReadonlyArray<Written<unknown>>> (
    write: (batch: Batch<A>) => W, options?: BatchOptions
  ): Promise<Results<W>>
  batch (write: (batch: Batch<A>) => void, options?: BatchOptions): Promise<unknown[]>
}

/** An identifier of an item; a list of values for a key of several fields. */
export type Identifier = string | number | bigint | ReadonlyArray<string | number | bigint>

/** A query for a list. `count: true` asks for the number of all items. */
export interface Query<A extends Api<A>, K extends keyof A, S> extends Listing<A, K>, PagePosition {
  readonly fields?: S
  readonly page?: number | string | undefined
  readonly offset?: number | string | undefined
  readonly count?: boolean | undefined
}

/** The options of a batch. */
export interface BatchOptions extends KeyedOptions {
  /** Tries the batch, and writes nothing. There are no results then. Default false. */
  readonly dryRun?: boolean | undefined
}

/** The options of a write. `returning`: the answer is the item, whole or with these fields. */
export interface WriteOptions<R> extends KeyedOptions {
  readonly returning?: R
  /** The item as get() returned it: the write is rejected with 412 if the item has changed since. */
  readonly unchanged?: object | undefined
  /** Tries the write, and writes nothing. The answer is the acknowledgement alone. Default false. */
  readonly dryRun?: boolean | undefined
}

/** The option of an update that merges values of JSON (docs/http.md: Merging). */
export interface Merging { readonly merge: true }

/** Values to merge: the members of an object may be left out, and null removes them. */
export type MergePatch<T> = { readonly [P in keyof T]: Patched<T[P]> }

type Patched<V> = V extends readonly unknown[]
  ? V
  : V extends object ? { readonly [P in keyof V]?: Patched<V[P]> | null } : V

/** The options of a write by a filter. `max`: of more items than that, none is written. */
export interface ManyOptions<R> extends KeyedOptions {
  readonly returning?: R
  readonly max?: number | undefined
}

/** What an import takes one after the other. */
type Several<T> = Iterable<T> | AsyncIterable<T> | ReadableStream<T>

/** The options of an import. `I`: the names of identifiers. */
export interface ImportOptions<I> extends RequestOptions {
  /** Items that exist are updated: those with the same key, or with the same value of this identifier. */
  readonly merge?: I | true | undefined
  /** Items that exist are left as they are. */
  readonly ignore?: I | true | undefined
  /** Tries the import, and writes nothing. Default false. */
  readonly dryRun?: boolean | undefined
}

/** The answer to an import: the number of items; with `merge` and `ignore`, of those that were created, and others. */
export interface Imported {
  readonly status: 'ok' | 'created'
  readonly count?: number
  readonly created?: number
  readonly updated?: number
  readonly ignored?: number
}

/** The answer to an addition: the new value. */
export interface Added { readonly status: 'ok', readonly value: number }

/** The answer to a write by a filter: the number of items. */
export interface Affected { readonly status: 'ok', readonly affected: number }

/** The values of a document that is followed. They are frozen. */
export type Live<T> = AsyncGenerator<T, never, undefined>

/** A method of HTTP, as `Allow` lists them. */
export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'QUERY' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Acknowledgement { readonly status: 'ok' | 'created' }

/**
 * The functions of a collection. Names of items are those of their URLs. `B`: the body of a new item; `D`: the answer
 * to a creation; `X`: true if items can be deleted, or unlinked.
 */
export interface Collection<
  A extends Api<A>, K extends keyof A, B = A[K]['create'], D = A[K]['created'], X = A[K]['delete']
> {
  /** Requests a page. The promise is also an iterable of the items of this page and of all that follow. */
  list<const S extends FieldsGiven<A, K> = undefined> (query?: Query<A, K, S>, options?: RequestOptions):
    Promise<Page<Array<Chosen<A, K, S, Listed<A, K>>>>> & AsyncIterable<Chosen<A, K, S, Listed<A, K>>>
  /** Requests all items in one answer (NDJSON), as fast as they are taken; one page, if the query has a page. */
  stream<const S extends FieldsGiven<A, K> = undefined> (query?: Query<A, K, S>, options?: RequestOptions):
  AsyncGenerator<Chosen<A, K, S, Listed<A, K>>, void, undefined>
  /**
   * Follows a page where the API is live: its items as they are, and again whenever they have changed. Connects again
   * by itself, and throws an ApiError once the page cannot be read any more.
   */
  live<const S extends FieldsGiven<A, K> = undefined> (
    query?: Omit<Query<A, K, S>, 'count'>, options?: RequestOptions
  ): Live<LivePage<Readonly<Chosen<A, K, S, Listed<A, K>>>>>
  /** Requests the number of items. */
  count (where?: Where<A, K>, options?: RequestOptions): Promise<number>
  /** Requests values of groups of items, such as their numbers and sums. */
  groups<const Q extends GroupsQuery<A[K]['item'], Extract<keyof A[K]['one'], string>, Where<A, K>>> (
    query: Q, options?: RequestOptions
  ): Promise<Array<Group<A[K]['item'], Q>>>
  get<const S extends FieldsGiven<A, K> = undefined> (
    id: Identifier, query?: { readonly fields?: S }, options?: RequestOptions
  ): Promise<Chosen<A, K, S, Full<A, K>>>
  /** Requests the methods that the caller may use on the item; undefined where CORS hides `Allow` from the page. */
  allowed (id: Identifier, options?: RequestOptions): Promise<Method[] | undefined>
  /** Creates an item, or all items of an array or none. In a sub-collection, it also links items that exist. */
  create<const R extends Returning<A, K> = undefined> (
    items: readonly B[], options?: WriteOptions<R>
  ): Promise<Array<WriteAnswer<A, K, R, D>>>
  create<const R extends Returning<A, K> = undefined> (
    item: B, options?: WriteOptions<R>
  ): Promise<WriteAnswer<A, K, R, D>>
  /** Changes these fields of the item. With `merge`, values of JSON are merged into those that it has. */
  update<const R extends Returning<A, K> = undefined> (
    id: Identifier, patch: MergePatch<A[K]['update']>, options: WriteOptions<R> & Merging
  ): Promise<WriteAnswer<A, K, R, Acknowledgement>>
  update<const R extends Returning<A, K> = undefined> (
    id: Identifier, changes: A[K]['update'], options?: WriteOptions<R>
  ): Promise<WriteAnswer<A, K, R, Acknowledgement>>
  /** Updates the item, or creates it if it does not exist and the API takes upserts. */
  upsert<const R extends Returning<A, K> = undefined> (
    id: Identifier, item: A[K]['upsert'], options?: WriteOptions<R>
  ): Promise<WriteAnswer<A, K, R, Acknowledgement>>
  /** Adds to a number of the item, whatever others add meanwhile. A dry run has no value. */
  add (
    id: Identifier, field: NumberNames<A[K]['item']>, addend: number, options?: WriteOptions<undefined>
  ): Promise<Added>
  /** Deletes the item; in a sub-collection whose items can be unlinked, unlinks it. */
  readonly delete: X extends true ? Delete : never
  /**
   * Updates all items that a filter finds, or none, where the API takes such writes: with `returning`, resolves to the
   * items.
   */
  updateMany<const R extends Returning<A, K> = undefined> (
    where: Where<A, K>, changes: A[K]['update'], options?: ManyOptions<R>
  ): Promise<[R] extends [undefined] ? Affected : Array<WriteAnswer<A, K, R, Affected>>>
  /**
   * Updates items, each by the identifier that it has here, or none. Where the API takes upserts, creates those that do
   * not exist.
   */
  updateEach<const R extends Returning<A, K> = undefined> (
    items: ReadonlyArray<A[K]['update'] & Partial<A[K]['item']>>, options?: WriteOptions<R>
  ): Promise<Array<WriteAnswer<A, K, R, Acknowledgement>>>
  /**
   * Creates all items of a stream, or none, where the API takes imports: objects, or with `format` their text or bytes.
   * Rejects with a TypeError where fetch() takes no streams.
   */
  import (items: Several<B>, options?: ImportOptions<A[K]['identifiers']>): Promise<Imported>
  import (
    text: Several<string | Uint8Array>,
    options: ImportOptions<A[K]['identifiers']> & { readonly format: 'csv' | 'ndjson' }
  ): Promise<Imported>
  /** Deletes all items that a filter finds, or none, where the API takes such writes; unlinks them as `delete` does. */
  readonly deleteMany: X extends true ? DeleteMany<A, K> : never
  /** Returns an item, whose relations are its properties. */
  item (id: Identifier): ItemCalls<A, K, never, X>
  /** Returns the items by one of their fields. */
  resource<F extends keyof A[K]['item'] & string> (name: `by_${F}`):
  F extends A[K]['identifiers'] ? Dictionary<Listed<A, K>, ItemCalls<A, K>> : Groups<A, K>
}

/** Items by the values of a field. */
export interface Dictionary<E, V> {
  get (query?: undefined, options?: RequestOptions): Promise<Readonly<Record<string, E>>>
  /** Follows the items by their values, as the function of this name of an item follows that. */
  live (query?: undefined, options?: RequestOptions): Live<Readonly<Record<string, E>>>
  /** Returns the item with a value or, if the field is no identifier, the collection of such items. */
  item (value: string | number | boolean): V
}

/** A collection of elements of an item. An item that exists is linked and not created. */
export interface SubCollection<A extends Api<A>, K extends keyof A, B>
  extends Collection<A, K, B, A[K]['created'] | Acknowledgement, true> {
  /** Links or creates these items, and unlinks all others. */
  replace (items: readonly B[], options?: KeyedOptions): Promise<unknown>
}

type DeleteMany<A extends Api<A>, K extends keyof A> =
  (where: Where<A, K>, options?: ManyOptions<undefined>) => Promise<Affected>

type Delete = (id: Identifier, options?: WriteOptions<undefined>) => Promise<Acknowledgement>

/**
 * The functions of an item, and its relations. `N`: null for a sub-item, which may be missing. `X`: true if the item
 * can be deleted, or unlinked.
 */
type ItemCalls<A extends Api<A>, K extends keyof A, N = never, X = A[K]['delete']> =
  ItemMethods<A, K, N, X> & Relations<A, K>

export type { ItemCalls as Item }

interface ItemMethods<A extends Api<A>, K extends keyof A, N, X> {
  get<const S extends FieldsGiven<A, K> = undefined> (
    query?: { readonly fields?: S }, options?: RequestOptions
  ): Promise<Chosen<A, K, S, Full<A, K>> | N>
  /** Follows the item where the API is live: the item as it is, and again whenever it has changed. */
  live<const S extends FieldsGiven<A, K> = undefined> (
    query?: { readonly fields?: S }, options?: RequestOptions
  ): Live<Readonly<Chosen<A, K, S, Full<A, K>>> | N>
  /** Requests the methods that the caller may use on the item; undefined where CORS hides `Allow` from the page. */
  allowed (options?: RequestOptions): Promise<Method[] | undefined>
  update<const R extends Returning<A, K> = undefined> (
    patch: MergePatch<A[K]['update']>, options: WriteOptions<R> & Merging
  ): Promise<WriteAnswer<A, K, R, Acknowledgement>>
  update<const R extends Returning<A, K> = undefined> (
    changes: A[K]['update'], options?: WriteOptions<R>
  ): Promise<WriteAnswer<A, K, R, Acknowledgement>>
  upsert<const R extends Returning<A, K> = undefined> (
    item: A[K]['upsert'], options?: WriteOptions<R>
  ): Promise<WriteAnswer<A, K, R, Acknowledgement>>
  readonly delete: X extends true ? (options?: WriteOptions<undefined>) => Promise<Acknowledgement> : never
  /** Returns a relation by its name, which may be that of a function of this object. */
  resource<R extends keyof Relations<A, K, never>> (name: R): Relations<A, K, never>[R]
}

type Relations<A extends Api<A>, K extends keyof A, X = Reserved> =
  & { readonly [R in Exclude<keyof A[K]['one'], X>]: ItemCalls<A, Target<A, A[K]['one'], R>, null> }
  & { readonly [R in Exclude<keyof A[K]['many'], X>]: Elements<A, K, R> }

type Elements<A extends Api<A>, K extends keyof A, R> =
  SubCollection<A, Target<A, A[K]['many'], R>, R extends keyof A[K]['elements'] ? A[K]['elements'][R] : never>

interface Groups<A extends Api<A>, K extends keyof A> extends Dictionary<Array<Listed<A, K>>, Collection<A, K>> {
  get (query?: undefined, options?: RequestOptions): Promise<Readonly<Record<string, Array<Listed<A, K>>>>>
  /** Returns the number of items with each value. */
  get (
    query: { readonly fields: readonly ['count()'], readonly where?: Where<A, K> }, options?: RequestOptions
  ): Promise<Readonly<Record<string, { readonly count: number }>>>
}
