import type { Collection } from '../model/model.ts'
import { referencesOf } from '../model/relations.ts'
import type { Predicate } from '../plan/plan.ts'
import { always } from '../plan/predicates.ts'
import type { Caller, ScopedOperation } from './caller.ts'

/** Returns true if only some items of the collection exist for the caller, or if it may change only some of them. */
export const isScoped = (collection: Collection, caller: Caller, operation: ScopedOperation = 'read') =>
  caller.scope(collection, operation) !== always

/** Returns true if a link can bring an item of the collection into the caller's scope, or take it out of it. */
export const isScopedByRelations = (collection: Collection, caller: Caller) => hasRelation(caller.scope(collection))

function hasRelation (predicate: Predicate): boolean {
  switch (predicate.kind) {
    case 'compare': case 'is_null': return false
    case 'some': case 'related': return true
    case 'not': return hasRelation(predicate.of)
    default: return predicate.of.some(hasRelation)
  }
}

/**
 * Returns true if a write to this collection must be checked against scopes or reading rules, in a transaction: those
 * of the collection itself, or those of an item that it refers to.
 */
export function isChecked (collection: Collection, caller: Caller): boolean {
  if (!caller.guarded) return false
  return isScoped(collection, caller) || referencesOf(collection).some(({ target }) =>
    isScoped(target, caller) || caller.denial('read', target) !== undefined)
}

/** Returns true if the deletion of an item can take another item out of the caller's scope. */
export function isDeletionChecked (collection: Collection, caller: Caller): boolean {
  if (!caller.guarded) return false
  return referencesOf(collection).some(({ target }) => isScopedByRelations(target, caller)) ||
    collection.links.some(({ holder, target }) =>
      isScopedByRelations(holder === collection ? target : holder, caller))
}
