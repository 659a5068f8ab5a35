import type { Collection, StoredField } from '../../model/model.ts'
import type { Scalar } from '../../model/values.ts'
import type { ReadPlan } from '../../plan/plan.ts'
import { equals } from '../../plan/predicates.ts'
import type { Change, Changed, ConstraintViolation, ReadResult } from '../source.ts'

type Read = (plan: ReadPlan) => ReadResult | Promise<ReadResult>

/**
 * Returns a constraint violation with all fields at fault. Databases report one violated constraint, some without its
 * name, and check constraints in different orders; so `read` looks up each value in question.
 */
export async function nameOffendingFields (
  violation: ConstraintViolation, change: Change, read: Read
): Promise<Changed> {
  if (change.kind === 'link' || change.kind === 'delete' || violation.by === 'other') return violation
  const fields = violation.by === 'unique' ? await takenIdentifiers(change, read) : await danglingKeys(change, read)
  if (fields.length > 0) return { ...violation, fields }
  // If the change sets the key itself and no foreign key dangles, other items refer to the old key.
  const isKeyChanged = violation.by === 'foreign-key' && change.values.has(change.collection.key)
  return isKeyChanged ? { ...violation, fields: [] } : violation
}

type StoringChange = Extract<Change, { kind: 'insert' | 'update' }>

/** Returns the identifiers whose new values another item has. */
async function takenIdentifiers (change: StoringChange, read: Read): Promise<readonly StoredField[]> {
  const { collection, values } = change
  const own = await ownKey(change, read)
  const taken: StoredField[] = []
  for (const field of collection.stored) {
    const value = field.identifier ? values.get(field) ?? null : null
    if (value === null) continue
    // An identifier's values are scalars.
    const found = keyIn(await read(keyPlan(collection, field, value as Scalar)), collection.key)
    if (found !== undefined && found !== own) taken.push(field)
  }
  return taken
}

/** Plans to read the key of the item whose field has the value. */
function keyPlan (collection: Collection, field: StoredField, value: Scalar): ReadPlan {
  const step = { collection, via: undefined, where: equals(field, value) }
  return { kind: 'item', steps: [step], select: keyOnly(collection) }
}

const keyOnly = ({ key }: Collection) => [{ kind: 'value', name: key.name, field: key }] as const

/** Returns the key of the item before an update, or `undefined` for an insert. */
async function ownKey (change: StoringChange, read: Read): Promise<unknown> {
  if (change.kind === 'insert') return undefined
  const { collection, steps } = change
  return keyIn(await read({ kind: 'item', steps, select: keyOnly(collection) }), collection.key)
}

function keyIn (result: ReadResult, key: StoredField): unknown {
  return result.kind === 'rows' ? result.rows[0]?.[key.property] : undefined
}

/** Returns the foreign keys whose new values refer to no item. */
async function danglingKeys (change: StoringChange, read: Read): Promise<readonly StoredField[]> {
  const { collection, values } = change
  const dangling = new Set<StoredField>()
  const newKey = values.get(collection.key)
  const oldKey = newKey === undefined ? undefined : await ownKey(change, read)
  for (const field of collection.fields.values()) {
    const value = field.kind === 'sub-item' ? values.get(field.foreignKey) ?? null : null
    if (field.kind !== 'sub-item' || value === null) continue
    // An item may refer to itself by its new key, but not by its old one.
    const refersToSelf = field.target === collection
    if (refersToSelf && value === newKey) continue
    if ((refersToSelf && value === oldKey) || !await exists(field.target, value, read)) dangling.add(field.foreignKey)
  }
  return [...dangling]
}

async function exists (collection: Collection, key: unknown, read: Read): Promise<boolean> {
  // A foreign key holds a key, which is a scalar.
  const step = { collection, via: undefined, where: equals(collection.key, key as Scalar) }
  const found = await read({ kind: 'item', steps: [step], select: [] })
  return found.kind !== 'missing'
}
