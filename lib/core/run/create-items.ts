import { validation } from '../errors/errors.ts'
import { distincts, type KeyValues, toKeyValues } from '../model/identifiers.ts'
import type { StoredField } from '../model/model.ts'
import type { Scalar } from '../model/values.ts'
import type { UpsertInsert, WritePlanOf } from '../plan/plan.ts'
import { any, equalsKey } from '../plan/predicates.ts'
import { runsOf } from '../plan/write/bodies.ts'
import { contradiction } from '../plan/write/body.ts'
import type { ItemBody } from '../plan/write/item-body.ts'
import { findPathValue, parentKey } from '../plan/write/path-values.ts'
import { makePauses } from '../scheduling/pauses.ts'
import type { UnitOfWork } from './context.ts'
import { createItem } from './create-item.ts'
import { insertTogether, nothingInserted } from './insert.ts'
import { keyOf, lockParent, type Parent, type ParentItem, withProjections } from './locate.ts'
import { lockInOrder } from './lock-order.ts'
import type { WriteResult } from './write.ts'

/** Creates the items of a POST, all or none (docs/http.md: Writing). */
export async function runCreate (plan: WritePlanOf<'create'>, work: UnitOfWork): Promise<WriteResult> {
  const { steps, from, given, bodies: { all, runs }, many, representation } = plan
  if (runs === undefined) await lockInOrder(steps, all(), work)
  const parent = await lockParent(steps, work)
  if (parent.kind !== 'parent') return parent
  if (!fitsParent({ from, given }, parent)) throw validation(all().map(({ pointer }) => contradiction(pointer)))
  const { collection } = from
  const keys: KeyValues[] = []
  for (const { start, count, values } of runs ?? runsOf(all())) {
    const isTogether = many && values !== undefined
    const inserted = isTogether ? await insertTogether(plan, values, parent.item, work) : nothingInserted
    keys.push(...inserted.keys)
    if (inserted.count === count) continue
    keys.push(...await createEach(plan, all().slice(start + inserted.count, start + count), parent.item, work))
  }
  const items = await withProjections(keys.map(key => ({ key })), collection, representation, work)
  return { kind: 'created', items }
}

async function createEach (
  { from, given }: WritePlanOf<'create'>, bodies: readonly ItemBody[], parent: ParentItem | undefined,
  work: UnitOfWork
): Promise<readonly KeyValues[]> {
  const keys: KeyValues[] = []
  const pause = makePauses()
  for (const body of bodies) {
    await pause()
    const item = await createItem({ body, from, given, parent, skipped: 'none' }, work)
    if (item === undefined) throw new TypeError('an insert without a conflict clause inserted nothing')
    keys.push(keyOf(item, from.collection))
  }
  return keys
}

/** Returns false if the URL of a new item gives a value to the foreign key that is not the parent's. */
export function fitsParent ({ from, given }: Pick<UpsertInsert, 'from' | 'given'>, { item: parent }: Parent): boolean {
  return parentKey(from.via).every((field, index) => {
    const own = findPathValue(field, given)
    return own === undefined || own.value === parent?.key[index]
  })
}

/**
 * Returns true if the URL of a new item gives it what another item has that may not be given twice, such as the key of
 * one with another parent. An item that does not exist for the caller is found by the insert alone.
 */
export async function isElsewhere (
  { from: { collection, via }, given }: Pick<UpsertInsert, 'from' | 'given'>, { item: parent }: Parent,
  { session }: UnitOfWork
): Promise<boolean> {
  const values = new Map<StoredField, Scalar | undefined>([
    ...parentKey(via).map((field, index) => [field, parent?.key[index]] as const),
    ...given.map(({ field, value }) => [field, value] as const)
  ])
  const named = distincts(collection).filter(fields => fields.every(field => field.readable && values.has(field)))
  // The step has looked for this item in the whole collection.
  if (via === undefined && named.length === 1 && named[0]?.length === values.size) return false
  const where = any(named.flatMap(fields => {
    const own = toKeyValues(fields.map(field => values.get(field)))
    return own === undefined ? [] : [equalsKey(fields, own)]
  }))
  const found = await session.read({ kind: 'item', steps: [{ collection, via: undefined, where }], select: [] })
  return found.kind !== 'missing'
}
