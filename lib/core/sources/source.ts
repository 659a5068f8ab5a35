import type { AnyContext, Transaction } from '../declare/collection.ts'
import type { Source } from '../declare/source.ts'
import type { KeyValues } from '../model/identifiers.ts'
import type { Collection, StoredField, SubCollectionField } from '../model/model.ts'
import type { ReadPlan, ReadPlanOf, Row, Step } from '../plan/plan.ts'
import type { CatalogCheck } from './catalog-check.ts'
import type { Tell } from './changes.ts'

/** The rows that share a value. */
export interface RowsOfValue { readonly value: unknown, readonly rows: readonly Row[] }

/** The result of a read. A source returns a miss as a value, and leaves its HTTP status to other rooms. */
export type ReadResult = FoundRows | Missed

/** A step that matches no item or several. `step` counts from 0. */
export type Missed =
  | { readonly kind: 'missing', readonly step: number }
  | { readonly kind: 'ambiguous', readonly step: number }

/**
 * Rows or groups. `more`: at least one further row or group follows within the plan's `where`. `total`: the count, if
 * the plan asks for it.
 */
export type FoundRows =
  | { readonly kind: 'rows', readonly rows: readonly Row[], readonly more: boolean, readonly total?: number }
  | {
    readonly kind: 'groups'
    readonly groups: readonly RowsOfValue[]
    readonly more: boolean
    readonly total?: number
  }

/** Found data as JSON text with wire names, byte for byte as JSON.stringify() writes it. It is sent unchanged. */
export type JsonResult =
  /** An item: the text of each member of the plan's selection, in its order. */
  | { readonly kind: 'values', readonly values: readonly string[] }
  /** A listing: `text` returns the array of its items. `ends` is undefined for an empty listing. */
  | {
    readonly kind: 'items'
    text (reversed: boolean): string | Promise<string>
    readonly ends: Ends | undefined
    readonly more: boolean
    readonly total?: number
  }

/** The first and the last row of a listing, with the fields that the plan carries. Each is read when it is called. */
export interface Ends { first (): Row, last (): Row }

/** The data behind a collection. Sources of one `database` can be joined; a relation never crosses databases. */
export interface DataSource extends Source { readonly database: Database }

/** Every source is a DataSource; its declared type shows only its identity. */
export const databaseOf = ({ source }: { readonly source: Source }) => (source as DataSource).database

/** Returns how many items of an import into a collection are written together. */
export const sliceOf = (collection: Collection): number => databaseOf(collection).slice ?? 200

/** A listing in batches. `first` is read already, so a miss is known before the answer begins. */
export interface Batches { readonly first: ReadResult, readonly rows: AsyncIterable<readonly Row[]> }

export type ListPlan = ReadPlanOf<'list'>
export type ItemPlan = ReadPlanOf<'item'>

/** The values to store: each in canonical form, null, or for a field of type `json` JSON or ExactJson. */
export type Stored = ReadonlyMap<StoredField, unknown>

/** One change of data: a single statement in an SQL database. */
export type Change =
  /**
   * An insert of items with values for the same fields. Several are inserted up to the first that is refused or
   * dropped, or none of them: who inserts the others one by one learns why.
   */
  | {
    readonly kind: 'insert'
    readonly collection: Collection
    readonly fields: readonly StoredField[]
    /** The values of each item, in the forms of `Stored`: one at least, several only in a transaction. */
    readonly rows: ReadonlyArray<readonly unknown[]>
    /** True if a duplicate, which is alone, is not inserted: the result is `unchanged`. */
    readonly orNothing: boolean
    /** True if the keys of the items are asked for. */
    readonly keyed: boolean
  }
  /** Updates the item of the last step, and increments its version. */
  | {
    readonly kind: 'update'
    readonly collection: Collection
    readonly steps: readonly Step[]
    readonly values: Stored
    /** True if the item is deleted by this update: the rule `delete` allows it, and a scope may hide the item then. */
    readonly deletes?: true
  }
  /** Deletes the item of the last step. */
  | {
    readonly kind: 'delete'
    readonly collection: Collection
    readonly steps: readonly Step[]
    /** True if all items of the only step are deleted. */
    readonly every?: true
  }
  /** Links the items with the keys `own` and `other` in a many-to-many relation, unless they are linked already. */
  | { readonly kind: 'link', readonly field: SubCollectionField, readonly own: KeyValues, readonly other: KeyValues }
  /** Removes the link between these items, and no item. The result is `unchanged` if they are not linked. */
  | { readonly kind: 'unlink', readonly field: SubCollectionField, readonly own: KeyValues, readonly other: KeyValues }

export type ChangeOf<K extends Change['kind']> = Extract<Change, { kind: K }>

export type StoringChange = ChangeOf<'insert' | 'update'>

export const storedFields = (change: StoringChange): readonly StoredField[] =>
  change.kind === 'insert' ? change.fields : [...change.values.keys()]

/** Returns the values that a change stores, of several items those of the first. */
export const storedBy = (change: StoringChange): Stored => change.kind === 'update'
  ? change.values
  : new Map(change.fields.map((field, index) => [field, change.rows[0]?.[index]]))

/** Returns true for an insert of several items. */
export const isOfSeveral = (change: Change): boolean => change.kind === 'insert' && change.rows.length > 1

/** A change of a link in a join table, which has no collection of its own. */
export type LinkChange = ChangeOf<'link' | 'unlink'>

export const isLinkChange = <C extends { readonly kind: Change['kind'] }>(
  change: C
): change is Extract<C, { kind: 'link' | 'unlink' }> => change.kind === 'link' || change.kind === 'unlink'

export type Changed =
  /** `keys`: those of inserted items. `count`: how many of several items were inserted, the first ones. */
  | { readonly kind: 'changed', readonly keys?: readonly KeyValues[], readonly count?: number }
  /**
   * The steps lead to no item or to several, an insert with `orNothing` met a duplicate, none of several items was
   * inserted, or two items were linked already, or not linked.
   */
  | { readonly kind: 'unchanged' }
  /**
   * The change violates a constraint or policy of the database: `referred` if other items refer to the item.
   * `fields`: the offending fields, as far as known.
   */
  | {
    readonly kind: 'refused'
    readonly by: 'unique' | 'foreign-key' | 'referred' | 'policy' | 'other'
    readonly fields: readonly StoredField[]
    /** The words with which the author of a trigger or function refuses the change. */
    readonly raised?: string
    /** The driver's error, for the log. */
    readonly cause?: unknown
  }

export type ConstraintViolation = Extract<Changed, { kind: 'refused' }>

/** The error of a transaction that a deferred constraint or trigger of the database refused at the commit. */
export class RefusedAtCommit extends Error {
  /** The collection of the constraint; undefined if the database does not name it. */
  readonly collection: Collection | undefined
  readonly refused: ConstraintViolation
  constructor (refused: ConstraintViolation, collection: Collection | undefined, cause: unknown) {
    super('the database refused the commit of a transaction', { cause })
    this.refused = refused
    this.collection = collection
  }
}

/** The changes and locks of a transaction in the table of keys. */
export type KeySession = Pick<Session, 'lock' | 'change'>

/** The operations inside a transaction. */
export interface Session {
  /** The transaction as the application's setters and hooks see it. */
  readonly transaction: Transaction
  /**
   * Names the hook or setter that the transaction waits for, for the log messages of requests that wait meanwhile;
   * undefined ends the call.
   */
  announce (call: string | undefined): void
  /** Starts the limit of the transaction's duration again: an import has it for each of its slices. */
  renew? (): void
  read (plan: ReadPlan): ReadResult | Promise<ReadResult>
  /** Reads an item and locks it: no other transaction can change it before this one ends. */
  lock (plan: ItemPlan): ReadResult | Promise<ReadResult>
  change (change: Change): Changed | Promise<Changed>
  /** Checks what the database would check at the commit. Throws RefusedAtCommit. Default: it checks nothing then. */
  settle? (): Promise<void>
  /**
   * For the keys of requests: as the connection's own role where the request has one, and without the savepoint of a
   * change. Default: the session itself.
   */
  readonly keys?: KeySession
}

/** Returns true once the client of a read has left. */
export type IsAbandoned = () => boolean

/** A database that runs plans. A synchronous database returns its results without a promise. */
export interface Database {
  /** The kind in messages, such as `sqlite`. */
  readonly kind: string
  /** True if nothing can be written. Default false. */
  readonly readOnly?: boolean
  /** How many items of an import are written together. More save statements, and hold up others longer. Default 200. */
  readonly slice?: number
  /** Runs a statement that needs no data. Rejects with `unavailable` if the database does not answer. */
  ping? (): Promise<void>
  /**
   * Present if each request has a role and settings of its own, which decide what its statements see. Returns the
   * database for the request of this context. `within`: the transaction that its statements join. Throws a TypeError
   * for a transaction of another role or other settings.
   */
  inSessionOf? (context: AnyContext, within?: Session): Database
  /** Present if the database has a catalog to compare declarations with. */
  readonly catalogCheck?: CatalogCheck
  /**
   * Reads data. `noCache`: the result includes all earlier writes, of any client; without it a database may read from a
   * replica. Default false. `isAbandoned` returns true once nobody waits for the result: a database may then cancel its
   * statement and reject.
   */
  read (plan: ReadPlan, noCache?: boolean, isAbandoned?: IsAbandoned): ReadResult | Promise<ReadResult>
  /**
   * Reads data as JSON text if the database can produce it faster than rows. Returns the result of `read` for a miss,
   * and for plans that it does not support. Must not be called for groups.
   */
  readJson? (
    plan: ReadPlan, noCache?: boolean, isAbandoned?: IsAbandoned
  ): ReadResult | JsonResult | Promise<ReadResult | JsonResult>
  /**
   * Reads a listing in batches of at most `size` rows. Present if the database has a faster way than one read for each
   * batch (run/batches.ts).
   */
  readBatches? (plan: ListPlan, size: number, noCache?: boolean): Batches | Promise<Batches>
  /** Makes one change in a transaction of its own. */
  change (change: Change): Changed | Promise<Changed>
  /**
   * Calls `tell` after each change that the database knows of, of any client, until the function that it returns is
   * called. Absent if the database cannot tell.
   */
  watch? (tell: Tell): () => void
  /**
   * Has the database delete what it no longer needs, until the function that it returns is called. Called when an
   * application is ready. Absent if there is nothing to delete.
   */
  clean? (): () => void
  /** Runs `work` in a transaction: commits before the promise is fulfilled, and rolls back if `work` rejects. */
  transaction<T> (work: (session: Session) => Promise<T>): Promise<T>
}
