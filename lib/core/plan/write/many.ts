import { filterRequired, invalidMost } from '../../errors/by-filter.ts'
import { describeValue, validation } from '../../errors/errors.ts'
import { jsonOf } from '../../request/body.ts'
import { separable, updatesAll } from '../path/methods.ts'
import type { ResourceOf } from '../path/walk.ts'
import type { OneWrite } from '../plan.ts'
import { always, both } from '../predicates.ts'
import { checkFilterCost, planFilters } from '../read/filter.ts'
import { stepsOf } from '../read/read.ts'
import { refuse } from '../read/unusable.ts'
import { checked } from './item-body.ts'
import { allowanceOf, mergeOf, projectionOf, type WriteLimits } from './limits.ts'
import { planUpdateBody } from './update.ts'
import type { Write, WriteRequest } from './write.ts'

/**
 * Plans the update, or the deletion, of all items of a list that a filter finds (docs/http.md: Writes by a filter).
 * Throws filter_required without one, and invalid_parameter for a limit that is no number.
 */
export function planMany (resource: ResourceOf<'collection'>, request: WriteRequest, limits: WriteLimits): Write {
  const { from, where: group, walked } = resource
  const { query, method, represent, body, maxAffected = limits.affected } = request
  refuse(query, represent && method === 'PATCH' ? unusable : unusableUnshown, 'a write of many items')
  const filter = planFilters(query.filters, from.collection)
  checkFilterCost({ where: filter, order: [], select: [] }, limits.reads.mostCost, query.at.filter)
  if (Number.isNaN(maxAffected)) throw invalidMost()
  // It may have been meant as an array of changes, which needs no filter.
  if (method === 'PATCH' && body.refusal !== undefined) throw body.refusal
  if (method === 'PATCH' && !updatesAll(resource)) {
    const message = `must be an array of items, each with an identifier; found ${describeValue(body.value)}`
    throw validation([{ pointer: '', message }])
  }
  if (query.filters.length === 0 && group === always) throw filterRequired(method)
  const plan = {
    kind: 'many',
    steps: stepsOf(walked),
    collection: from.collection,
    from,
    where: both(group, filter),
    most: Math.min(maxAffected, limits.affected),
    one: method === 'PATCH' ? updateOne(resource, request, limits) : deleteOne(resource, request)
  } as const
  return { plan, walked, scalar: false }
}

const unusable = ['sort', 'page'] as const
const unusableUnshown = [...unusable, 'fields'] as const

function updateOne (
  { from: { collection } }: ResourceOf<'collection'>, request: WriteRequest, limits: WriteLimits
): OneWrite {
  const place = { pointer: '', allowance: allowanceOf(limits), merge: mergeOf(request, limits) }
  const body = checked(planUpdateBody(jsonOf(request.body, 'the fields to change'), collection, place))
  const lists = body.assignments.filter(one => one.kind === 'list')
  if (lists.length > 0) {
    throw validation(lists.map(({ pointer }) => ({ pointer, message: 'cannot be written in many items at once' })))
  }
  const { conditions } = request
  const representation = projectionOf(collection, request, limits)
  return { kind: 'update', steps: [], collection, scalar: false, body, insert: undefined, conditions, representation }
}

function deleteOne (
  { from: { collection, via: relation } }: ResourceOf<'collection'>, { conditions }: WriteRequest
): OneWrite {
  const via = separable(relation)?.via
  const common = { steps: [], collection, conditions }
  return via === undefined ? { kind: 'delete', ...common } : { kind: 'unlink', via, ...common }
}
