import type { StoredField } from '../model/model.ts'
import type { ItemBody } from '../plan/body.ts'
import type { WritePlan, WritePlanOf } from '../plan/plan.ts'
import { checkKey, storedValues } from './stored-values.ts'
import { newItem } from './create-update.ts'
import type { Change, Stored } from '../sources/source.ts'

/** The one change that a write comes down to, where no data, setter or hook has a say in it; else nothing. */
export function directChange (plan: WritePlan): Change | undefined {
  switch (plan.kind) {
    case 'create': return directCreate(plan)
    case 'update': return directUpdate(plan)
    case 'delete': return directDelete(plan)
  }
}

function directCreate ({ steps, from: { collection }, given, bodies, shows }: WritePlanOf<'create'>): Change | undefined {
  const { creating, saved } = collection.hooks
  const [body, ...others] = bodies
  if (body === undefined || others.length > 0 || steps.length > 0 || creating || saved || shows) return undefined
  const assigned = valuesOf(body, collection.setters)
  if (assigned === undefined) return undefined
  if (given.some(({ field }) => collection.setters.has(field.property))) return undefined
  const item = newItem(collection)
  for (const { field, value } of given) item[field.property] = value
  for (const [field, value] of assigned) item[field.property] = value
  return { kind: 'insert', collection, values: storedValues(item, collection, body.pointer), orNothing: false }
}

function directUpdate ({ steps, collection, body, otherwise, conditions, shows }: WritePlanOf<'update'>): Change | undefined {
  const { updating, saved } = collection.hooks
  if (updating || saved || otherwise || shows || body.confirmations.length > 0 || isConditional(conditions, collection)) return undefined
  const values = valuesOf(body, collection.setters)
  checkKey(values?.get(collection.key), collection.key, body.pointer)
  return values === undefined || values.size === 0 ? undefined : { kind: 'update', collection, steps, values }
}

function directDelete ({ steps, collection, conditions }: WritePlanOf<'delete'>): Change | undefined {
  const { deleting, saved } = collection.hooks
  return deleting || saved || isConditional(conditions, collection) ? undefined : { kind: 'delete', collection, steps }
}

const isConditional = ({ ifMatch, ifNoneMatch }: WritePlanOf<'update'>['conditions'], { strategies }: WritePlanOf<'update'>['collection']) =>
  ifMatch !== undefined || ifNoneMatch !== undefined || strategies.requireIfMatch

/** The values of a body that are stored as they are; nothing where a setter or relation is among them. */
function valuesOf ({ assignments }: ItemBody, setters: WritePlanOf<'update'>['collection']['setters']): Stored | undefined {
  const values = new Map<StoredField, unknown>()
  for (const assignment of assignments) {
    if (assignment.kind !== 'value' || setters.has(assignment.field.property)) return undefined
    values.set(assignment.field, assignment.value)
  }
  return values
}
