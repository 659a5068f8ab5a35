import type { Values } from '../collection.ts'
import type { Collection } from '../model/model.ts'
import type { Projection, Row, Step } from '../plan/plan.ts'
import { selectKey } from '../plan/select.ts'
import type { Missed, ReadResult } from '../sources/source.ts'
import { byKey, keyOf, type ParentItem } from './create-update.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/** The parent item; undefined for items without a parent. */
export interface Parent { readonly kind: 'parent', readonly item: ParentItem | undefined }

/** Locks the parent of new or linked items, which therefore exists until the transaction ends. */
export async function lockParent (steps: readonly Step[], { session }: UnitOfWork): Promise<Parent | Missed> {
  const last = steps.at(-1)
  if (last === undefined) return { kind: 'parent', item: undefined }
  const found = await session.lock({ kind: 'item', steps, select: selectKey(last.collection) })
  if (isMissed(found)) return found
  return { kind: 'parent', item: { key: keyOf(rowOf(found), last.collection), isNew: false } }
}

/** Returns the fields that the client asked for, as the transaction sees them. */
export async function readProjection (
  collection: Collection, item: Values, representation: Projection | undefined, { session }: UnitOfWork
): Promise<Row | undefined> {
  if (representation === undefined) return undefined
  const steps = byKey(collection, keyOf(item, collection))
  const found = await session.read({ kind: 'item', steps, select: representation.select })
  return isMissed(found) ? undefined : rowOf(found)
}

export const isMissed = (result: ReadResult): result is Missed =>
  result.kind === 'missing' || result.kind === 'ambiguous'

/** Returns the row of an item that was found. */
export function rowOf (found: Exclude<ReadResult, Missed>): Row {
  const [row] = found.kind === 'rows' ? found.rows : []
  if (row === undefined) throw new TypeError('a source that finds an item gives its row')
  return row
}
