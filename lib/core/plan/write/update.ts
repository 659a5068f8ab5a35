import type { Collection, Field } from '../../model/model.ts'
import { takenStrategies } from '../../model/strategies.ts'
import { jsonOf } from '../../request/body.ts'
import { type MergeLimits, planAmendment } from './amendment.ts'
import { type Allowance, contradictionsIn, planBody } from './body.ts'
import { checked, type ItemBody } from './item-body.ts'
import { allowanceOf, mergeOf, projectionOf, type WriteLimits } from './limits.ts'
import type { UpsertInsert, WritePlanOf } from '../plan.ts'
import { parentValues } from './path-values.ts'
import { planFieldProjection, stepsOf } from '../read/read.ts'
import type { ResourceOf } from '../path/walk.ts'
import type { Write, WriteRequest } from './write.ts'

/** Plans the update of an item, which an upsert creates. */
export function planUpdate (resource: ResourceOf<'item'>, request: WriteRequest, limits: WriteLimits): Write {
  const { collection, walked } = resource
  const value = jsonOf(request.body, 'the fields to change')
  const within = { pointer: '', allowance: allowanceOf(limits), merge: mergeOf(request, limits) }
  const { body, insert } = planUpdateBodies(resource, value, limits, within)
  checkInBatch(body, limits)
  const { conditions } = request
  const representation = projectionOf(collection, request, limits)
  const steps = stepsOf(walked)
  return {
    plan: { kind: 'update', steps, collection, scalar: false, body, insert, conditions, representation },
    walked,
    scalar: false
  }
}

/**
 * Throws the violations of a body in a batch, whose mistakes are told before anything runs. Alone, the run tells them
 * once the URL has led to an item.
 */
function checkInBatch (body: ItemBody, { references }: WriteLimits): void {
  if (references !== undefined) checked(body)
}

/** Plans the body of an item to change, and what it is if there is none. */
export function planUpdateBodies (
  resource: ResourceOf<'item'>, value: unknown, limits: WriteLimits, within: Within
): Pick<WritePlanOf<'update'>, 'body' | 'insert'> {
  const update = planUpdateBody(value, resource.collection, within)
  const insert = planUpsertInsert(resource, value, { ...within, allowance: allowanceOf(limits) })
  return { body: withContradictions(update, insert), insert }
}

/** Where a body is in that of the request, and what all of them may hold. `merge`: if they are merge patches. */
interface Within {
  readonly pointer: string
  readonly allowance: Allowance
  readonly merge?: MergeLimits | undefined
}

export const planUpdateBody = (value: unknown, collection: Collection, within: Within): ItemBody =>
  planBody(value, collection, { form: 'update', pathValues: [], ...within })

/**
 * Adds the contradictions of the URL that an insert would have, so that the same request has the same result whether or
 * not the item exists. They replace other errors and confirmations at the same pointers.
 */
function withContradictions (body: ItemBody, insert: UpsertInsert | undefined): ItemBody {
  if (insert === undefined) return body
  const contradictions = contradictionsIn(insert.body)
  const isOpen = ({ pointer }: { readonly pointer: string }) => !contradictions.some(one => one.pointer === pointer)
  return {
    ...body,
    confirmations: body.confirmations.filter(isOpen),
    violations: [...body.violations.filter(isOpen), ...contradictions]
  }
}

/** Returns undefined if the collection takes no upserts, or if no item can be created at this path. */
function planUpsertInsert (
  { collection, walked, pathValues }: ResourceOf<'item'>, value: unknown, within: Within
): UpsertInsert | undefined {
  const last = walked.at(-1)?.step
  if (!takenStrategies(collection).upsert || pathValues === undefined) return undefined
  if (pathValues.some(({ field }) => collection.source.isGenerated?.(field.property) === true)) return undefined
  if (last === undefined || last.via?.kind === 'sub-item') return undefined
  const allPathValues = [...pathValues, ...parentValues(last.via)]
  return {
    from: { collection, via: last.via },
    given: pathValues,
    body: planBody(value, collection, { form: 'create', pathValues: allPathValues, ...within })
  }
}

/** Plans the write of a scalar: an update whose body has one member, or by the value that the item has (POST). */
export function planScalar (
  { field, collection, walked }: ResourceOf<'scalar'>, request: WriteRequest, limits: WriteLimits
): Write {
  const value = jsonOf(request.body, 'the value as JSON')
  const amendment = request.method === 'POST' ? planAmendment(field, value) : undefined
  const body = amendment === undefined
    ? planValue(field, value, collection, allowanceOf(limits), mergeOf(request, limits))
    : { pointer: '', assignments: [amendment], confirmations: [], violations: [] }
  checkInBatch(body, limits)
  const { conditions } = request
  const isShown = amendment !== undefined || request.represent
  const representation = isShown && field.readable ? planFieldProjection(field, collection) : undefined
  const steps = stepsOf(walked)
  return {
    plan: { kind: 'update', steps, collection, scalar: true, body, insert: undefined, conditions, representation },
    walked,
    scalar: true
  }
}

/** Pointers are relative to the value itself. */
export function planValue (
  { name }: Pick<Field, 'name'>, value: unknown, collection: Collection, allowance: Allowance, merge?: MergeLimits
): ItemBody {
  return withinMember(planUpdateBody({ [name]: value }, collection, { pointer: '', allowance, merge }), name)
}

/** Removes the member's name from the pointers of the mistakes, the confirmations and the amendment. */
function withinMember (body: ItemBody, name: string): ItemBody {
  const { assignments, violations, confirmations } = body
  const isPlain = assignments[0]?.kind === 'value'
  if (isPlain && violations.length === 0 && confirmations.length === 0) return body
  const within = <T extends { readonly pointer: string }>(one: T): T =>
    ({ ...one, pointer: one.pointer.slice(name.length + 1) })
  return {
    ...body,
    assignments: assignments.map(within),
    violations: violations.map(within),
    confirmations: confirmations.map(within)
  }
}
