import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Saved, Values, WriteContext } from '../collection.ts'
import { atPointer, DataApiError, danglingReference, validation } from '../errors.ts'
import type { Collection, StoredField, SubCollectionField } from '../model/model.ts'
import { type Scalar, toValue } from '../model/values.ts'
import { type Confirmation, contradiction, type Element, type ItemBody, parentKey } from '../plan/body.ts'
import type { Preset, Origin, Selection, Step, Row } from '../plan/plan.ts'
import { equals } from '../plan/predicates.ts'
import { showPlainly } from '../plan/select.ts'
import type { ScopedSession } from '../rules/scoped-database.ts'
import { confirm } from './confirm.ts'
import { changedValues, storedValues, toItem, valueIn } from './stored-values.ts'
import { expectChanged } from './violations.ts'

/** A write under way. */
export interface Work {
  readonly session: ScopedSession
  readonly context: WriteContext
  /** What the application is told of after the commit. */
  readonly saved: Array<{ readonly collection: Collection, readonly saved: Saved<Values> }>
}

/** An item to create, where it belongs, and what it gets from there. */
export interface Creation {
  readonly body: ItemBody
  readonly from: Origin
  readonly given: readonly Preset[]
  /** The key of the item that it belongs to. */
  readonly parent: Scalar | undefined
  readonly orNothing: boolean
}

/** Creates an item with all that its body creates or links: setters and hooks run, then one insert. Nothing where it would be a duplicate and may be. */
export async function createItem (creation: Creation, work: Work): Promise<Values | undefined> {
  const { body, from: { collection, via }, given, parent, orNothing } = creation
  const item = newItem(collection)
  const fixed = parentKey(via)
  if (fixed !== undefined) item[fixed.property] = parent
  for (const { field, value } of given) await assignValue(field, value, item, collection, body.pointer, work)
  await assign(body, item, collection, fixed, work)
  await calling("hook 'creating'", { collection, pointer: body.pointer, work }, () => collection.hooks.creating?.(item, work.context))
  const inserted = await work.session.change({ kind: 'insert', collection, values: storedValues(item, collection, body.pointer), orNothing })
  // Some constraints can only be refused, where others let an insert do nothing.
  if (inserted.kind === 'unchanged' || (orNothing && inserted.kind === 'refused' && inserted.by === 'unique')) return undefined
  const { key } = expectChanged(inserted, collection, body.pointer)
  const created = { ...item, [collection.key.property]: key }
  work.saved.push({ collection, saved: { kind: 'created', item: created } })
  if (via?.link.kind === 'join' && parent !== undefined) await link(via, parent, keyOf(created, collection), body.pointer, work)
  await linkElements(body, keyOf(created, collection), work)
  return created
}

/** A new item before anything is said of it: what is made for it. */
export function newItem ({ stored, key, version }: Collection): Values {
  const item: Values = {}
  if (key.type.kind === 'uuid') item[key.property] = randomUUID()
  if (version !== undefined) item[version.property] = 1
  for (const { property, schema } of stored) if (schema.default !== undefined) item[property] = structuredClone(schema.default)
  return item
}

/**
 * Changes an item that is locked: what `change` and the hook leave different is written in one statement, and what is `blind`. The row must hold all
 * stored fields.
 */
export async function updateItem (collection: Collection, row: Row, pointer: string, change: (item: Values) => Promise<void>, blind: ReadonlySet<StoredField>, work: Work): Promise<Values> {
  const before = toItem(row, collection)
  const item = toItem(row, collection)
  await change(item)
  await calling("hook 'updating'", { collection, pointer, work }, () => collection.hooks.updating?.(item, before, work.context))
  const values = changedValues(before, item, collection, blind, pointer)
  if (values.size === 0) return item
  expectChanged(await work.session.change({ kind: 'update', collection, steps: byKey(collection, keyOf(row, collection)), values }), collection, pointer)
  work.saved.push({ collection, saved: { kind: 'updated', item, before } })
  return item
}

/** What the body writes and its client may not read: were it not written for being so already, the item's version would tell that. */
export function blindIn ({ assignments }: ItemBody): ReadonlySet<StoredField> {
  return new Set(assignments.flatMap(one => {
    if (one.kind === 'list') return []
    const field = one.kind === 'item' ? one.field.foreignKey : one.field
    return one.field.readable || field.readable ? [] : [field]
  }))
}

/**
 * Writes the body's values and references into the item, in the order of the body, each by its setter where it has one. A value that is there already
 * has nothing to set: whoever sends back all that GET gave changes what differs. Of what GET does not give, a setter that is not called would tell.
 */
export async function assign ({ assignments, pointer }: ItemBody, item: Values, collection: Collection, fixed: StoredField | undefined, work: Work): Promise<void> {
  for (const assignment of assignments) {
    if (assignment.kind === 'list') continue
    if (assignment.kind === 'item') {
      const { field: { foreignKey, target, name }, element } = assignment
      const key = element === null ? toValue(null, foreignKey) : await resolve(element, { collection: target, via: undefined }, undefined, name, work)
      if (foreignKey === fixed && valueIn(item, foreignKey) !== key) throw validation([contradiction(assignment.pointer)])
      item[foreignKey.property] = key
      continue
    }
    if (assignment.field === fixed && valueIn(item, fixed) !== assignment.value) throw validation([contradiction(assignment.pointer)])
    await assignValue(assignment.field, assignment.value, item, collection, pointer, work)
  }
}

async function assignValue (field: StoredField, stored: unknown, item: Values, collection: Collection, pointer: string, work: Work): Promise<void> {
  const value = toValue(stored, field)
  const { property } = field
  const setter = collection.setters.get(property)
  if (setter === undefined) item[property] = value
  else if (!(field.readable && Object.hasOwn(item, property) && isDeepStrictEqual(item[property], value))) {
    await calling(`setter '${property}'`, { collection, pointer, work }, () => setter(item, value, work.context))
  }
}

/** The elements that the body's sub-collections name become the item's, or are created as such. None that is not named goes. */
export async function linkElements ({ assignments }: ItemBody, own: Scalar, work: Work): Promise<void> {
  for (const assignment of assignments) {
    if (assignment.kind !== 'list') continue
    for (const element of assignment.elements) await resolve(element, { collection: assignment.field.target, via: assignment.field }, own, assignment.field.name, work)
  }
}

/** The key of the item that an element names; it is linked to the parent, or created there. */
async function resolve (element: Element, from: Origin, parent: Scalar | undefined, name: string, work: Work): Promise<Scalar> {
  const { collection, via } = from
  const row = await find(element, collection, work)
  if (row === undefined) return create(element, from, parent, name, work)
  const violations = [...element.linked.violations, ...confirm(element.linked.confirmations, row)]
  if (violations.length > 0) throw validation(violations)
  const key = keyOf(row, collection)
  if (via?.link.kind === 'join' && parent !== undefined) await link(via, parent, key, element.pointer, work)
  if (via?.link.kind === 'foreign-key') {
    const { foreignKey } = via.link
    const blind = new Set(via.readable || foreignKey.readable ? [] : [foreignKey])
    await updateItem(collection, row, element.pointer, async item => { item[foreignKey.property] = parent }, blind, work)
  }
  return key
}

async function find ({ found, linked }: Element, collection: Collection, { session }: Work): Promise<Row | undefined> {
  if (found === undefined) return undefined
  const steps = [{ collection, via: undefined, where: equals(found.field, found.value) }]
  const result = await session.lock({ kind: 'item', steps, select: itemSelection(collection, linked.confirmations) })
  return result.kind === 'rows' ? result.rows[0] : undefined
}

async function create ({ found, created, pointer }: Element, from: Origin, parent: Scalar | undefined, name: string, work: Work): Promise<Scalar> {
  // Whoever names an item by what no client can choose means one that is there.
  if (found !== undefined && !found.field.writable) throw danglingReference([name], pointer)
  if (created.violations.length > 0) throw validation(created.violations)
  const item = await createItem({ body: created, from, given: [], parent, orNothing: false }, work)
  if (item === undefined) throw new TypeError('an insert without a conflict clause inserted nothing')
  return keyOf(item, from.collection)
}

async function link (field: SubCollectionField, own: Scalar, other: Scalar, pointer: string, { session }: Work): Promise<void> {
  const linked = await session.change({ kind: 'link', field, own, other })
  if (linked.kind === 'refused') expectChanged(linked, field.target, pointer)
}

/** `pointer`: the element of the body that the application is called for. */
interface CallSite { readonly collection: Collection, readonly pointer: string, readonly work: Work }

/** Calls a hook or setter of the application. An error of ours that it throws points at the element of the body that it was called for. */
export async function calling (name: string, { collection, pointer, work }: CallSite, call: () => void | Promise<void>): Promise<void> {
  try {
    const called = call()
    if (called === undefined) return
    work.session.announce(`the ${name} of collection '${collection.property}'`)
    await called
    work.session.announce(undefined)
  } catch (error) {
    throw error instanceof DataApiError ? atPointer(error, pointer) : error
  }
}

/** All that is stored of an item, and what members that cannot be written are compared with. */
export function itemSelection ({ stored }: Collection, confirmations: readonly Confirmation[]): Selection {
  const fields = stored.map(field => ({ kind: 'value', name: field.name, field } as const))
  return [...fields, ...confirmations.filter(({ field }) => field.kind !== 'stored').map(({ field }) => showPlainly(field))]
}

export const byKey = (collection: Collection, key: Scalar): readonly Step[] => [{ collection, via: undefined, where: equals(collection.key, key) }]

/** The key of a row or item, which every one has. */
export function keyOf (item: Row, { key, property }: Collection): Scalar {
  const value = item[key.property]
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  throw new TypeError(`collection '${property}': an item has no key`)
}
