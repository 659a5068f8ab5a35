import { tooManyAffected } from '../errors/by-filter.ts'
import type { OneWrite, WritePlanOf } from '../plan/plan.ts'
import { both, equalsKey } from '../plan/predicates.ts'
import { listKeys } from '../plan/read/list-keys.ts'
import type { UnitOfWork } from './context.ts'
import { isMissed, keyOf, lockParent } from './locate.ts'
import type { Created, WriteResult } from './write.ts'

/**
 * Writes all items that the filter finds, each by `runOne` as one alone. All are locked first, in the order of their
 * keys; what a change of another request has taken out of the filter by then is left. Throws too_many_affected.
 */
export async function runMany (
  { steps, from, where, most, one }: WritePlanOf<'many'>, work: UnitOfWork,
  runOne: (plan: OneWrite, work: UnitOfWork) => Promise<WriteResult>
): Promise<WriteResult> {
  const parent = await lockParent(steps, work)
  if (parent.kind !== 'parent') return parent
  const { collection, via } = from
  const all = listKeys(from, steps, where)
  const range = { offset: 0, limit: most + 1 }
  const found = await work.session.read({ ...all, listing: { ...all.listing, range } })
  const rows = found.kind === 'rows' ? found.rows : []
  if (rows.length > most) throw tooManyAffected(most)
  const locked = []
  for (const row of rows) {
    const isItem = equalsKey(collection.key, keyOf(row, collection))
    const step = (condition: typeof where) => [...steps, { collection, via, where: condition }]
    const lock = await work.session.lock({ kind: 'item', steps: step(both(isItem, where)), select: [] })
    if (!isMissed(lock)) locked.push(step(isItem))
  }
  let affected = 0
  const items: Created[] = []
  for (const own of locked) {
    const result = await runOne({ ...one, steps: own }, work)
    // It went with one of the others, as its foreign key or a hook says.
    if (result.kind === 'missing') continue
    affected++
    if (result.kind === 'updated' && result.key !== undefined) items.push({ key: result.key, row: result.row })
  }
  return { kind: 'affected', affected, items }
}
