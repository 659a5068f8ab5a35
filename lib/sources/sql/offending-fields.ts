import type { Collection, StoredField } from '../../model/model.ts'
import type { Scalar } from '../../model/values.ts'
import type { ReadPlan } from '../../plan/plan.ts'
import { equals } from '../../plan/predicates.ts'
import type { Change, Changed, ReadResult } from '../source.ts'

type Refused = Extract<Changed, { kind: 'refused' }>
type Read = (plan: ReadPlan) => ReadResult | Promise<ReadResult>

/** The same refusal with all fields at fault: databases tell of one constraint that is broken, some not of which, and each looks at them in another order. */
export async function nameOffendingFields (refused: Refused, change: Change, read: Read): Promise<Changed> {
  if (change.kind === 'link' || change.kind === 'delete' || refused.by === 'other') return refused
  const fields = refused.by === 'unique' ? await takenIdentifiers(change, read) : await danglingKeys(change, read)
  if (fields.length > 0) return { ...refused, fields }
  // Nothing dangles where the key itself was changed: others refer to it.
  return refused.by === 'foreign-key' && change.values.has(change.collection.key) ? { ...refused, fields: [] } : refused
}

type Storing = Extract<Change, { kind: 'insert' | 'update' }>

/** Identifiers whose values another item has. */
async function takenIdentifiers (change: Storing, read: Read): Promise<readonly StoredField[]> {
  const { collection, values } = change
  const own = await ownKey(change, read)
  const taken: StoredField[] = []
  for (const field of collection.stored) {
    const value = field.identifier ? values.get(field) ?? null : null
    if (value === null) continue
    // An identifier's values are scalars.
    const found = keyIn(await read({ kind: 'item', steps: [{ collection, via: undefined, where: equals(field, value as Scalar) }], select: keyOnly(collection) }), collection.key)
    if (found !== undefined && found !== own) taken.push(field)
  }
  return taken
}

const keyOnly = ({ key }: Storing['collection']) => [{ kind: 'value', name: key.name, field: key }] as const

/** The key that an item has which is changed. */
async function ownKey (change: Storing, read: Read): Promise<unknown> {
  return change.kind === 'insert' ? undefined : keyIn(await read({ kind: 'item', steps: change.steps, select: keyOnly(change.collection) }), change.collection.key)
}

function keyIn (result: ReadResult, key: StoredField): unknown {
  return result.kind === 'rows' ? result.rows[0]?.[key.property] : undefined
}

/** Foreign keys that refer to nothing. */
async function danglingKeys (change: Storing, read: Read): Promise<readonly StoredField[]> {
  const { collection, values } = change
  const dangling = new Set<StoredField>()
  const key = values.get(collection.key)
  const left = key === undefined ? undefined : await ownKey(change, read)
  for (const field of collection.fields.values()) {
    const value = field.kind === 'sub-item' ? values.get(field.foreignKey) ?? null : null
    if (field.kind !== 'sub-item' || value === null) continue
    // An item may refer to itself by the key that it is just getting, not by the one that it is leaving.
    if (field.target === collection && value === key) continue
    if ((field.target === collection && value === left) || !await isThere(field.target, value, read)) dangling.add(field.foreignKey)
  }
  return [...dangling]
}

async function isThere (collection: Collection, key: unknown, read: Read): Promise<boolean> {
  // A foreign key holds a key, which is a scalar.
  const found = await read({ kind: 'item', steps: [{ collection, via: undefined, where: equals(collection.key, key as Scalar) }], select: [] })
  return found.kind !== 'missing'
}
