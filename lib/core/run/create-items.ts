import { validation } from '../errors/errors.ts'
import type { KeyValues } from '../model/identifiers.ts'
import type { UpsertInsert, WritePlanOf } from '../plan/plan.ts'
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
