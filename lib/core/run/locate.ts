import { forbidden } from '../errors/errors.ts'
import { type KeyValues, toKeyValues } from '../model/identifiers.ts'
import type { Collection, RelationField, StoredField, SubCollectionField } from '../model/model.ts'
import { exactJsonType } from '../model/values.ts'
import type { Origin, Row, Selection, Step } from '../plan/plan.ts'
import type { Projection } from '../plan/tag.ts'
import { equalsKey } from '../plan/predicates.ts'
import { selectKey, showPlainly } from '../plan/read/select.ts'
import type { Confirmation, Element, Named } from '../plan/write/item-body.ts'
import { parentKey } from '../plan/write/path-values.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { Missed, ReadResult } from '../sources/source.ts'
import type { UnitOfWork } from './context.ts'

/** The item that has a relation. `isNew`: this request creates it. */
export interface ParentItem { readonly key: KeyValues, readonly isNew: boolean }

/** The parent item; undefined for items without a parent. */
export interface Parent { readonly kind: 'parent', readonly item: ParentItem | undefined }

/**
 * Locks the item of the last step. Throws forbidden for an item that can be read but not locked, because a policy of
 * the database lets nobody change it here.
 */
export async function lockItem (
  steps: readonly Step[], select: Selection, { session }: UnitOfWork
): Promise<ReadResult> {
  const found = await session.lock({ kind: 'item', steps, select })
  if (found.kind !== 'missing') return found
  const seen = await session.read({ kind: 'item', steps, select: [] })
  if (isMissed(seen)) return found
  // It may have been created since the lock looked for it.
  const again = await session.lock({ kind: 'item', steps, select })
  if (again.kind === 'missing') throw forbidden()
  return again
}

/** Locks the parent of new or linked items, which therefore exists until the transaction ends. */
export async function lockParent (steps: readonly Step[], work: UnitOfWork): Promise<Parent | Missed> {
  const last = steps.at(-1)
  if (last === undefined) return { kind: 'parent', item: undefined }
  const found = await lockItem(steps, selectKey(last.collection), work)
  if (isMissed(found)) return found
  return { kind: 'parent', item: { key: keyOf(rowOf(found), last.collection), isNew: false } }
}

/** Returns the fields that the client asked for, as the transaction sees them; undefined if it sees no such item. */
export async function readProjection (
  collection: Collection, key: KeyValues, representation: Projection | undefined,
  { session }: Pick<UnitOfWork, 'session'>
): Promise<Row | undefined> {
  if (representation === undefined) return undefined
  const found = await session.read({ kind: 'item', steps: byKey(collection, key), select: representation.select })
  return isMissed(found) ? undefined : rowOf(found)
}

/**
 * Returns items with the fields that the client asked for. To be called when all of them are written: a later one may
 * change what an earlier one shows, and bring it into the caller's scope.
 */
export async function withProjections<T extends { readonly key: KeyValues }> (
  items: readonly T[], collection: Collection, representation: Projection | undefined, work: UnitOfWork
): Promise<ReadonlyArray<T & { readonly row: Row | undefined }>> {
  const shown = []
  for (const item of items) {
    shown.push({ ...item, row: await readProjection(collection, item.key, representation, work) })
  }
  return shown
}

export const isMissed = (result: ReadResult): result is Missed =>
  result.kind === 'missing' || result.kind === 'ambiguous'

export function rowOf (found: Exclude<ReadResult, Missed>): Row {
  const [row] = found.kind === 'rows' ? found.rows : []
  if (row === undefined) throw new TypeError('a source that finds an item gives its row')
  return row
}

/**
 * Returns the selection of all stored fields and of the other fields that `confirmations` compares. `exact`: those that
 * are read as ExactJson.
 */
export function itemSelection (
  { stored }: Collection, confirmations: readonly Confirmation[], exact: readonly StoredField[] = []
): Selection {
  const fields = stored.map(field =>
    ({ kind: 'value', name: field.name, field: exact.includes(field) ? exactly(field) : field } as const))
  const compared = confirmations.filter(({ field }) => field.kind !== 'stored').map(({ field }) => showPlainly(field))
  return [...fields, ...compared]
}

const exactly = memoize((field: StoredField): StoredField =>
  // Another field for the shapes of statements.
  ({ ...field, index: -1 - field.index, type: exactJsonType }))

export const byKey = (collection: Collection, key: KeyValues): readonly Step[] =>
  [{ collection, via: undefined, where: equalsKey(collection.key, key) }]

/** Throws a TypeError if it has none. */
export function keyOf (item: Row, { key, property }: Collection): KeyValues {
  const values = toKeyValues(key.map(field => item[field.property]))
  if (values !== undefined) return values
  throw new TypeError(`collection '${property}': an item has no key`)
}

export async function isLinked (
  field: SubCollectionField, own: KeyValues, other: KeyValues, { session }: UnitOfWork
): Promise<boolean> {
  const { holder, target } = field
  const element = { collection: target, via: field, where: equalsKey(target.key, other) }
  return !isMissed(await session.read({ kind: 'item', steps: [...byKey(holder, own), element], select: [] }))
}

/** The relation of an element. `parent`: the item that holds it; undefined in a sub-item. */
export interface ElementRelation {
  readonly from: Origin
  readonly parent: ParentItem | undefined
  readonly field: RelationField
}

/** Locks the existing item that an element names; returns undefined if there is none. */
export async function findElement (
  { found, linked }: Element, relation: ElementRelation, { session }: UnitOfWork
): Promise<Row | undefined> {
  const values = found && namedValues(found, relation)
  if (found === undefined || values === undefined) return undefined
  const { collection } = relation.from
  const steps = [{ collection, via: undefined, where: equalsKey(found.fields, values) }]
  const result = await session.lock({ kind: 'item', steps, select: itemSelection(collection, linked.confirmations) })
  return result.kind === 'rows' ? result.rows[0] : undefined
}

/** Returns the values of an identifier, with those that the parent gives; undefined without one of these. */
function namedValues ({ fields, values }: Named, { from, parent }: ElementRelation): KeyValues | undefined {
  const given = parentKey(from.via)
  return toKeyValues(fields.map((field, index) => values[index] ?? parent?.key[given.indexOf(field)]))
}
