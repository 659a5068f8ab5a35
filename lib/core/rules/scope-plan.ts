import type { Collection } from '../model/model.ts'
import { mapPlan, mapSteps, type MapWhere } from '../plan/fold.ts'
import type { Predicate, ReadPlan } from '../plan/plan.ts'
import { both } from '../plan/predicates.ts'
import type { Change } from '../sources/source.ts'

/** The items that exist for a caller. */
export interface CallerScopes {
  /** Returns the predicate of the items that exist; `always` if all do, of those that `where` is about to find. */
  scope (collection: Collection, operation: 'read', where: Predicate): Predicate
}

/** Adds the scopes to the steps of an update or deletion. */
export const scopeChange = (change: Change, scopes: CallerScopes): Change =>
  change.kind === 'update' || change.kind === 'delete'
    ? { ...change, steps: mapSteps(change.steps, inScope(scopes)) }
    : change

/** Adds the scopes to every collection in the plan, at whatever depth. */
export const scopePlan = (plan: ReadPlan, scopes: CallerScopes): ReadPlan => mapPlan(plan, inScope(scopes))

/** Returns `scope and where`. No filter of a client can be inside the scope's part. */
const inScope = (scopes: CallerScopes): MapWhere =>
  (where, collection) => both(scopes.scope(collection, 'read', where), where)
