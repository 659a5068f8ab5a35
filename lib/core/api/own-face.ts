import type { Page } from '../../clients/client/page.ts'
import type { Context } from '../declare/collection.ts'
import type { Query } from '../request/request.ts'

// What own code knows of the core (docs/architecture.md: The face): it calls by declarations and by queries as they are
// parsed, and gets values, not answers.

/** An API, as own code calls it: by itself, or in a transaction. */
export interface OwnFace {
  /** The names of the collections in the application. */
  readonly names: readonly string[]
  /** Returns the name of the collection that is asked for by its name or its declaration; undefined for another. */
  nameOf (asked: unknown): string | undefined
  /** Returns the collections as they are for the caller of a request; without one, for the system. */
  as (request: Context['request'] | undefined): OwnCollections
  /**
   * Runs `work` in a transaction: in that of this object, if it has one. `request`: by whose settings the database is
   * asked; `on`: the name of a collection of the database, if there are several.
   */
  transaction<T> (work: (tx: OwnFace) => Promise<T>, by: OwnTransaction): Promise<T>
}

export interface OwnTransaction { readonly request: Context['request'] | undefined, readonly on: string | undefined }

/** Returns the collection of this name. */
type OwnCollections = (name: string) => OwnItems

/** An object whose members are not known yet. */
export type Members = Readonly<Record<string, unknown>>

/**
 * The items of a collection, for one caller, whose rules are asked at each call. Items are named and have values as in
 * docs/own-code.md: Own code. A query selects what a call returns.
 */
export interface OwnItems {
  list (query: Query, count: boolean): Promise<Page<readonly Members[]>>
  stream (query: Query): AsyncIterable<Members>
  count (query: Query): Promise<number>
  groups (query: Query): Promise<readonly Members[]>
  find (id: unknown, query: Query): Promise<Members | undefined>
  get (id: unknown, query: Query): Promise<Members>
  /** Creates an item, or all of a list. */
  create (values: unknown, query: Query): Promise<Members | readonly Members[]>
  /** `merge`: values of JSON are merged into those that the item has. */
  update (id: unknown, changes: unknown, query: Query, merge: boolean): Promise<Members>
  upsert (id: unknown, values: unknown, query: Query): Promise<Members>
  updateEach (items: unknown, query: Query): Promise<readonly Members[]>
  add (id: unknown, name: string, addend: unknown): Promise<unknown>
  delete (id: unknown): Promise<void>
  /** Write what the filters of the query find, `most` items at most. Return their number. */
  updateMany (query: Query, changes: unknown, most: number): Promise<number>
  deleteMany (query: Query, most: number): Promise<number>
  import (items: Iterable<unknown> | AsyncIterable<unknown>, how: OwnImport): Promise<Members>
}

/** What becomes of items that exist: an error, unless there is a `resolution`. `by`: the identifier that finds them. */
export interface OwnImport {
  readonly resolution: 'merge' | 'ignore' | undefined
  readonly by: string | undefined
  readonly dryRun: boolean
}
