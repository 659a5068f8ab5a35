import type { Collection, StoredField } from '../model/model.ts'
import { referencesOf, referringFields } from '../model/relations.ts'
import type { WritePlanOf } from '../plan/plan.ts'
import { always, fieldsIn, policed } from '../plan/predicates.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { Caller, ScopedOperation } from './caller.ts'

/** Returns true if only some items of the collection exist for the caller, or if it may change only some of them. */
export const isScoped = (collection: Collection, caller: Caller, operation: ScopedOperation = 'read') =>
  caller.scope(collection, operation) !== always

/** Returns true if a link can bring an item of the collection into the caller's scope, or take it out of it. */
export const isScopedByRelations = (collection: Collection, caller: Caller) =>
  fieldsIn(caller.scope(collection)) === undefined

/**
 * Returns true if a new item must be checked against scopes or reading rules, in a transaction: those of its
 * collection, or those of an item that it refers to.
 */
export function isCreationChecked (collection: Collection, caller: Caller): boolean {
  if (!caller.guarded) return false
  return isScoped(collection, caller) || referencesOf(collection).some(({ target }) => isHidden(target, caller))
}

/** Returns true if some items of the collection do not exist for the caller, or if it may not read any. */
const isHidden = (collection: Collection, caller: Caller) =>
  isScoped(collection, caller) || caller.denial('read', collection) !== undefined

/**
 * Returns true if an update must be checked as a creation. A single statement can have the scopes in its condition: it
 * is enough where it writes no reference to a hidden item, and surely leaves the item in the scope.
 */
export function isUpdateChecked ({ collection, steps, body }: WritePlanOf<'update'>, caller: Caller): boolean {
  if (!caller.guarded) return false
  const written = body.assignments.flatMap(one => one.kind === 'value' ? [one.field] : [])
  const refersTo = ({ by }: Referring) => by.some(field => written.includes(field))
  if (referringIn(collection).some(one => refersTo(one) && isHidden(one.target, caller))) return true
  if (!isScoped(collection, caller) && !isScoped(collection, caller, 'update')) return false
  return steps.length > 1 || fieldsIn(caller.scope(collection, 'update')) === undefined ||
    written.some(({ property }) => caller.writeDenial(collection.property, property) !== undefined) ||
    mayMove(collection, written, caller)
}

/** A reference, and the fields on which it depends to which item it refers. */
interface Referring { readonly target: Collection, readonly by: readonly StoredField[] }

const referringIn = memoize((collection: Collection): readonly Referring[] =>
  referencesOf(collection).map(reference => ({ target: reference.target, by: referringFields(reference) })))

/** Returns true unless the update of these fields surely leaves the values that the caller's scope compares. */
function mayMove (collection: Collection, written: readonly StoredField[], caller: Caller): boolean {
  const { source, version } = collection
  const scope = caller.scope(collection)
  const compared = fieldsIn(scope)
  if (compared === undefined || scope === policed || source.known?.() === undefined) return true
  const changed = version === undefined ? written : [...written, version]
  return changed.some(field => compared.includes(field) || source.isIsolated?.(field.property) !== true) ||
    compared.some(({ property }) => source.isGenerated?.(property) === true)
}

/** Returns true if the deletion of an item can take another item out of the caller's scope. */
export function isDeletionChecked (collection: Collection, caller: Caller): boolean {
  if (!caller.guarded) return false
  return referencesOf(collection).some(({ target }) => isScopedByRelations(target, caller)) ||
    collection.links.some(({ holder, target }) =>
      isScopedByRelations(holder === collection ? target : holder, caller))
}
