import type { KeyValues } from '../model/identifiers.ts'
import { referencesOf, referredKey, referringFields } from '../model/relations.ts'
import { listKeys } from '../plan/read/list-keys.ts'
import type { Inserted, Session } from '../sources/source.ts'
import type { AuthorisedInserts } from './authorise.ts'
import type { Caller } from './caller.ts'
import type { Permitted } from './permitted.ts'
import { isScoped } from './references.ts'
import { scopePlan } from './scope-plan.ts'
import { foreignKeysIn, keyIn, rowsOf, type Touched } from './touched.ts'

interface Inserting {
  readonly session: Session
  readonly caller: Caller
  readonly touched: Touched
  readonly permitted: Permitted
}

/**
 * Inserts items together under the rules, as the session does; undefined also where a reference is dangling for this
 * caller. Asks the database once for each reference, not for each item.
 */
export async function insertScoped (
  inserts: AuthorisedInserts, { session, caller, touched, permitted }: Inserting
): Promise<Inserted | undefined> {
  const { collection, fields, keyed } = inserts
  const denial = caller.denial('create', collection)
  if (denial !== undefined) throw denial
  if (!await refersToVisible(inserts, caller, plan => session.read(scopePlan(plan, touched)))) return undefined
  const isNoted = isScoped(collection, caller) || isScoped(collection, caller, 'update') ||
    foreignKeysIn(collection, fields, caller).length > 0
  const inserted = await session.insertAll?.({ ...inserts, keyed: keyed || isNoted })
  if (inserted === undefined || !isNoted) return inserted
  permitted.addAll(inserts, inserted.keys)
  await touched.addAll(inserts, inserted.keys)
  return inserted
}

/** Returns true if each foreign key leads to an item that exists for the caller. */
async function refersToVisible (
  { collection, fields, rows, asked }: AuthorisedInserts, caller: Caller, read: Session['read']
): Promise<boolean> {
  for (const reference of referencesOf(collection)) {
    const { target } = reference
    const written = referringFields(reference).filter(field => fields.includes(field))
    const isUnreadable = written.some(field => asked.has(field)) && caller.denial('read', target) !== undefined
    if (written.length === 0 || !(isUnreadable || isScoped(target, caller))) continue
    const keys = new Map<string, KeyValues>()
    for (const row of rows) {
      const key = referredKey(reference, field => row[fields.indexOf(field)])
      if (key !== undefined) keys.set(JSON.stringify(key), key)
    }
    if (keys.size === 0) continue
    if (isUnreadable) return false
    const plan = listKeys({ collection: target, via: undefined }, [], keyIn(target, keys.values()))
    if (rowsOf(await read(plan)).length < keys.size) return false
  }
  return true
}
