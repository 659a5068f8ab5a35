import { tooManyAffected } from '../errors/by-filter.ts'
import { forbidden, identifierNotFound, validation } from '../errors/errors.ts'
import { atPointer } from '../errors/place.ts'
import type { KeyValues } from '../model/identifiers.ts'
import type { OneWrite, WritePlanOf } from '../plan/plan.ts'
import { equalsKey } from '../plan/predicates.ts'
import { checkListConditions } from '../plan/tag.ts'
import { listKeys } from '../plan/read/list-keys.ts'
import type { UnitOfWork } from './context.ts'
import { byKey, isMissed, keyOf, lockParent, withProjections } from './locate.ts'
import { lockBatch, lockInOrder } from './lock-order.ts'
import type { Linked, WriteResult } from './write.ts'

type RunOne = (plan: OneWrite, work: UnitOfWork) => Promise<WriteResult>

/**
 * Writes all items that the filter finds, each by `runOne` as one alone. All are locked first; what a change of another
 * request has taken out of the filter by then is left. Throws too_many_affected, and forbidden if an update takes
 * another of the items away from the caller.
 */
export async function runMany (
  plan: WritePlanOf<'many'>, work: UnitOfWork, runOne: RunOne
): Promise<WriteResult> {
  const { steps, from: { collection, via }, most, one } = plan
  // PATCH of a list is allowed to a caller who may only create as well, by an array.
  const denial = one.kind === 'update' ? work.caller.denial('update', collection) : undefined
  if (denial !== undefined) throw denial
  const found = await findKeys(plan, most + 1, work)
  if ('kind' in found) return found
  // That of a tag fails also where nothing is found.
  checkListConditions(one.conditions, false)
  if (found.length > most) throw tooManyAffected(most)
  const bodies = one.kind === 'update' ? [one.body] : []
  // The items are read when all are written.
  const unshown = one.kind === 'update' ? { ...one, representation: undefined } : one
  await lockInOrder(steps, bodies, work, found.map(key => ({ collection, key })))
  const parent = await lockParent(steps, work)
  if (parent.kind !== 'parent') return parent
  const still = await findKeys(plan, Infinity, work)
  if ('kind' in still) return still
  const names = new Set(still.map(nameOf))
  const written: KeyValues[] = []
  const ofParent = parent.item === undefined || via === undefined ? [] : byKey(via.holder, parent.item.key)
  for (const key of found.filter(key => names.has(nameOf(key)))) {
    // A write of one before it may have changed what the path names, so the keys lead to the item.
    const own = one.kind === 'unlink'
      ? [...ofParent, { collection, via, where: equalsKey(collection.key, key) }]
      : byKey(collection, key)
    const result = await runOne({ ...unshown, steps: own }, work)
    if (result.kind !== 'missing') written.push(result.kind === 'updated' ? result.key ?? key : key)
    // A deletion may take others with it, as a foreign key or a hook says.
    else if (one.kind === 'update') throw forbidden()
  }
  const shown = one.kind === 'update' ? written.map(key => ({ key })) : []
  const representation = one.kind === 'update' ? one.representation : undefined
  const items = await withProjections(shown, collection, representation, work)
  return { kind: 'affected', affected: written.length, items }
}

/** Returns the keys of the items that the filter finds, or the step of the path that leads to no item. */
async function findKeys ({ from, steps, where }: WritePlanOf<'many'>, limit: number, { session }: UnitOfWork) {
  const all = listKeys(from, steps, where)
  const found = await session.read({ ...all, listing: { ...all.listing, range: { offset: 0, limit } } })
  if (isMissed(found)) return found
  return found.kind === 'rows' ? found.rows.map(row => keyOf(row, from.collection)) : []
}

const nameOf = (key: KeyValues) => JSON.stringify(key)

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
  const written = new Map<string, Omit<Linked, 'row'>>()
  for (const update of updates) {
    const result = await runUpdate(update)
    const { identifier, body: { pointer } } = update
    if (result.kind === 'missing') throw atPointer(identifierNotFound(identifier), pointer)
    const key = result.kind === 'created' ? result.items[0]?.key : result.kind === 'updated' ? result.key : undefined
    if (key === undefined) throw new TypeError('an update of an item by an identifier has a key')
    const text = JSON.stringify(key)
    if (written.has(text)) throw validation([{ pointer, message: 'names an item that another element names' }])
    written.set(text, { key, isNew: result.kind === 'created' })
  }
  return { kind: 'linked', items: await withProjections([...written.values()], collection, representation, work) }
}
