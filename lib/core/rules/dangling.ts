import type { KeyValues } from '../model/identifiers.ts'
import type { Collection, CollectionReference, StoredField } from '../model/model.ts'
import { referencesOf, referredKey, referringFields } from '../model/relations.ts'
import type { Predicate, ReadPlan } from '../plan/plan.ts'
import { equalsKey } from '../plan/predicates.ts'
import { listKeys } from '../plan/read/list-keys.ts'
import { showPlainly } from '../plan/read/select.ts'
import { isLinkChange, type ReadResult, storedBy, storedFields } from '../sources/source.ts'
import type { AuthorisedChange } from './authorise.ts'
import type { Caller } from './caller.ts'
import { isScoped } from './references.ts'
import { keyIn, rowsOf } from './touched.ts'

/** A change that stores values which the rules allow. */
export type AuthorisedStoringChange = Extract<AuthorisedChange, { kind: 'insert' | 'update' }>

/** Reads of the items that exist for the caller, and of those that the transaction has written. */
export interface Reads {
  read (plan: ReadPlan): ReadResult | Promise<ReadResult>
  /** Returns true if an item satisfies the predicate. */
  exists (collection: Collection, where: Predicate): Promise<boolean>
}

/**
 * Returns the foreign keys whose item does not exist for this caller. A hidden item gives the same result as a missing
 * one, and so does every item of a collection that the caller may not read; the application's own code may refer to it.
 * Asks the database once for each reference, not for each of several items.
 */
export async function danglingIn (
  change: AuthorisedChange, caller: Caller, reads: Reads
): Promise<readonly StoredField[]> {
  if (isLinkChange(change) || change.kind === 'delete') return []
  const dangling = new Set<StoredField>()
  const stored = storedFields(change)
  for (const reference of referencesOf(change.collection)) {
    const { target } = reference
    const written = referringFields(reference).filter(field => stored.includes(field))
    const isUnreadable = written.some(field => change.asked.has(field)) && caller.denial('read', target) !== undefined
    if (written.length === 0 || !(isUnreadable || isScoped(target, caller))) continue
    const keys = await referredKeys(change, reference, reads)
    if (keys.length === 0 || (!isUnreadable && await allExist(target, keys, reads))) continue
    for (const field of written) dangling.add(field)
  }
  return [...dangling]
}

/** Returns the keys of the items to which a reference of the written items leads, each once. */
async function referredKeys (
  change: AuthorisedStoringChange, reference: CollectionReference, reads: Reads
): Promise<readonly KeyValues[]> {
  const fields = change.kind === 'insert' ? change.fields : referringFields(reference)
  const rows = change.kind === 'insert' ? change.rows : [await valuesAfter(change, fields, reads)]
  const keys = new Map<string, KeyValues>()
  for (const row of rows) {
    const key = referredKey(reference, field => row[fields.indexOf(field)])
    if (key !== undefined) keys.set(JSON.stringify(key), key)
  }
  return [...keys.values()]
}

async function allExist (target: Collection, keys: readonly KeyValues[], { exists, read }: Reads): Promise<boolean> {
  const [key, other] = keys
  if (key !== undefined && other === undefined) return exists(target, equalsKey(target.key, key))
  const found = await read(listKeys({ collection: target, via: undefined }, [], keyIn(target, keys)))
  return rowsOf(found).length >= keys.length
}

/** Returns the values that the fields are to have after the change, also of those that it does not write. */
export async function valuesAfter (
  change: AuthorisedStoringChange, fields: readonly StoredField[], { read }: Reads
): Promise<readonly unknown[]> {
  const values = storedBy(change)
  const unwritten = fields.filter(field => !values.has(field))
  const found = change.kind === 'insert' || unwritten.length === 0
    ? undefined
    : await read({ kind: 'item', steps: change.steps, select: unwritten.map(showPlainly) })
  const row = found?.kind === 'rows' ? found.rows[0] : undefined
  return fields.map(field => values.has(field) ? values.get(field) : row?.[field.property])
}
