import { identifierNotFound, validation } from '../errors/errors.ts'
import { atPointer } from '../errors/place.ts'
import type { WritePlanOf } from '../plan/plan.ts'
import { checkListConditions } from '../plan/tag.ts'
import type { UnitOfWork } from './context.ts'
import { lockParent, readProjection } from './locate.ts'
import { lockBatch } from './lock-order.ts'
import type { Linked, WriteResult } from './write.ts'

type RunUpdate = (update: WritePlanOf<'update'>) => Promise<WriteResult>

/**
 * Updates items one after another by `runUpdate`, once all are locked. Throws identifier_not_found for one that does
 * not exist, and validation for one that two elements name.
 */
export async function runEach (
  plan: WritePlanOf<'each'>, work: UnitOfWork, runUpdate: RunUpdate
): Promise<WriteResult> {
  const { steps, collection, updates, conditions, representation } = plan
  checkListConditions(conditions, false)
  await lockBatch([{ plan, session: work.session }])
  const parent = await lockParent(steps, work)
  if (parent.kind !== 'parent') return parent
  const written = new Map<string, Linked>()
  for (const update of updates) {
    const result = await runUpdate(update)
    const { identifier, body: { pointer } } = update
    if (result.kind === 'missing') throw atPointer(identifierNotFound(identifier), pointer)
    const key = result.kind === 'created' ? result.items[0]?.key : result.kind === 'updated' ? result.key : undefined
    if (key === undefined) throw new TypeError('an update of an item by an identifier has a key')
    const text = JSON.stringify(key)
    if (written.has(text)) throw validation([{ pointer, message: 'names an item that another element names' }])
    written.set(text, { key, row: undefined, isNew: result.kind === 'created' })
  }
  const items: Linked[] = []
  // Read when all are written, as they may refer to each other.
  for (const one of written.values()) {
    items.push({ ...one, row: await readProjection(collection, one.key, representation, work) })
  }
  return { kind: 'linked', items }
}
