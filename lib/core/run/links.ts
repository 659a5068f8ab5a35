import { forbidden } from '../errors/errors.ts'
import type { KeyValues } from '../model/identifiers.ts'
import type { Collection, SubCollectionField } from '../model/model.ts'
import type { Step, WritePlanOf } from '../plan/plan.ts'
import { always } from '../plan/predicates.ts'
import { listKeys } from '../plan/read/list-keys.ts'
import { checkConditions, checkListConditions, versionOf } from '../plan/tag.ts'
import { authoriseLink } from '../rules/authorise.ts'
import type { Missed } from '../sources/source.ts'
import type { ItemDraft } from './item-draft.ts'
import { assign, resolveElement, unlinkKey } from './create-item.ts'
import {
  byKey, type ElementRelation, findElement, isLinked, isMissed, itemSelection, keyOf, lockItem, lockParent,
  type ParentItem, rowOf, withProjections
} from './locate.ts'
import { type FoundItem, lockInOrder, lockItems } from './lock-order.ts'
import type { UnitOfWork } from './context.ts'
import { updateItem } from './update-item.ts'
import { expectChanged } from './violations.ts'
import type { WriteResult } from './write.ts'

/**
 * Links the elements of a request to the item of the last step, or creates them there; with `replace`, takes all other
 * elements out of the relation first (docs/http.md: Writing).
 */
export async function runLink (plan: WritePlanOf<'link'>, work: UnitOfWork): Promise<WriteResult> {
  const { steps, collection, via, elements, replace, conditions, representation } = plan
  const list = { kind: 'list', field: via, elements, pointer: '' } as const
  const body = { pointer: '', assignments: [list], confirmations: [], violations: [] }
  await lockInOrder(steps, [body], work, await updatedElements(plan, work))
  const found = await lockParent(steps, work)
  if (found.kind !== 'parent') return found
  const { item: parent } = found
  if (parent === undefined) throw new TypeError('a relation is reached by a step at least')
  const relation = { from: { collection, via }, parent, field: via }
  if (replace) {
    checkListConditions(conditions, collection.strategies.requireIfMatch)
    await unlinkOthers(plan, relation, work)
  }
  const resolved = []
  for (const element of elements) resolved.push(await resolveElement(element, relation, work))
  if (replace) return { kind: 'updated', row: undefined }
  return { kind: 'linked', items: await withProjections(resolved, collection, representation, work) }
}

/** Returns the items that a replacement of the list may update, as they are before the locks. */
async function updatedElements (
  { steps, collection, via, replace }: WritePlanOf<'link'>, { session }: UnitOfWork
): Promise<readonly FoundItem[]> {
  if (!replace || via.link.kind === 'join') return []
  const found = await session.read(listKeys({ collection, via }, steps, always))
  return found.kind === 'rows' ? found.rows.map(row => ({ collection, key: keyOf(row, collection) })) : []
}

/** Takes all elements out of the relation that the request does not name. */
async function unlinkOthers (
  { collection, via, elements }: WritePlanOf<'link'>, relation: ElementRelation & { readonly parent: ParentItem },
  work: UnitOfWork
): Promise<void> {
  const { parent } = relation
  const named = new Set<string>()
  for (const element of elements) {
    const row = await findElement(element, relation, work)
    if (row !== undefined) named.add(JSON.stringify(keyOf(row, collection)))
  }
  for (const key of await linkedKeys(via, parent, work)) {
    if (!named.has(JSON.stringify(key))) await unlink(via, parent.key, key, work)
  }
}

/** Returns the keys of the elements that exist for the caller. */
async function linkedKeys (
  via: SubCollectionField, parent: ParentItem, { session }: UnitOfWork
): Promise<readonly KeyValues[]> {
  const { target: collection } = via
  const from = { collection, via }
  const found = await session.read(listKeys(from, byKey(via.holder, parent.key), always))
  return found.kind === 'rows' ? found.rows.map(row => keyOf(row, collection)) : []
}

/** Takes the item of the last step out of the relation by which the path leads to it. The item stays. */
export async function runUnlink (
  { steps, collection, via, conditions }: WritePlanOf<'unlink'>, work: UnitOfWork
): Promise<WriteResult> {
  await lockItems([steps.slice(0, -1), steps], work)
  const parent = await lockParent(steps.slice(0, -1), work)
  if (parent.kind !== 'parent') return parent
  if (parent.item === undefined) throw new TypeError('a relation is reached by a step at least')
  const found = await lockItem(steps, itemSelection(collection, []), work)
  if (isMissed(found)) return found
  const row = rowOf(found)
  checkConditions(conditions, versionOf(row, collection), collection.strategies.requireIfMatch)
  const key = keyOf(row, collection)
  if (via.kind === 'sub-collection') {
    const isUnlinked = await unlink(via, parent.item.key, key, work)
    return isUnlinked ? { kind: 'updated', row: undefined } : missing(steps)
  }
  const body = {
    pointer: '',
    assignments: [{ kind: 'item', field: via, element: null, pointer: '' } as const],
    confirmations: [],
    violations: []
  }
  const { holder } = via
  const change = (draft: ItemDraft) => assign(body, { draft, collection: holder, url: new Map() }, work)
  await updateLocked(holder, parent.item.key, work, change)
  return { kind: 'updated', row: undefined }
}

async function updateLocked (
  collection: Collection, key: KeyValues, work: UnitOfWork, change: (draft: ItemDraft) => Promise<void>
): Promise<void> {
  const found = await lockItem(byKey(collection, key), itemSelection(collection, []), work)
  if (isMissed(found)) throw new TypeError('an item that was locked exists')
  await updateItem({ collection, row: rowOf(found), pointer: '', forced: new Set(), change }, work)
}

const missing = (steps: readonly Step[]): Missed => ({ kind: 'missing', step: steps.length - 1 })

/** Returns false if they were not linked. */
async function unlink (
  field: SubCollectionField, own: KeyValues, other: KeyValues, work: UnitOfWork
): Promise<boolean> {
  const link = authoriseLink({ field, isOwnNew: false, isOtherNew: false, pointer: '' }, work.caller)
  const { target: collection } = field
  if (link.kind === 'join') {
    const changed = await work.session.change({ kind: 'unlink', field: link.field, own, other })
    if (changed.kind === 'unchanged') {
      // A policy or a trigger of the database keeps the link.
      if (await isLinked(field, own, other, work)) throw forbidden()
      return false
    }
    expectChanged(changed, collection, '')
    return true
  }
  const callSite = { collection, pointer: '', work }
  await updateLocked(collection, other, work, draft => unlinkKey(link.fields, field.readable, draft, callSite))
  return true
}
