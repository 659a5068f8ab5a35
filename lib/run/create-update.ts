import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Saved, Values, WriteContext } from '../collection.ts'
import { atPointer, DataApiError, danglingReference, validation } from '../errors.ts'
import { type KeyValues, singleKey, toKeyValues } from '../model/keys.ts'
import type { Collection, Field, StoredField, SubCollectionField } from '../model/model.ts'
import { toValue } from '../model/values.ts'
import {
  type Assignment, type Confirmation, contradiction, type Element, type ItemBody, parentKey
} from '../plan/body.ts'
import type { Preset, Origin, Selection, Step, Row } from '../plan/plan.ts'
import { equalsKey } from '../plan/predicates.ts'
import { showPlainly } from '../plan/select.ts'
import type { ScopedSession } from '../rules/scoped-database.ts'
import { confirm } from './confirm.ts'
import { changedValues, storedValues, toItem, valueIn } from './stored-values.ts'
import { expectChanged } from './violations.ts'

/** The transaction of a write. */
export interface UnitOfWork {
  readonly session: ScopedSession
  readonly context: WriteContext
  /** The saved items, each reported to its collection's hook `saved` after the commit. */
  readonly saved: Array<{ readonly collection: Collection, readonly saved: Saved<Values> }>
}

/** An item to create. */
export interface Creation {
  readonly body: ItemBody
  readonly from: Origin
  /** The values that the path of the URL gives to the item. */
  readonly given: readonly Preset[]
  /** The key of the parent item; undefined for an item without a parent. */
  readonly parent: KeyValues | undefined
  /** Insert nothing if the item would be a duplicate. */
  readonly orNothing: boolean
}

/**
 * Creates an item and everything that its body creates or links: runs the setters and hooks, then inserts the item.
 * Returns undefined for a duplicate if `orNothing` is set.
 */
export async function createItem (creation: Creation, work: UnitOfWork): Promise<Values | undefined> {
  const { body, from: { collection, via }, parent } = creation
  const item = await fillItem(creation, work)
  const key = await insertItem(item, creation, work)
  if (key === undefined) return undefined
  const created = { ...item, ...keyProperties(collection, key) }
  work.saved.push({ collection, saved: { kind: 'created', item: created } })
  if (via?.link.kind === 'join' && parent !== undefined) {
    await link({ field: via, own: parent, other: key, pointer: body.pointer }, work)
  }
  await linkElements(body, key, work)
  return created
}

/** Returns the new item after all setters and the hook `creating`. */
async function fillItem (creation: Creation, work: UnitOfWork): Promise<Values> {
  const { body, from: { collection, via }, given, parent } = creation
  const item = newItem(collection)
  const callSite = { collection, pointer: body.pointer, work }
  const parentFields = parentKey(via)
  for (const [index, { property }] of parentFields.entries()) item[property] = parent?.[index]
  for (const { field, value } of given) await assignValue(field, value, { item, isNew: true }, callSite)
  const rest = withoutGiven(body, given)
  await assign(rest, { item, isNew: true, collection, parentFields }, work)
  await calling("hook 'creating'", callSite, () => collection.hooks.creating?.(item, work.context))
  return item
}

/** Returns the body without values that the URL gives as well, which planBody has found to be equal. */
function withoutGiven (body: ItemBody, given: readonly Preset[]): ItemBody {
  if (given.length === 0) return body
  const isGiven = (field: Field) => given.some(one => one.field === field)
  return { ...body, assignments: body.assignments.filter(({ field }) => !isGiven(field)) }
}

/** Returns the key of the inserted item; undefined for a duplicate if `orNothing` is set. */
async function insertItem (
  item: Values, { body: { pointer }, from: { collection }, orNothing }: Creation, { session }: UnitOfWork
): Promise<KeyValues | undefined> {
  const values = storedValues(item, collection, pointer)
  const inserted = await session.change({ kind: 'insert', collection, values, orNothing })
  if (inserted.kind === 'unchanged') return undefined
  // For some unique constraints the database cannot skip the insert, and refuses it instead.
  if (orNothing && inserted.kind === 'refused' && inserted.by === 'unique') return undefined
  const { key } = expectChanged(inserted, collection, pointer)
  return keyOf(keyProperties(collection, key ?? []), collection)
}

/** Returns the values of a key by property. */
const keyProperties = ({ key }: Collection, values: readonly unknown[]): Values =>
  Object.fromEntries(key.map(({ property }, index) => [property, values[index]]))

/** Returns a new item with its generated key, its first version and the defaults of its fields. */
export function newItem (collection: Collection): Values {
  const { stored, version } = collection
  const item: Values = {}
  const key = singleKey(collection)
  if (key?.type.kind === 'uuid') item[key.property] = randomUUID()
  if (version !== undefined) item[version.property] = 1
  for (const { property, schema } of stored) {
    if (schema.default !== undefined) item[property] = structuredClone(schema.default)
  }
  return item
}

/** An update of a locked item. */
export interface ItemUpdate {
  readonly collection: Collection
  /** The current row, with all stored fields. */
  readonly row: Row
  /** The JSON pointer of the item in the request's body. */
  readonly pointer: string
  /** Fields that are written even if their values are unchanged. */
  readonly forced: ReadonlySet<StoredField>
  /** Applies the changes to the item, which is a copy. */
  change (item: Values): Promise<void>
}

/**
 * Updates a locked item: applies `change` and the hook `updating`, then writes the changed and the forced fields in one
 * statement. Returns the updated item.
 */
export async function updateItem (update: ItemUpdate, work: UnitOfWork): Promise<Values> {
  const { collection, row, pointer, forced, change } = update
  const before = toItem(row, collection)
  const item = toItem(row, collection)
  await change(item)
  const callSite = { collection, pointer, work }
  await calling("hook 'updating'", callSite, () => collection.hooks.updating?.(item, before, work.context))
  const values = changedValues(before, item, collection, forced, pointer)
  if (values.size === 0) return item
  const steps = byKey(collection, keyOf(row, collection))
  expectChanged(await work.session.change({ kind: 'update', collection, steps, values }), collection, pointer)
  work.saved.push({ collection, saved: { kind: 'updated', item, before } })
  return item
}

/**
 * Returns the fields of a body that are written even if their values are unchanged: those that the client cannot read.
 * If an equal value were not written, the item's unchanged version would reveal that it is equal.
 */
export function forcedFields ({ assignments }: ItemBody): ReadonlySet<StoredField> {
  return new Set(assignments.flatMap(assignment => {
    if (assignment.kind === 'list') return []
    const fields = assignment.kind === 'item' ? assignment.field.foreignKey : [assignment.field]
    return assignment.field.readable ? [] : fields.filter(field => !field.readable)
  }))
}

/** An item that values are assigned to. `isNew`: it is not stored yet, and holds only the defaults of its fields. */
interface Draft { readonly item: Values, readonly isNew: boolean }

/** An item that a body is assigned to. `parentFields`: its foreign key to the parent, whose values the URL has set. */
interface Target extends Draft {
  readonly collection: Collection
  readonly parentFields: readonly StoredField[]
}

/**
 * Assigns the body's values and sub-items to the item, in the order of the body, through the setters of the fields.
 * Throws validation for a value that contradicts the URL.
 */
export async function assign (body: ItemBody, target: Target, work: UnitOfWork): Promise<void> {
  const { item, collection, parentFields } = target
  for (const assignment of body.assignments) {
    if (assignment.kind === 'list') continue
    if (assignment.kind === 'item') {
      await assignSubItem(assignment, target, work)
      continue
    }
    const { field, value, pointer } = assignment
    if (parentFields.includes(field) && valueIn(item, field) !== value) throw validation([contradiction(pointer)])
    await assignValue(field, value, target, { collection, pointer: body.pointer, work })
  }
}

/** Assigns the key of a sub-item to the foreign key; for a sub-item that is null, null where it is possible. */
async function assignSubItem (
  { field, element, pointer }: Extract<Assignment, { kind: 'item' }>, { item, parentFields }: Target, work: UnitOfWork
): Promise<void> {
  const relation = { from: { collection: field.target, via: undefined }, parent: undefined, name: field.name }
  const key = element === null ? undefined : await resolveElement(element, relation, work)
  for (const [index, part] of field.foreignKey.entries()) {
    if (key === undefined && !part.nullable) continue
    const value = key === undefined ? toValue(null, part) : key[index]
    if (parentFields.includes(part) && valueIn(item, part) !== value) throw validation([contradiction(pointer)])
    item[part.property] = value
  }
}

async function assignValue (
  field: StoredField, stored: unknown, { item, isNew }: Draft, callSite: CallSite
): Promise<void> {
  const { collection, work } = callSite
  const { property } = field
  const value = toValue(stored, field)
  const setter = collection.setters.get(property)
  if (setter === undefined) {
    item[property] = value
    return
  }
  // An equal value needs no setter, so a client may send back all that GET returned. The setter of an unreadable field
  // is always called, because a skipped call could reveal that the value is equal; so is that of a new item, whose
  // value is at most a default, which the setter may reject.
  const isCurrent = !isNew && field.readable && isDeepStrictEqual(valueIn(item, field), value)
  if (!isCurrent) await calling(`setter '${property}'`, callSite, () => setter(item, value, work.context))
}

/** Links or creates the elements of the body's sub-collections. Elements that the body does not name stay linked. */
export async function linkElements ({ assignments }: ItemBody, own: KeyValues, work: UnitOfWork): Promise<void> {
  for (const assignment of assignments) {
    if (assignment.kind !== 'list') continue
    const { field, elements } = assignment
    const relation = { from: { collection: field.target, via: field }, parent: own, name: field.name }
    for (const element of elements) await resolveElement(element, relation, work)
  }
}

/** The relation of an element. `parent`: the key of the item that holds it; undefined in a sub-item. */
interface ElementRelation {
  readonly from: Origin
  readonly parent: KeyValues | undefined
  readonly name: string
}

/** Links the item that an element names to the parent, or creates it there. Returns the item's key. */
async function resolveElement (element: Element, relation: ElementRelation, work: UnitOfWork): Promise<KeyValues> {
  const { from: { collection, via }, parent } = relation
  const row = await findElement(element, collection, work)
  if (row === undefined) return createElement(element, relation, work)
  const { pointer, linked } = element
  const violations = [...linked.violations, ...confirm(linked.confirmations, row)]
  if (violations.length > 0) throw validation(violations)
  const key = keyOf(row, collection)
  if (via?.link.kind === 'join' && parent !== undefined) {
    await link({ field: via, own: parent, other: key, pointer }, work)
  }
  if (via?.link.kind === 'foreign-key') {
    const { foreignKey } = via.link
    const forced = new Set(via.readable ? [] : foreignKey.filter(field => !field.readable))
    const change = async (item: Values) => {
      for (const [index, { property }] of foreignKey.entries()) item[property] = parent?.[index]
    }
    await updateItem({ collection, row, pointer, forced, change }, work)
  }
  return key
}

async function findElement (
  { found, linked }: Element, collection: Collection, { session }: UnitOfWork
): Promise<Row | undefined> {
  if (found === undefined) return undefined
  const steps = [{ collection, via: undefined, where: equalsKey(found.fields, found.values) }]
  const result = await session.lock({ kind: 'item', steps, select: itemSelection(collection, linked.confirmations) })
  return result.kind === 'rows' ? result.rows[0] : undefined
}

async function createElement (
  { found, created, pointer }: Element, { from, parent, name }: ElementRelation, work: UnitOfWork
): Promise<KeyValues> {
  // An identifier that clients cannot write can only refer to an existing item.
  if (found?.fields.some(field => !field.writable) === true) throw danglingReference([name], pointer)
  if (created.violations.length > 0) throw validation(created.violations)
  const item = await createItem({ body: created, from, given: [], parent, orNothing: false }, work)
  if (item === undefined) throw new TypeError('an insert without a conflict clause inserted nothing')
  return keyOf(item, from.collection)
}

/** A link of a many-to-many relation. `own` and `other` are keys, `pointer` is the element in the request's body. */
interface NewLink {
  readonly field: SubCollectionField
  readonly own: KeyValues
  readonly other: KeyValues
  readonly pointer: string
}

async function link ({ field, own, other, pointer }: NewLink, { session }: UnitOfWork): Promise<void> {
  const linked = await session.change({ kind: 'link', field, own, other })
  if (linked.kind === 'refused') expectChanged(linked, field.target, pointer)
}

/** A call of the application. `pointer`: the element of the body that causes the call. */
interface CallSite {
  readonly collection: Collection
  readonly pointer: string
  readonly work: UnitOfWork
}

/**
 * Calls a hook or setter of the application, and announces an asynchronous call to the session. A DataApiError that it
 * throws gets the pointer of the element.
 */
export async function calling (
  name: string, { collection, pointer, work }: CallSite, call: () => void | Promise<void>
): Promise<void> {
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

/** Returns the selection of all stored fields and of the other fields that `confirmations` compares. */
export function itemSelection ({ stored }: Collection, confirmations: readonly Confirmation[]): Selection {
  const fields = stored.map(field => ({ kind: 'value', name: field.name, field } as const))
  const compared = confirmations.filter(({ field }) => field.kind !== 'stored').map(({ field }) => showPlainly(field))
  return [...fields, ...compared]
}

/** Returns the steps to the item with the key. */
export const byKey = (collection: Collection, key: KeyValues): readonly Step[] =>
  [{ collection, via: undefined, where: equalsKey(collection.key, key) }]

/** Returns the key of a row or item. Throws a TypeError if it has none. */
export function keyOf (item: Row, { key, property }: Collection): KeyValues {
  const values = toKeyValues(key.map(field => item[field.property]))
  if (values !== undefined) return values
  throw new TypeError(`collection '${property}': an item has no key`)
}
