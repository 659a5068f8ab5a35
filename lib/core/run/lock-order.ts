import { type KeyValues, toKeyValues } from '../model/identifiers.ts'
import type { Collection, StoredField } from '../model/model.ts'
import type { Element, ItemBody } from '../plan/write/item-body.ts'
import type { Step, WritePlan } from '../plan/plan.ts'
import type { ScopedSession } from '../rules/scoped-database.ts'
import { equalsKey } from '../plan/predicates.ts'
import { selectKey } from '../plan/read/select.ts'
import { byKey, keyOf } from './locate.ts'
import type { UnitOfWork } from './context.ts'

/**
 * Locks the item of the path and all existing items that the bodies name, before any of them is written: ordered by
 * collection and key, so that two requests that name the same items in different orders do not wait for each other.
 * `others`: further items that the request will write. Does nothing for bodies that name no item. Costs a statement for
 * each item, and one to find the item of the path.
 */
export async function lockInOrder (
  steps: readonly Step[], bodies: readonly ItemBody[], work: UnitOfWork, others: readonly FoundItem[] = []
): Promise<void> {
  const named = bodies.flatMap(elementsIn)
  if (named.length + others.length > 0) await lockItems([steps, ...named.map(stepsTo)], work, others)
}

/** Locks all that the writes of a batch name, in the same order. Each has the session of its caller. */
export async function lockBatch (writes: readonly PlanInSession[]): Promise<void> {
  const found: FoundMap = new Map()
  for (const { plan, session } of writes.flatMap(singly)) {
    const { steps } = plan
    const paths = plan.kind === 'unlink' ? [steps.slice(0, -1), steps] : [steps]
    for (const path of [...paths, ...namedIn(plan).map(stepsTo)]) await find(path, session, found)
  }
  await lockFound(found)
}

interface PlanInSession extends InSession { readonly plan: WritePlan }

const singly = (write: PlanInSession): readonly PlanInSession[] =>
  write.plan.kind === 'each' ? [write, ...write.plan.updates.map(plan => ({ ...write, plan }))] : [write]

/** Returns the existing items that the bodies of a write may name. */
function namedIn (plan: WritePlan): readonly NamedElement[] {
  switch (plan.kind) {
    case 'create': return plan.bodies.all().flatMap(elementsIn)
    case 'update': return elementsIn(plan.body)
    case 'many': return plan.one.kind === 'update' ? elementsIn(plan.one.body) : []
    case 'link': return namedElements(plan.collection, plan.elements)
    default: return []
  }
}

/** Locks the items of the paths, as far as they are found, and the other items, ordered by collection and key. */
export async function lockItems (
  paths: ReadonlyArray<readonly Step[]>, { session }: InSession, others: readonly FoundItem[] = []
): Promise<void> {
  const found: FoundMap = new Map(others.map(one => [nameOf(one), { ...one, session }]))
  for (const path of paths) await find(path, session, found)
  await lockFound(found)
}

type InSession = Pick<UnitOfWork, 'session'>

/** The items to lock by their names, each with the session that locks it. */
type FoundMap = Map<string, FoundItem & InSession>

async function lockFound (found: FoundMap): Promise<void> {
  const ordered = [...found].sort(([one], [other]) => one < other ? -1 : 1)
  for (const [, { collection, key, session }] of ordered) {
    await session.lock({ kind: 'item', steps: byKey(collection, key), select: [] })
  }
}

interface NamedElement {
  readonly collection: Collection
  readonly fields: readonly StoredField[]
  readonly values: KeyValues
}

export interface FoundItem { readonly collection: Collection, readonly key: KeyValues }

const nameOf = ({ collection, key }: FoundItem) => `${collection.name} ${JSON.stringify(key)}`

const stepsTo = ({ collection, fields, values }: NamedElement): readonly Step[] =>
  [{ collection, via: undefined, where: equalsKey(fields, values) }]

/** Returns the elements of a body that may name an existing item, at any depth. */
function elementsIn ({ assignments }: ItemBody): readonly NamedElement[] {
  if (assignments.every(({ kind }) => kind === 'value')) return []
  return assignments.flatMap(assignment => {
    if (assignment.kind !== 'item' && assignment.kind !== 'list') return []
    const { field: { target: collection } } = assignment
    const elements = assignment.kind === 'list' ? assignment.elements : [assignment.element]
    return namedElements(collection, elements)
  })
}

function namedElements (collection: Collection, elements: ReadonlyArray<Element | null>): readonly NamedElement[] {
  return elements.flatMap(element => {
    if (element === null) return []
    const nested = element.created === undefined ? [] : elementsIn(element.created)
    // A key of which the parent gives a part names an item of the parent, which is locked itself.
    const values = toKeyValues(element.found?.values ?? [])
    const { fields } = element.found ?? {}
    return fields === undefined || values === undefined ? nested : [{ collection, fields, values }, ...nested]
  })
}

/** Adds the item of a path, as far as one is found; where several are, the run of the plan says so. */
async function find (steps: readonly Step[], session: ScopedSession, found: FoundMap): Promise<void> {
  const collection = steps.at(-1)?.collection
  if (collection === undefined) return
  const result = await session.read({ kind: 'item', steps, select: selectKey(collection) })
  const [row] = result.kind === 'rows' ? result.rows : []
  const one = row && { collection, key: keyOf(row, collection), session }
  if (one !== undefined) found.set(nameOf(one), one)
}
