import type { ReadPlan } from '../plan/plan.ts'

/**
 * What a source gives for an item: values by the application's property names. A stored or expression field holds a Scalar, null, or for
 * a field of type `json` what JSON.parse gives; a shown sub-item a Row or null, a shown sub-collection an array of Rows.
 */
export interface Row { readonly [property: string]: unknown }

export interface Group { readonly value: unknown, readonly rows: readonly Row[] }

/** Results are values; what a miss means to HTTP is not a source's business. `step` counts from 0. */
export type ReadResult = Found | { readonly kind: 'missing', readonly step: number } | { readonly kind: 'ambiguous', readonly step: number }

/** `more`: at least one further row (or group) follows within the plan's `where`. `total` is there where the plan counts. */
export type Found =
  | { readonly kind: 'rows', readonly rows: readonly Row[], readonly more: boolean, readonly total?: number }
  | { readonly kind: 'groups', readonly groups: readonly Group[], readonly more: boolean, readonly total?: number }

/** The data behind a collection. Sources of one `database` can be joined; a relation never leads from one database to another. */
export interface Source {
  /** Identity of what its relations may reach; compared with `===`. */
  readonly database: Database
  /** The names that many-to-many relations may go through, where the source can tell. */
  readonly joinNames?: ReadonlySet<string>
}

/** A listing in batches. The first result is there already, so that a miss is known before anything is told. */
export interface Batches { readonly first: ReadResult, readonly rows: AsyncIterable<readonly Row[]> }

export type ListPlan = Extract<ReadPlan, { kind: 'list' }>

/** What runs plans. Synchronous databases answer synchronously: a promise that need not be is not made. */
export interface Database {
  /** For messages, such as `sqlite`. */
  readonly kind: string
  read (plan: ReadPlan): ReadResult | Promise<ReadResult>
  /** Reads a listing in batches of at most `size` rows, where the database has a better way than a read a batch (batches.ts). */
  readBatches? (plan: ListPlan, size: number): Batches
}
