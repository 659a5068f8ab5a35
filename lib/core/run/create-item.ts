import type { ItemValues } from '../declare/collection.ts'
import { constraint, type DataApiError, validation } from '../errors/errors.ts'
import { noSuchItem } from '../errors/references.ts'
import type { KeyValues } from '../model/identifiers.ts'
import { hasConstants } from '../model/relations.ts'
import type { Collection, Field, RelationField, StoredField, SubCollectionField } from '../model/model.ts'
import { takenStrategies } from '../model/strategies.ts'
import { contradiction } from '../plan/write/body.ts'
import { parentKey } from '../plan/write/path-values.ts'
import type { Assignment, Element, ItemBody, Named } from '../plan/write/item-body.ts'
import type { PathValue, Origin, Row } from '../plan/plan.ts'
import {
  authoriseInput, type AuthorisedField, type AuthorisedLink, authoriseLink, type AuthorisedRelation, authoriseValue,
  isLimitedLink
} from '../rules/authorise.ts'
import { calling, type CallSite } from './application.ts'
import { confirm, valueIn } from './stored-values.ts'
import { type AskedValue, assignValue, editable, type ItemDraft, newDraft, passInput } from './item-draft.ts'
import { type ElementRelation, findElement, isLinked, keyOf, type ParentItem } from './locate.ts'
import type { UnitOfWork } from './context.ts'
import { insertDraft, keyProperties } from './insert.ts'
import { updateItem } from './update-item.ts'
import { expectChanged } from './violations.ts'

interface Creation {
  readonly body: ItemBody
  readonly from: Origin
  /** The values that the path of the URL gives to the item. */
  readonly given: readonly PathValue[]
  /** Undefined for an item without a parent. */
  readonly parent: ParentItem | undefined
  /** The duplicates that insert nothing: none, all, or those of the values that the path gives. The others throw. */
  readonly skipped: 'none' | 'all' | 'given'
}

/**
 * Creates an item and everything that its body creates or links: runs the setters and hooks, then inserts the item.
 * Returns undefined for a duplicate that is `skipped`.
 */
export async function createItem (creation: Creation, work: UnitOfWork): Promise<ItemValues | undefined> {
  const { body, from: { collection, via }, given, parent, skipped } = creation
  const { pointer } = body
  const link = via && parent &&
    authoriseLink({ field: via, isOwnNew: parent.isNew, isOtherNew: true, pointer }, work.caller)
  const draft = await fillDraft(creation, link, work)
  const key = await insertDraft({ draft, collection, given, skipped, pointer }, work)
  if (key === undefined) return undefined
  const created: ItemValues = Object.assign({}, draft.values, keyProperties(collection, key))
  work.saved.push({ collection, saved: { kind: 'created', item: created } })
  if (link?.kind === 'join' && parent !== undefined) {
    await linkItems({ field: link.field, own: parent.key, other: key, pointer }, work)
  }
  await linkElements(body, { key, isNew: true }, work)
  const callSite = { collection, pointer, work }
  await calling("hook 'created'", callSite, () => collection.hooks.created?.(created, work.context))
  return created
}

/** Returns the new item after all setters and the hook `creating`. */
async function fillDraft (
  { body, from: { collection, via }, given, parent }: Creation, link: AuthorisedLink | undefined, work: UnitOfWork
): Promise<ItemDraft> {
  const draft = newDraft(collection)
  const { pointer } = body
  const callSite = { collection, pointer, work }
  if (link?.kind === 'foreign-key' && parent !== undefined) {
    await assignKey({ ...link, key: parent.key, isShown: via?.readable === true }, draft, callSite)
  }
  for (const { field, value } of given) {
    await assignValue(askedValue(field, value, { collection, pointer }, work), draft, callSite)
  }
  const url = new Map<StoredField, unknown>([
    ...parentKey(via).map((field, index) => [field, parent?.key[index]] as const),
    ...(via?.constants ?? []).map(({ field, value }) => [field, value] as const)
  ])
  await assign(withoutGiven(body, given), { draft, collection, url }, work)
  await calling("hook 'creating'", callSite, () => collection.hooks.creating?.(editable(draft), work.context))
  return draft
}

/** Returns a value that the client gives by the field's own name. */
function askedValue (
  field: StoredField, value: unknown, { collection, pointer }: { collection: Collection, pointer: string },
  { caller }: UnitOfWork
): AskedValue {
  return { field: authoriseValue(field, collection, pointer, caller), value, isShown: field.readable }
}

/** Returns the body without values that the URL gives as well, which planBody has found to be equal. */
function withoutGiven (body: ItemBody, given: readonly PathValue[]): ItemBody {
  if (given.length === 0) return body
  return { ...body, assignments: body.assignments.filter(({ field }) => !isGiven(field, given)) }
}

const isGiven = (field: Field, given: readonly PathValue[]) => given.some(one => one.field === field)

/** An item that a body is assigned to. */
interface Target {
  readonly draft: ItemDraft
  readonly collection: Collection
  /** The foreign key to the parent with its values in the URL, which the body must not contradict. */
  readonly url: ReadonlyMap<StoredField, unknown>
}

/**
 * Assigns the body's values and sub-items to the item, in the order of the body, through the setters of the fields.
 * Throws validation for a value that contradicts the URL.
 */
export async function assign (body: ItemBody, target: Target, work: UnitOfWork): Promise<void> {
  const { draft, collection, url } = target
  const { pointer } = body
  const callSite = { collection, pointer, work }
  for (const assignment of body.assignments) {
    if (assignment.kind === 'list' || isEmptyAlready(assignment, draft)) continue
    if (assignment.kind === 'amendment') throw new TypeError('an amendment is a value once its item is locked')
    if (assignment.kind === 'input') {
      const field = authoriseInput(assignment.field, collection, pointer, work.caller)
      await passInput(field, assignment.value, draft, callSite)
      continue
    }
    const values = assignment.kind === 'value'
      ? [askedValue(assignment.field, assignment.value, { collection, pointer }, work)]
      : await askedSubItem(assignment, collection, work)
    for (const asked of values) {
      if (!url.has(asked.field)) await assignValue(asked, draft, callSite)
      else if (asked.value !== url.get(asked.field)) throw validation([contradiction(assignment.pointer)])
    }
  }
}

/** Returns true for a sub-item that is to be null, where the foreign key refers to an item of another collection. */
const isEmptyAlready = (assignment: Assignment, { values }: ItemDraft) =>
  assignment.kind === 'item' && assignment.element === null &&
    !hasConstants(assignment.field, field => valueIn(values, field))

/** Links or creates the element of a sub-item. Returns its key, or null where that is possible, as the foreign key. */
async function askedSubItem (
  { field, element, pointer }: Extract<Assignment, { kind: 'item' }>, collection: Collection, work: UnitOfWork
): Promise<readonly AskedValue[]> {
  const { foreignKey, constants, readable, target } = field
  const authorised = (part: StoredField) => authoriseValue(part, collection, pointer, work.caller)
  const parts = foreignKey.map(authorised)
  const relation = { from: { collection: target, via: undefined }, parent: undefined, field }
  const key = element === null ? undefined : (await resolveElement(element, relation, work)).key
  const ask = (part: AuthorisedField, value: unknown) => ({ field: part, value, isShown: readable || part.readable })
  if (key === undefined) return parts.filter(part => part.nullable).map(part => ask(part, null))
  return [
    ...parts.map((part, index) => ask(part, key[index])),
    ...constants.map(one => ask(authorised(one.field), one.value))
  ]
}

/** The key of a parent, as the value of a foreign key. `isShown`: the client can read the relation. */
interface AskedKey extends Pick<Extract<AuthorisedLink, { kind: 'foreign-key' }>, 'fields' | 'constants'> {
  readonly key: KeyValues
  readonly isShown: boolean
}

async function assignKey (
  { fields, constants, key, isShown }: AskedKey, draft: ItemDraft, callSite: CallSite
): Promise<void> {
  for (const { field, value } of [...fields.map((field, index) => ({ field, value: key[index] })), ...constants]) {
    await assignValue({ field, value, isShown: isShown || field.readable }, draft, callSite)
  }
}

/** Empties the foreign key of an item, as far as it can be null. `isShown`: the client can read the relation. */
export async function unlinkKey (
  fields: readonly AuthorisedField[], isShown: boolean, draft: ItemDraft, callSite: CallSite
): Promise<void> {
  for (const field of fields.filter(one => one.nullable)) {
    await assignValue({ field, value: null, isShown: isShown || field.readable }, draft, callSite)
  }
}

/** Links or creates the elements of the body's sub-collections. Elements that the body does not name stay linked. */
export async function linkElements ({ assignments }: ItemBody, parent: ParentItem, work: UnitOfWork): Promise<void> {
  for (const assignment of assignments) {
    if (assignment.kind !== 'list') continue
    const { field, elements } = assignment
    const relation = { from: { collection: field.target, via: field }, parent, field }
    for (const element of elements) await resolveElement(element, relation, work)
  }
}

/** The item of an element. `isNew`: the request has created it. */
interface Resolved { readonly key: KeyValues, readonly isNew: boolean }

/** Links the item that an element names to the parent, or creates it there. */
export async function resolveElement (
  element: Element, relation: ElementRelation, work: UnitOfWork
): Promise<Resolved> {
  const { from: { collection, via }, parent } = relation
  const row = await findElement(element, relation, work)
  if (row === undefined) return { key: await createElement(element, relation, work), isNew: true }
  const { pointer, linked } = element
  const violations = [...linked.violations, ...confirm(linked.confirmations, row)]
  if (violations.length > 0) throw validation(violations)
  if (via !== undefined && parent !== undefined) await linkExisting({ field: via, parent, row, pointer }, work)
  return { key: keyOf(row, collection), isNew: false }
}

/** An existing item to link. `row`: its current values. `pointer`: the element in the request's body. */
interface ExistingElement {
  readonly field: SubCollectionField
  readonly parent: ParentItem
  readonly row: Row
  readonly pointer: string
}

async function linkExisting (element: ExistingElement, work: UnitOfWork): Promise<void> {
  const { field, parent, row, pointer } = element
  const write = { field, isOwnNew: parent.isNew, isOtherNew: false, pointer }
  // A client may send back all that GET returned, also where it may not make these links.
  if (field.readable && isLimitedLink(write, work.caller)) {
    if (field.link.kind === 'join') await work.session.permit?.('update', field.holder, parent.key)
    if (await isLinked(field, parent.key, keyOf(row, field.target), work)) return
  }
  const link = authoriseLink(write, work.caller)
  const { target: collection } = field
  if (link.kind === 'join') {
    await linkItems({ field: link.field, own: parent.key, other: keyOf(row, collection), pointer }, work)
    return
  }
  const written = [...link.fields, ...link.constants.map(one => one.field)]
  const forced = new Set<StoredField>(field.readable ? [] : written.filter(one => !one.readable))
  const callSite = { collection, pointer, work }
  const change = (draft: ItemDraft) =>
    assignKey({ ...link, key: parent.key, isShown: field.readable }, draft, callSite)
  await updateItem({ collection, row, pointer, forced, change }, work)
}

async function createElement (
  { found, created, pointer }: Element, { from, parent, field }: ElementRelation, work: UnitOfWork
): Promise<KeyValues> {
  if (created === undefined || (found !== undefined && refersOnly(found, field, work))) {
    throw missingReference(field, found, pointer, work)
  }
  if (created.violations.length > 0) throw validation(created.violations)
  const item = await createItem({ body: created, from, given: [], parent, skipped: 'none' }, work)
  if (item === undefined) throw new TypeError('an insert without a conflict clause inserted nothing')
  return keyOf(item, from.collection)
}

/**
 * Returns true for a name that can only refer to an existing item: clients cannot write it, or the caller may not
 * create what it refers to. An element of a list by a foreign key is a creation in any case.
 */
function refersOnly ({ fields, values }: Named, field: RelationField, { caller }: UnitOfWork): boolean {
  if (fields.some(({ writable }, index) => values[index] !== undefined && !writable)) return true
  const isList = field.kind === 'sub-collection' && field.link.kind === 'foreign-key'
  return !isList && caller.denial('create', field.target) !== undefined
}

function missingReference (
  { name, target }: RelationField, found: Named | undefined, pointer: string, { caller }: UnitOfWork
): DataApiError {
  // An operation of a batch may have given a key that the client cannot read.
  const given = (found?.fields ?? []).flatMap((field, index) => {
    const value = found?.values[index]
    return field.readable && value !== undefined ? [[field.name, value] as const] : []
  })
  const isChosen = found?.fields.every(({ writable }) => writable) === true
  const canCreate = isChosen && takenStrategies(target).create && caller.denial('create', target) === undefined
  return noSuchItem(target.name, given, { field: name, pointer, canCreate })
}

/** A link of a many-to-many relation. `own` and `other` are keys, `pointer` is the element in the request's body. */
interface NewLink {
  readonly field: AuthorisedRelation
  readonly own: KeyValues
  readonly other: KeyValues
  readonly pointer: string
}

/** Throws constraint for a link that the join table does not keep. */
async function linkItems ({ field, own, other, pointer }: NewLink, work: UnitOfWork): Promise<void> {
  const linked = await work.session.change({ kind: 'link', field, own, other })
  if (linked.kind === 'refused') expectChanged(linked, field.target, pointer)
  // Either they were linked already, or a trigger or rule of the join table has dropped the link.
  if (linked.kind === 'unchanged' && !await isLinked(field, own, other, work)) throw constraint([], pointer)
}
