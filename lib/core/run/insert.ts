import { randomUUID } from 'node:crypto'
import type { ItemValues } from '../declare/collection.ts'
import { constraint, DataApiError, withoutKey } from '../errors/errors.ts'
import { type KeyValues, singleKey, toKeyValues } from '../model/identifiers.ts'
import type { Collection, StoredField } from '../model/model.ts'
import { refersToItself } from '../model/relations.ts'
import { toValue } from '../model/values.ts'
import type { Origin, PathValue, WritePlanOf } from '../plan/plan.ts'
import { type BodyRows, valuesOf } from '../plan/write/bodies.ts'
import { parentKey } from '../plan/write/path-values.ts'
import {
  type AuthorisedField, authorisedInsert, type AuthorisedInsert, authoriseLink, authoriseValue, insertOfDraft
} from '../rules/authorise.ts'
import type { Caller } from '../rules/caller.ts'
import type { ConstraintViolation, Stored } from '../sources/source.ts'
import type { UnitOfWork } from './context.ts'
import { type ItemDraft, newDraft } from './item-draft.ts'
import { keyOf, type ParentItem } from './locate.ts'
import { checkKey, storedValues } from './stored-values.ts'
import { expectChanged } from './violations.ts'

/** Items to create of which a request gives nothing but values. */
interface Insertion {
  readonly from: Origin
  readonly given: readonly PathValue[]
  /** Undefined for items without a parent. */
  readonly parent: ParentItem | undefined
  readonly values: BodyRows
  /** The item in the body, for errors. */
  readonly pointer: string
  readonly keyed: boolean
}

/** Why new items are seen one by one: then createItem() creates each of them. */
const seenSingly: Readonly<Record<string, (insertion: Insertion) => boolean>> = {
  byHooks: ({ from: { collection: { hooks } } }) => hooks.creating !== undefined || hooks.created !== undefined,
  bySetters: insertion => {
    const { setters } = insertion.from.collection
    return setters.size > 0 && writtenFields(insertion).some(({ property }) => setters.has(property))
  },
  // The trigger of a view decides what becomes of an item.
  byTriggers: ({ from: { collection: { source } } }) => source.isReplaced?.() === true,
  byJoins: ({ from: { via } }) => via?.link.kind === 'join',
  // An item may refer to one before it.
  byEachOther: ({ from: { collection }, values: { rows } }) =>
    rows.length > 1 && refersToItself(collection)
}

const reasons = Object.values(seenSingly)

/** Returns the fields that the client writes, by the body and by the URL. */
const writtenFields = ({ from: { via }, given, values }: Insertion): readonly StoredField[] => [
  ...values.fields, ...given.map(({ field }) => field),
  ...parentKey(via), ...(via?.constants ?? []).map(({ field }) => field)
]

/**
 * Returns the insert that carries out a creation without a transaction; undefined if the creation needs one, or if its
 * item is seen singly.
 */
export function insertAlone (
  { steps, from, given, bodies, many, representation }: WritePlanOf<'create'>, caller: Caller
): AuthorisedInsert | undefined {
  if (many || steps.length > 0 || representation !== undefined || from.collection.hooks.saved) return undefined
  const [body] = bodies.all()
  const values = body && valuesOf([body])
  if (body === undefined || values === undefined) return undefined
  return insertOf({ from, given, parent: undefined, values, pointer: body.pointer, keyed: true }, caller)
}

/** The first of several items, which were inserted. `keys`: empty where nobody asks for them. */
interface Inserted { readonly count: number, readonly keys: readonly KeyValues[] }

/**
 * Has one order insert the items of bodies that assign the same fields, up to the first that has an error, or none of
 * them: createItem() then tells which item it is about.
 */
export async function insertTogether (
  { from, given, counted }: Pick<WritePlanOf<'create'>, 'from' | 'given' | 'counted'>, values: BodyRows,
  parent: ParentItem | undefined, work: UnitOfWork
): Promise<Inserted> {
  const all = { from, given, parent, values, pointer: '', keyed: !counted }
  const insert = orUndefined(() => insertOf(all, work.caller))
  if (insert === undefined) return nothingInserted
  const inserted = await work.session.change(insert)
  if (inserted.kind !== 'changed') return nothingInserted
  const { keys = [], count = 1 } = inserted
  if (from.collection.hooks.saved !== undefined) keys.forEach((key, index) => { noteSaved(insert, index, key, work) })
  return { count, keys }
}

export const nothingInserted: Inserted = { count: 0, keys: [] }

function orUndefined<T> (make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof DataApiError) return undefined
    throw error
  }
}

function noteSaved ({ collection, fields, rows }: AuthorisedInsert, index: number, key: KeyValues, work: UnitOfWork) {
  const values = fields.map((field, at) => [field.property, toValue(rows[index]?.[at], field)] as const)
  const item = { ...Object.fromEntries(values), ...keyProperties(collection, key) }
  work.saved.push({ collection, saved: { kind: 'created', item } })
}

/**
 * Returns the insert of items with their generated keys and defaults; undefined if they are seen singly, or if one
 * contradicts the URL. Throws the error of a rule, and that of a key which is too high.
 */
function insertOf (insertion: Insertion, caller: Caller): AuthorisedInsert | undefined {
  if (reasons.some(isReason => isReason(insertion))) return undefined
  const { from: { collection }, values: { fields, rows }, pointer, keyed } = insertion
  const [row = []] = rows
  const first = new Map<AuthorisedField, unknown>()
  let index = 0
  for (const field of fields) first.set(authoriseValue(field, collection, pointer, caller), row[index++])
  for (const [field, value] of urlValues(insertion, caller)) {
    if (contradicts(fields.indexOf(field), value, rows)) return undefined
    first.set(field, value)
  }
  const filled = storedValues(newDraft(collection), collection, pointer, first)
  const made = rows.length === 1 ? [[...filled.values()]] : rowsLike(filled, insertion, first)
  const asked = new Set(first.keys())
  return authorisedInsert({ collection, fields: [...filled.keys()], rows: made, keyed }, asked)
}

/**
 * Returns the values of several items. `first`: those of the first. `asked`: the fields that the client has written.
 * Throws constraint for a key that is too high.
 */
function rowsLike (
  first: Stored, { from: { collection }, values: { fields, rows }, pointer }: Insertion, asked: Stored
): ReadonlyArray<readonly unknown[]> {
  const filled = [...first.values()]
  const places = new Map(fields.map((field, index) => [field, index]))
  const from = [...first.keys()].map(field => places.get(field) ?? -1)
  const key = singleKey(collection)
  const keyAt = key === undefined ? -1 : [...first.keys()].indexOf(key)
  const isGenerated = key?.type.kind === 'uuid' && !asked.has(key)
  return rows.map((row, number) => {
    if (number === 0) return filled
    const values = from.map((at, index) => at < 0 ? filled[index] : row[at])
    if (isGenerated) values[keyAt] = randomUUID()
    if (keyAt >= 0) checkKey(() => values[keyAt], collection, pointer)
    return values
  })
}

/** Returns true if an item has another value than the URL. */
const contradicts = (at: number, value: unknown, rows: BodyRows['rows']) =>
  at >= 0 && rows.some(row => row[at] !== value)

/** Returns the values that the URL gives to each item: those of its path, and the key of its parent. */
function urlValues (
  { from: { collection, via }, given, parent, pointer }: Insertion, caller: Caller
): ReadonlyMap<AuthorisedField, unknown> {
  if (parent === undefined && given.length === 0) return noValues
  const values = new Map<AuthorisedField, unknown>()
  if (via !== undefined && parent !== undefined) {
    const link = authoriseLink({ field: via, isOwnNew: parent.isNew, isOtherNew: true, pointer }, caller)
    if (link.kind === 'foreign-key') {
      for (const [index, field] of link.fields.entries()) values.set(field, parent.key[index])
      for (const { field, value } of link.constants) values.set(field, value)
    }
  }
  for (const { field, value } of given) values.set(authoriseValue(field, collection, pointer, caller), value)
  return values
}

const noValues: ReadonlyMap<AuthorisedField, unknown> = new Map()

/** An item as setters and hooks have left it. `skipped`: see Creation. */
interface DraftedItem {
  readonly draft: ItemDraft
  readonly collection: Collection
  readonly given: readonly PathValue[]
  readonly skipped: 'none' | 'all' | 'given'
  readonly pointer: string
}

/** Returns the key of the inserted item; undefined for a duplicate that is `skipped`. */
export async function insertDraft (item: DraftedItem, { session }: UnitOfWork): Promise<KeyValues | undefined> {
  const { draft, collection, skipped, pointer } = item
  const orNothing = skipped === 'all'
  const values = storedValues(draft, collection, pointer)
  const inserted = await session.change(insertOfDraft(values, { collection, asked: draft.asked, orNothing }))
  if (inserted.kind === 'unchanged') {
    if (orNothing) return undefined
    // A trigger has dropped the row, or stored it elsewhere.
    throw constraint([], pointer)
  }
  // For some unique constraints the database cannot skip the insert, and refuses it instead.
  if (inserted.kind === 'refused' && inserted.by === 'unique') {
    if (orNothing || (skipped === 'given' && isOfPath(inserted, item))) return undefined
  }
  const { keys: [key] = [] } = expectChanged(inserted, collection, pointer)
  // The `instead of` trigger of a view decides which key an insert returns.
  if (key !== undefined && toKeyValues(key) === undefined) throw withoutKey(pointer, new Error(keyless(collection)))
  return keyOf(keyProperties(collection, key ?? []), collection)
}

/** Returns true if the path gives all values of a duplicate. */
const isOfPath = ({ fields }: ConstraintViolation, { given }: DraftedItem) =>
  fields.length > 0 && fields.every(field => given.some(one => one.field === field))

const keyless = ({ property }: Collection) =>
  `collection '${property}': the database returned no key of a new item; ` +
  "a trigger 'instead of insert' must return it, or a client must give it"

export const keyProperties = ({ key }: Collection, values: readonly unknown[]): ItemValues =>
  Object.fromEntries(key.map(({ property }, index) => [property, values[index]]))
