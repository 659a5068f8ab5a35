import type { StoredField } from '../model/model.ts'
import type { ItemBody } from '../plan/body.ts'
import type { WritePlan, WritePlanOf } from '../plan/plan.ts'
import { checkKey, storedValues } from './stored-values.ts'
import { newItem } from './create-update.ts'
import type { Change, Stored } from '../sources/source.ts'

/**
 * Returns the single change that carries out a write; undefined if the write depends on stored data or on a setter or
 * hook, or needs several changes.
 */
export function singleChange (plan: WritePlan): Change | undefined {
  switch (plan.kind) {
    case 'create': return singleInsert(plan)
    case 'update': return singleUpdate(plan)
    case 'delete': return singleDelete(plan)
  }
}

type CreatePlan = WritePlanOf<'create'>
type UpdatePlan = WritePlanOf<'update'>

function singleInsert ({ steps, from: { collection }, given, bodies, representation }: CreatePlan): Change | undefined {
  const { creating, saved } = collection.hooks
  const [body, ...others] = bodies
  if (body === undefined || others.length > 0 || steps.length > 0 || creating || saved) return undefined
  if (representation) return undefined
  const assigned = valuesOf(body, collection.setters)
  if (assigned === undefined) return undefined
  if (given.some(({ field }) => collection.setters.has(field.property))) return undefined
  const item = newItem(collection)
  for (const { field, value } of given) item[field.property] = value
  for (const [field, value] of assigned) item[field.property] = value
  return { kind: 'insert', collection, values: storedValues(item, collection, body.pointer), orNothing: false }
}

function singleUpdate (
  { steps, collection, body, insert, conditions, representation }: UpdatePlan
): Change | undefined {
  const { updating, saved } = collection.hooks
  if (updating || saved || insert || representation) return undefined
  if (body.confirmations.length > 0 || isConditional(conditions, collection)) return undefined
  const values = valuesOf(body, collection.setters)
  checkKey(field => values?.get(field), collection, body.pointer)
  return values === undefined || values.size === 0 ? undefined : { kind: 'update', collection, steps, values }
}

function singleDelete ({ steps, collection, conditions }: WritePlanOf<'delete'>): Change | undefined {
  const { deleting, saved } = collection.hooks
  return deleting || saved || isConditional(conditions, collection) ? undefined : { kind: 'delete', collection, steps }
}

const isConditional = (
  { ifMatch, ifNoneMatch }: UpdatePlan['conditions'], { strategies }: UpdatePlan['collection']
) => ifMatch !== undefined || ifNoneMatch !== undefined || strategies.requireIfMatch

/** Returns the values that a body assigns; undefined if it assigns a relation or a field with a setter. */
function valuesOf ({ assignments }: ItemBody, setters: UpdatePlan['collection']['setters']): Stored | undefined {
  const values = new Map<StoredField, unknown>()
  for (const assignment of assignments) {
    if (assignment.kind !== 'value' || setters.has(assignment.field.property)) return undefined
    values.set(assignment.field, assignment.value)
  }
  return values
}
