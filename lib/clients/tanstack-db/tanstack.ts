// What this room uses of TanStack DB, as types of its own: it imports nothing but the client. A test has the compiler
// compare them with those of TanStack DB (test/client/tanstack-db.test.ts).

/** The key of a row. */
export type Key = string | number

export type QueryExpression = Value | PathReference | Call

interface Value { readonly type: 'val', readonly value: unknown }
interface Call { readonly type: 'func', readonly name: string, readonly args: readonly QueryExpression[] }
export interface PathReference { readonly type: 'ref', readonly path: ReadonlyArray<string | number> }

export interface QueryOrder {
  readonly expression: QueryExpression
  readonly compareOptions: {
    readonly direction: 'asc' | 'desc'
    readonly nulls: 'first' | 'last'
    readonly stringSort?: string
  }
}

/** The rows that a query asks for. */
export interface Subset {
  readonly where?: QueryExpression
  readonly orderBy?: readonly QueryOrder[]
  readonly limit?: number
  /** Where the rows begin; `offset` is the number of those before. */
  readonly cursor?: object
  readonly offset?: number
  readonly refetch?: boolean
}

/** Pending while a change is not shown, because it comes after a transaction that is being written. */
export type ShownState = true | Promise<void>

/** How rows are given to a collection. */
export interface Sync<R> {
  begin (): void
  write (change: { type: 'insert' | 'update', value: R } | { type: 'delete', key: Key }): void
  commit (): ShownState
  markReady (): void
  markError (error?: unknown): void
}

/** What a collection calls while it is in use. */
export interface Syncing {
  loadSubset (subset: Subset): ShownState
  unloadSubset (subset: Subset): void
  cleanup (): void
}

/** A change of a transaction, of any collection. */
export interface Mutation {
  readonly type: 'insert' | 'update' | 'delete'
  readonly key: Key
  readonly modified: object
  readonly changes: object
  readonly collection: { readonly utils: object }
}

export interface WrittenTransaction {
  readonly transaction: { readonly id: string, readonly mutations: readonly Mutation[] }
}
