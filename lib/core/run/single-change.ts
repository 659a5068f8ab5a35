import type { Collection } from '../model/model.ts'
import type { ItemBody } from '../plan/write/item-body.ts'
import type { WritePlan, WritePlanOf } from '../plan/plan.ts'
import { type AuthorisedChange, type AuthorisedField, authorisedValues, authoriseValue } from '../rules/authorise.ts'
import type { Caller } from '../rules/caller.ts'
import { insertAlone } from './insert.ts'
import { leadingFields } from './moved.ts'
import { checkKey } from './stored-values.ts'

/**
 * Returns the single change that carries out a write; undefined if the write depends on stored data, on a setter, hook
 * or trigger, or needs several changes.
 */
export function singleChange (plan: WritePlan, caller: Caller): AuthorisedChange | undefined {
  switch (plan.kind) {
    case 'create': return insertAlone(plan, caller)
    case 'update': return mayBeReplaced(plan) ? undefined : singleUpdate(plan, caller)
    case 'delete': return mayBeReplaced(plan) ? undefined : singleDelete(plan)
    default: return undefined
  }
}

/** Only in a transaction is it known whether the item existed before a trigger took the place of a change. */
const mayBeReplaced = ({ collection: { source } }: UpdatePlan | WritePlanOf<'delete'>): boolean =>
  source.isReplaced?.() === true

type UpdatePlan = WritePlanOf<'update'>

function singleUpdate (
  { steps, collection, body, insert, conditions, representation }: UpdatePlan, caller: Caller
): AuthorisedChange | undefined {
  const { updating, updated, saved } = collection.hooks
  if (updating || updated || saved || insert || representation) return undefined
  // A value that the item has already must not raise its version.
  if (collection.version !== undefined) return undefined
  if (body.violations.length > 0 || body.confirmations.length > 0) return undefined
  if (isConditional(conditions, collection)) return undefined
  const assigned = valuesOf(body, collection, caller)
  if (assigned === undefined || assigned.size === 0) return undefined
  // What is sent back as it was shown stays as it is stored: a number of JSON may have more digits than a double.
  if (body.assignments.some(one => one.kind === 'value' && one.field.type.kind === 'json')) return undefined
  // The transaction of a write knows the key, and what it was.
  const leading = leadingFields({ collection, steps })
  if ([...assigned.keys()].some(field => leading.includes(field))) return undefined
  if ([...assigned.keys()].some(field => caller.itemRule(collection, field) !== undefined)) return undefined
  const values = authorisedValues(assigned)
  checkKey(field => values.get(field), collection, body.pointer)
  return { kind: 'update', collection, steps, values, asked: new Set(assigned.keys()) }
}

function singleDelete ({ steps, collection, conditions }: WritePlanOf<'delete'>): AuthorisedChange | undefined {
  const { deleting, deleted, saved } = collection.hooks
  const isWatched = deleting || deleted || saved || collection.deletion
  return isWatched || isConditional(conditions, collection) ? undefined : { kind: 'delete', collection, steps }
}

const isConditional = (
  { ifMatch, ifNoneMatch }: UpdatePlan['conditions'], { strategies }: UpdatePlan['collection']
) => ifMatch !== undefined || ifNoneMatch !== undefined || strategies.requireIfMatch

/** Returns the values that a body assigns; undefined if it assigns a relation or a field with a setter. */
function valuesOf (
  { assignments, pointer }: ItemBody, collection: Collection, caller: Caller
): Map<AuthorisedField, unknown> | undefined {
  const values = new Map<AuthorisedField, unknown>()
  for (const assignment of assignments) {
    if (assignment.kind !== 'value' || collection.setters.has(assignment.field.property)) return undefined
    values.set(authoriseValue(assignment.field, collection, pointer, caller), assignment.value)
  }
  return values
}
