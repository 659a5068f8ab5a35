import type { Api, Collection } from '../client/index.ts'
import { type ResourceOrigin, origin } from '../client/resource.ts'
import type { FeedSource, Shown } from './feed.ts'
import { type ItemRow, Rows } from './rows.ts'
import { type RowShape, rowShape } from './shape.ts'
import { makeSubsets } from './subsets.ts'
import type { Sync, Syncing } from './tanstack.ts'
import type { DataApiCollectionConfig, DataApiCollectionOptions, RowOf } from './types.ts'
import { type RowWriter, writers, writeTransaction } from './writes.ts'

/** Returns the options of createCollection() for a collection of a client (docs/clients.md: TanStack DB). */
export function dataApiCollectionOptions<
  A extends Api<A>, K extends keyof A, const S = undefined, const F extends boolean = false
> (
  collection: Collection<A, K>, options: DataApiCollectionOptions<A, K, S, F> = {}
): DataApiCollectionConfig<RowOf<A, K, S, F>> {
  const { syncMode = 'on-demand', live = true, write, base } = options
  const { poll = 10_000, streams = 4 } = live === true ? {} : live || { poll: false, streams: 0 }
  const shape = rowShape(options)
  const reads = collection as unknown as
    FeedSource['collection'] & RowWriter['collection'] & { readonly [origin]: ResourceOrigin }
  const source: FeedSource = { collection: reads, fields: shape.fields, poll, streams }
  let run: { readonly rows: Rows, refresh (): void } | undefined

  const sync = (params: Sync<ItemRow>): Syncing => {
    const rows = new Rows(params, shape.keyOf)
    const shown: Shown = {
      writes: () => rows.writes,
      set: (page, items, scope) => rows.set(page, items.map(shape.rowOf), scope),
      awaits: scope => rows.awaits(scope),
      revoke: (items, scope) => { rows.revoke(items.map(shape.rowOf), scope) }
    }
    const subsets = makeSubsets({ source, pathOf: shape.pathOf, base: base?.where ?? {} }, shown)
    run = { rows, refresh: subsets.refresh }
    if (syncMode === 'on-demand') params.markReady()
    else Promise.resolve(subsets.loadSubset({})).then(params.markReady, params.markError)
    return { ...subsets, cleanup: () => [subsets.cleanup(), rows.close()] }
  }

  const writer: RowWriter = {
    ...reads[origin],
    ...shape,
    collection: reads,
    mode: write || undefined,
    put: item => {
      const row = shape.rowOf(item)
      // A repeated write may be answered without the item.
      if (shape.keyOf(row) === undefined) return
      run?.rows.keep(row, item, live === false ? Infinity : 2 * (poll || 10_000))
    },
    drop: key => run?.rows.drop(key),
    refresh: () => { if (live !== false) run?.refresh() }
  }
  const utils = {}
  if (write !== false) writers.set(utils, writer)
  const config: object = { ...configOf(shape, write), syncMode, sync: { sync, rowUpdateMode: 'full' }, utils }
  return config as DataApiCollectionConfig<RowOf<A, K, S, F>>
}

const configOf = ({ keyOf }: RowShape, write: unknown) => ({
  getKey: keyOf,
  defaultStringCollation: { stringSort: 'lexical' },
  ...write !== false && { onInsert: writeTransaction, onUpdate: writeTransaction, onDelete: writeTransaction }
})
