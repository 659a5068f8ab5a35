import type { Source, Transaction } from '../collection.ts'
import type { Collection, StoredField, SubCollectionField } from '../model/model.ts'
import type { Scalar } from '../model/values.ts'
import type { ReadPlan, ReadPlanOf, Row, Step } from '../plan/plan.ts'

export interface Group { readonly value: unknown, readonly rows: readonly Row[] }

/** Results are values; what a miss means to HTTP is not a source's business. `step` counts from 0. */
export type ReadResult = Found | Missed

export type Missed = { readonly kind: 'missing', readonly step: number } | { readonly kind: 'ambiguous', readonly step: number }

/** `more`: at least one further row (or group) follows within the plan's `where`. `total` is there where the plan counts. */
export type Found =
  | { readonly kind: 'rows', readonly rows: readonly Row[], readonly more: boolean, readonly total?: number }
  | { readonly kind: 'groups', readonly groups: readonly Group[], readonly more: boolean, readonly total?: number }

/**
 * What was found as JSON text under the names on the wire, which goes out untouched: byte for byte what JSON.stringify would write. Of an item the text of
 * each member of the plan's selection, in its order; of a listing the array of its items.
 */
export type JsonResult =
  | { readonly kind: 'values', readonly values: readonly string[] }
  /** `ends`: the first and the last item with what the plan carries, made when they are asked for; nothing where there are no items. */
  | { readonly kind: 'items', text (reversed: boolean): string, readonly ends: Ends | undefined, readonly more: boolean, readonly total?: number }

export interface Ends { first (): Row, last (): Row }

/** The data behind a collection. Sources of one `database` can be joined; a relation never leads from one database to another. */
export interface DataSource extends Source { readonly database: Database }

/** The database of a collection. A declaration takes no other source than a DataSource, of which the model knows the identity alone. */
export const databaseOf = (collection: Collection) => (collection.source as DataSource).database

/** A listing in batches. The first result is there already, so that a miss is known before anything is told. */
export interface Batches { readonly first: ReadResult, readonly rows: AsyncIterable<readonly Row[]> }

export type ListPlan = ReadPlanOf<'list'>
export type ItemPlan = ReadPlanOf<'item'>

/** Values to be stored: in canonical form, null, or JSON for a field of type `json`. */
export type Stored = ReadonlyMap<StoredField, unknown>

/** One change of data: a statement, where the database has statements. */
export type Change =
  /** A new item. `orNothing`: where it would be a duplicate nothing happens. */
  | { readonly kind: 'insert', readonly collection: Collection, readonly values: Stored, readonly orNothing: boolean }
  /** Of the item that the last step stands on; its version is counted up as well. */
  | { readonly kind: 'update', readonly collection: Collection, readonly steps: readonly Step[], readonly values: Stored }
  | { readonly kind: 'delete', readonly collection: Collection, readonly steps: readonly Step[] }
  /** The item with the key `other` becomes one of the many-to-many relation of the item with the key `own`, unless it is already. */
  | { readonly kind: 'link', readonly field: SubCollectionField, readonly own: Scalar, readonly other: Scalar }

/** The changes of one kind. */
export type ChangeOf<K extends Change['kind']> = Extract<Change, { kind: K }>

/** What came of a change. */
export type Changed =
  /** `key`: of an item that was inserted. */
  | { readonly kind: 'changed', readonly key?: Scalar }
  /** No item is where the steps lead, or more than one at one of them; or the item would have been a duplicate. */
  | { readonly kind: 'unchanged' }
  /** The data would not be as the database asks for. `fields`: those at fault, where they are known. */
  | { readonly kind: 'refused', readonly by: 'unique' | 'foreign-key' | 'other', readonly fields: readonly StoredField[] }

/** What the database refused of a change. `fields`: those at fault, where they are known. */
export type ConstraintViolation = Extract<Changed, { kind: 'refused' }>

/** Rejects a transaction that the database refused at its commit, for a constraint or trigger that was deferred. */
export class RefusedAtCommit extends Error {
  /** The collection that the constraint is of; undefined where the database does not say. */
  readonly collection: Collection | undefined
  readonly refused: ConstraintViolation
  constructor (refused: ConstraintViolation, collection: Collection | undefined, cause: unknown) {
    super('the database refused the commit of a transaction', { cause })
    this.refused = refused
    this.collection = collection
  }
}

/** What can be done inside a transaction. */
export interface Session {
  /** For the application's setters and hooks. */
  readonly transaction: Transaction
  /** Names the code of the application that the transaction waits for, for the log of others who wait meanwhile; undefined where it waits for none. */
  announce (call: string | undefined): void
  read (plan: ReadPlan): ReadResult | Promise<ReadResult>
  /** Reads an item that nobody else can change before the transaction ends. */
  lock (plan: ItemPlan): ReadResult | Promise<ReadResult>
  change (change: Change): Changed | Promise<Changed>
}

/** What runs plans. Synchronous databases answer synchronously: a promise that need not be is not made. */
export interface Database {
  /** For messages, such as `sqlite`. */
  readonly kind: string
  /** `fresh`: with everything that was written before, by whomever; otherwise a database with replicas may answer from one of them. Default false. */
  read (plan: ReadPlan, fresh?: boolean): ReadResult | Promise<ReadResult>
  /** The same as JSON text, where the database has a better way to it than by way of rows; where it has not, or nothing is found, what `read` gives. Not of groups. */
  readJson? (plan: ReadPlan, fresh?: boolean): ReadResult | JsonResult | Promise<ReadResult | JsonResult>
  /** Reads a listing in batches of at most `size` rows, where the database has a better way than a read a batch (batches.ts). */
  readBatches? (plan: ListPlan, size: number, fresh?: boolean): Batches | Promise<Batches>
  /** Makes one change, which is a transaction of its own. */
  change (change: Change): Changed | Promise<Changed>
  /** Does the work in a transaction: what it changed lasts once the promise is fulfilled, and is undone where it throws. */
  transaction<T> (work: (session: Session) => Promise<T>): Promise<T>
}
