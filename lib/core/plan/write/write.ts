import { describeValue, validation } from '../../errors/errors.ts'
import type { SubCollectionField } from '../../model/model.ts'
import { takenStrategies } from '../../model/strategies.ts'
import { type Body, jsonOf } from '../../request/body.ts'
import type { Conditions } from '../../request/conditions.ts'
import type { Query } from '../../request/request.ts'
import { planEach } from './each.ts'
import { planMany } from './many.ts'
import { bodiesOf, planRuns } from './bodies.ts'
import { isToLink, planBody, planElements } from './body.ts'
import { checkAll, type Element } from './item-body.ts'
import { allowanceOf, checkLength, projectionOf, type WriteLimits } from './limits.ts'
import { planScalar, planUpdate } from './update.ts'
import { linkingRelation, replaceableRelation, separableRelation, type WriteMethod } from '../path/methods.ts'
import type { WritePlan, WritePlanOf } from '../plan.ts'
import { parentValues } from './path-values.ts'
import { stepsOf } from '../read/read.ts'
import { refuse } from '../read/unusable.ts'
import type { Resource, ResourceOf, Walked } from '../path/walk.ts'

/** A write that is ready to run, with all that its answer is made of. */
export interface Write {
  readonly plan: WritePlan
  readonly walked: readonly Walked[]
  /** True if the answer shows a value instead of an item. */
  readonly scalar: boolean
}

/** The parts of a request that a write needs besides its resource. */
export interface WriteRequest {
  readonly method: WriteMethod
  readonly query: Query
  readonly body: Body
  readonly conditions: Conditions
  /** True if the client prefers an answer that shows the written item (`Prefer: return=representation`). */
  readonly represent: boolean
  /** The most items that the client means to write by a filter. Default: the limit. */
  readonly maxAffected?: number | undefined
  /** True if the body holds the lines of an import: the limits are those of each line. Default false. */
  readonly lines?: boolean
}

/**
 * Plans a write with a method that the resource takes (docs/http.md: Writing). Throws unsupported_media_type,
 * malformed_body, content_too_large, validation, or the error of a query parameter that a write cannot use.
 */
export function planWrite (resource: Resource, request: WriteRequest, limits: WriteLimits): Write {
  const isOfMany = resource.kind === 'collection' && isFiltered(request)
  if (isOfMany) return planMany(resource, request, limits)
  refuse(request.query, request.represent ? unusable : unusableUnshown, 'a write')
  switch (resource.kind) {
    case 'collection': return planList(resource, request, limits)
    case 'item': return request.method === 'DELETE'
      ? planDelete(resource, request)
      : planUpdate(resource, request, limits)
    case 'scalar': return planScalar(resource, request, limits)
    default: throw new TypeError(`a ${resource.kind} takes no writes`)
  }
}

/** Returns true if a write of a list is that of all items which a filter finds. */
const isFiltered = ({ method, body }: Pick<WriteRequest, 'method' | 'body'>): boolean =>
  method === 'DELETE' || (method === 'PATCH' && !Array.isArray(body.value))

function planList (resource: ResourceOf<'collection'>, request: WriteRequest, limits: WriteLimits): Write {
  switch (request.method) {
    case 'PUT': return planReplace(resource, request, limits)
    case 'PATCH': return planEach(resource, request, limits)
    default: return planCreate(resource, request, limits)
  }
}

const unusable = ['filter', 'sort', 'page'] as const
const unusableUnshown = [...unusable, 'fields'] as const

function planCreate (resource: ResourceOf<'collection'>, request: WriteRequest, limits: WriteLimits): Write {
  const { from, pathValues = [], walked } = resource
  const body = jsonOf(request.body, 'the item as JSON: {} if its fields all have defaults')
  const many = Array.isArray(body)
  if (many && request.lines !== true) checkLength(body, limits)
  const link = planLink(resource, body, request, limits)
  if (link !== undefined) return link
  const allPathValues = from.via === undefined ? pathValues : [...pathValues, ...parentValues(from.via)]
  const allowance = allowanceOf(limits)
  const bodyOf = (value: unknown, pointer: string) => planBody(value, from.collection, {
    form: 'create',
    pointer,
    pathValues: allPathValues,
    allowance: request.lines === true ? allowanceOf(limits) : allowance
  })
  const planBodies = () => {
    const bodies = many ? body.map((one: unknown, index) => bodyOf(one, `/${index}`)) : [bodyOf(body, '')]
    checkAll(bodies)
    return bodies
  }
  const isPlain = many && limits.items > 0 && limits.references === undefined
  const runs = isPlain ? planRuns(body, from.collection, allPathValues) : undefined
  const representation = projectionOf(from.collection, request, limits)
  return {
    plan: {
      kind: 'create',
      steps: stepsOf(walked),
      from,
      given: pathValues,
      bodies: bodiesOf(planBodies, runs),
      many,
      counted: request.lines === true,
      representation
    },
    walked,
    scalar: false
  }
}

/**
 * Plans a POST that links existing items to the parent in the path; undefined if it is to create items alone. A POST of
 * an item that exists already stays a creation, and so a duplicate, where its body has more than identifiers to set.
 */
function planLink (
  resource: ResourceOf<'collection'>, body: unknown, request: WriteRequest, limits: WriteLimits
): Write | undefined {
  const via = linkingRelation(resource)
  if (via === undefined) return undefined
  const { create } = takenStrategies(via.target)
  const many = Array.isArray(body)
  const values = many
    ? body.map((value: unknown, index) => ({ value, pointer: `/${index}` }))
    : [{ value: body, pointer: '' }]
  // A POST of more than an identifier is a creation, as it is to any collection.
  const mayCreate = (element: Element) => create && (via.creates || !isToLink(element))
  const { elements, violations } = planElements(values, via, { allowance: allowanceOf(limits), mayCreate })
  if (create && !elements.some(isToLink)) return undefined
  if (violations.length > 0) throw validation(violations)
  const asked = elements.map(element => isToLink(element) ? element : { ...element, found: undefined })
  const representation = projectionOf(via.target, request, limits)
  return linkWrite(resource, via, { elements: asked, many, replace: false, representation }, request)
}

/** Plans a PUT of the whole list of a sub-collection. */
function planReplace (resource: ResourceOf<'collection'>, request: WriteRequest, limits: WriteLimits): Write {
  const via = replaceableRelation(resource)
  if (via === undefined) throw new TypeError('allowedMethods() allows PUT for such relations only')
  const body = jsonOf(request.body, 'an array of all items of the list')
  if (!Array.isArray(body)) {
    const message = `must be an array of all items of the list; found ${describeValue(body)}`
    throw validation([{ pointer: '', message }])
  }
  const values = body.map((value: unknown, index) => ({ value, pointer: `/${index}` }))
  const mayCreate = () => via.creates && takenStrategies(via.target).create
  const { elements, violations } = planElements(values, via, { allowance: allowanceOf(limits), mayCreate })
  if (violations.length > 0) throw validation(violations)
  return linkWrite(resource, via, { elements, many: true, replace: true, representation: undefined }, request)
}

function linkWrite (
  { walked }: ResourceOf<'collection'>, via: SubCollectionField,
  how: Pick<WritePlanOf<'link'>, 'elements' | 'many' | 'replace' | 'representation'>, { conditions }: WriteRequest
): Write {
  const plan = { kind: 'link', steps: stepsOf(walked), collection: via.target, via, ...how, conditions } as const
  return { plan, walked, scalar: false }
}

function planDelete (resource: ResourceOf<'item'>, { conditions }: WriteRequest): Write {
  const { collection, walked } = resource
  const common = { steps: stepsOf(walked), collection, conditions }
  const via = separableRelation(resource)?.via
  const plan = via === undefined ? { kind: 'delete', ...common } as const : { kind: 'unlink', via, ...common } as const
  return { plan, walked, scalar: false }
}
