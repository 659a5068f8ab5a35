import { isSameKey, type KeyValues, toKeyValues, distincts } from '../../model/identifiers.ts'
import type { Collection, StoredField } from '../../model/model.ts'
import type { ReadPlan, Row } from '../../plan/plan.ts'
import { equalsKey } from '../../plan/predicates.ts'
import { selectKey, showPlainly } from '../../plan/read/select.ts'
import {
  type Change, type Changed, type ConstraintViolation, isLinkChange, type ReadResult, storedBy, storedFields,
  type StoringChange
} from '../source.ts'

type Read = (plan: ReadPlan) => ReadResult | Promise<ReadResult>

/**
 * Returns a constraint violation with all fields at fault. Databases report one violated constraint, some without its
 * name, and check constraints in different orders; so `read` looks up each value in question.
 */
export async function nameOffendingFields (
  violation: ConstraintViolation, change: Change, read: Read
): Promise<Changed> {
  const known = violation.by === 'unique' || violation.by === 'foreign-key' || violation.by === 'referred'
  if (!known || isLinkChange(change)) return violation
  if (change.kind === 'delete') return { ...violation, by: 'referred' }
  const fields = violation.by === 'unique' ? await takenIdentifiers(change, read) : await danglingKeys(change, read)
  // Of a reference that dangles and items that refer to the old key, PostgreSQL names either.
  if (fields.length > 0) return { ...violation, by: violation.by === 'unique' ? 'unique' : 'foreign-key', fields }
  // If the change sets the key itself and no foreign key dangles, other items refer to the old key.
  const isReferred = violation.by === 'foreign-key' && violation.fields.length === 0 && change.kind === 'update' &&
    isSet(change.collection.key, change)
  return isReferred ? { ...violation, by: 'referred' } : violation
}

const isSet = (fields: readonly StoredField[], change: StoringChange) =>
  fields.some(field => storedFields(change).includes(field))

/** Returns the fields of the keys and identifiers whose new values another item has. */
async function takenIdentifiers (change: StoringChange, read: Read): Promise<readonly StoredField[]> {
  const { collection } = change
  const own = await ownRow(change, read)
  const taken = new Set<StoredField>()
  for (const fields of distincts(collection)) {
    const values = isSet(fields, change) ? valuesAfter(fields, change, own) : undefined
    if (values === undefined) continue
    const found = rowIn(await read(itemPlan(collection, fields, values)))
    if (found !== undefined && !hasSameKey(found, own, collection)) for (const field of fields) taken.add(field)
  }
  return [...taken]
}

/** Plans to read the key of the item whose fields have the values. */
function itemPlan (collection: Collection, fields: readonly StoredField[], values: KeyValues): ReadPlan {
  const step = { collection, via: undefined, where: equalsKey(fields, values) }
  return { kind: 'item', steps: [step], select: selectKey(collection) }
}

/** Returns the item before an update, with its key, its foreign keys and what is unique; `undefined` for an insert. */
async function ownRow (change: StoringChange, read: Read): Promise<Row | undefined> {
  if (change.kind === 'insert') return undefined
  const { collection, steps } = change
  const referring = [...collection.fields.values()].flatMap(field => field.kind === 'sub-item' ? field.foreignKey : [])
  const select = [...new Set([...collection.key, ...referring, ...collection.unique.flat()])].map(showPlainly)
  return rowIn(await read({ kind: 'item', steps, select }))
}

const rowIn = (result: ReadResult): Row | undefined => result.kind === 'rows' ? result.rows[0] : undefined

const hasSameKey = (one: Row, other: Row | undefined, { key }: Collection) =>
  key.every(({ property }) => one[property] === other?.[property])

/** Returns the values of fields after the change; `undefined` where one of them is null. */
function valuesAfter (
  fields: readonly StoredField[], change: StoringChange, own: Row | undefined
): KeyValues | undefined {
  const values = storedBy(change)
  return toKeyValues(fields.map(field => values.has(field) ? values.get(field) : own?.[field.property]))
}

/** Returns the foreign keys whose new values refer to no item. */
async function danglingKeys (change: StoringChange, read: Read): Promise<readonly StoredField[]> {
  const { collection } = change
  const stored = storedFields(change)
  const dangling = new Set<StoredField>()
  const own = await ownRow(change, read)
  const newKey = isSet(collection.key, change) ? valuesAfter(collection.key, change, own) : undefined
  const oldKey = newKey && toKeyValues(collection.key.map(({ property }) => own?.[property]))
  for (const field of collection.fields.values()) {
    if (field.kind !== 'sub-item' || field.constants.length > 0 || !isSet(field.foreignKey, change)) continue
    const key = valuesAfter(field.foreignKey, change, own)
    // An item may refer to itself by its new key, but not by its old one.
    const refersToSelf = field.target === collection
    if (key === undefined || (refersToSelf && newKey !== undefined && isSameKey(key, newKey))) continue
    const isOld = refersToSelf && oldKey !== undefined && isSameKey(key, oldKey)
    if (!isOld && await exists(field.target, key, read)) continue
    for (const part of field.foreignKey) if (stored.includes(part)) dangling.add(part)
  }
  return [...dangling]
}

async function exists (collection: Collection, key: KeyValues, read: Read): Promise<boolean> {
  const step = { collection, via: undefined, where: equalsKey(collection.key, key) }
  const found = await read({ kind: 'item', steps: [step], select: [] })
  return found.kind !== 'missing'
}
