// Who looks for what a live document depends on finds it by this name.
import { dependenceOf } from '../plan/depends.ts'
import type { RequestPlan } from '../plan/request.ts'
import type { LiveNeeds } from '../response/answer.ts'
import type { Caller } from '../rules/caller.ts'
import { scopePlan } from '../rules/scope-plan.ts'
import { databaseOf } from '../sources/source.ts'
import type { Options } from './options.ts'

/**
 * Returns what must be known to follow the document of a plan; undefined if the client does not ask for that.
 * `special`: true if a special identifier is in the path.
 */
export function liveOf (
  plan: RequestPlan, caller: Caller, special: boolean, { answers: { pageLinks } }: Options
): LiveNeeds | undefined {
  if (plan.kind !== 'read' && plan.kind !== 'directory') return undefined
  if (plan.format.media !== 'events') return undefined
  if (plan.kind === 'directory') return { database: undefined, tables: new Map(), shared: true, wrapped: false }
  const { read } = plan
  const scoped = scopePlan(read.plan, caller)
  const { tables, computed } = dependenceOf(scoped)
  const collection = scoped.kind === 'item' ? scoped.steps[0]?.collection : scoped.from.collection
  const isPage = read.kind !== 'item' && read.kind !== 'scalar'
  return {
    database: collection && databaseOf(collection),
    // The application decides to which item a special identifier leads.
    tables: special ? undefined : tables,
    shared: !caller.personal && !special && !computed,
    wrapped: isPage && (pageLinks === 'wrapped' || pageLinks === 'both')
  }
}
