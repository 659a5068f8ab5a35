import type { Api, Chosen, Fields, Listed, Where } from '../client/index.ts'
import type { Key, Sync, Syncing, WrittenTransaction } from './tanstack.ts'

/** The options of a collection (docs/clients.md: TanStack DB). `S`: its selection; `F`: true if rows are flat. */
export interface DataApiCollectionOptions<A extends Api<A>, K extends keyof A, S, F> {
  /** The fields of a row. The key is added. Default: those that the API lists. */
  readonly fields?: S & (Fields<A, K> | undefined)
  /** The field or the fields of the key, in the order of the path. Default: `id`. */
  readonly key?: string | readonly string[] | undefined
  /** The fields that the API makes. They are not written. Default: none. */
  readonly generated?: readonly string[] | undefined
  /** Which rows are loaded: those that queries ask for, or all at once. Default: `on-demand`. */
  readonly syncMode?: 'on-demand' | 'eager' | undefined
  /** How rows stay current: followed where the API is live, else read again. False: they do not. Default: true. */
  readonly live?: boolean | LiveOptions | undefined
  /** How several changes are written; false for a collection that is only read. Default: a batch where there are. */
  readonly write?: 'batch' | 'each' | false | undefined
  /** What all rows of the collection match. */
  readonly base?: { readonly where?: Where<A, K> | undefined } | undefined
  /** True if the members of selected sub-items are those of the row: `planet_id` for `planet.id`. Default: false. */
  readonly flatten?: F | undefined
}

export interface LiveOptions {
  /** The time between two reads of rows that are not followed, in milliseconds; false: none. Default: 10000. */
  readonly poll?: number | false | undefined
  /** The most streams that the page may have open; 0: rows are read, never followed. Default: 4. */
  readonly streams?: number | undefined
}

/** The options of createCollection(). */
export interface DataApiCollectionConfig<R> {
  getKey: (row: R) => Key
  syncMode: 'on-demand' | 'eager'
  defaultStringCollation: { stringSort: 'lexical' }
  sync: { sync: (params: Sync<R>) => Syncing, rowUpdateMode: 'full' }
  utils: Record<string, never>
  onInsert?: (written: WrittenTransaction) => Promise<void>
  onUpdate?: (written: WrittenTransaction) => Promise<void>
  onDelete?: (written: WrittenTransaction) => Promise<void>
}

/** A row of a collection. */
export type RowOf<A extends Api<A>, K extends keyof A, S, F> =
  F extends true ? Flat<Chosen<A, K, S, Listed<A, K>>, A[K]['one']> : Chosen<A, K, S, Listed<A, K>>

type Flat<R, One> = Plain<Omit<R, keyof One> & Both<{ [P in keyof R & keyof One & string]: Members<R[P], P> }>>

type Members<V, P extends string> =
  { [M in keyof NonNullable<V> & string as `${P}_${M}`]: NonNullable<V>[M] | Extract<V, null> }

/** The type without its intersections. */
type Plain<T> = { [P in keyof T]: T[P] }

/** The intersection of the members of a type. */
type Both<T> = keyof T extends never
  ? unknown
  : { [P in keyof T]: (one: T[P]) => void }[keyof T] extends (all: infer B) => void ? B : never
