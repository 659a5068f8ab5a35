import { contentTooLarge, describeValue, validation } from '../../errors/errors.ts'
import type { Collection, SubCollectionField } from '../../model/model.ts'
import { takenStrategies } from '../../model/strategies.ts'
import { type Body, type BodyLimits, jsonOf } from '../../request/body.ts'
import type { Conditions } from '../../request/conditions.ts'
import type { Query } from '../../request/request.ts'
import { planEach } from './each.ts'
import { planMany } from './many.ts'
import { type Allowance, contradictionsIn, isToLink, planBody, planElements } from './body.ts'
import type { Element, ItemBody } from './item-body.ts'
import { linkingRelation, replaceableRelation, separableRelation, type WriteMethod } from '../path/methods.ts'
import type { Projection, UpsertInsert, WritePlan, WritePlanOf } from '../plan.ts'
import { parentValues } from './path-values.ts'
import { planFieldProjection, planProjection, type ReadOptions, stepsOf } from '../read/read.ts'
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

export interface WriteLimits extends BodyLimits, Pick<Allowance, 'references'> {
  /** The most items that a write by a filter may have. */
  readonly affected: number
  /** The options of the projection that shows a written item. */
  readonly reads: ReadOptions
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
export const isFiltered = ({ method, body }: Pick<WriteRequest, 'method' | 'body'>): boolean =>
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
  const bodies = many ? body.map((one: unknown, index) => bodyOf(one, `/${index}`)) : [bodyOf(body, '')]
  checkAll(bodies)
  const representation = projectionOf(from.collection, request, limits)
  return {
    plan: { kind: 'create', steps: stepsOf(walked), from, given: pathValues, bodies, many, representation },
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

/** Throws content_too_large. In a batch, the limit is what other operations have left of it. */
export function checkLength ({ length }: readonly unknown[], { items, references }: WriteLimits): void {
  if (length > items && references === undefined) throw contentTooLarge(`The body holds more than ${items} items.`)
}

function planUpdate (resource: ResourceOf<'item'>, request: WriteRequest, limits: WriteLimits): Write {
  const { collection, walked } = resource
  const value = jsonOf(request.body, 'the fields to change')
  const { body, insert } = planUpdateBodies(resource, value, limits)
  checked(body)
  const { conditions } = request
  const representation = projectionOf(collection, request, limits)
  const steps = stepsOf(walked)
  return {
    plan: { kind: 'update', steps, collection, scalar: false, body, insert, conditions, representation },
    walked,
    scalar: false
  }
}

/** Plans the body of an item to change, and what it is if there is none. `place`: of the item in the request's body. */
export function planUpdateBodies (
  resource: ResourceOf<'item'>, value: unknown, limits: WriteLimits,
  { pointer, allowance }: Place = { pointer: '', allowance: allowanceOf(limits) }
): Pick<WritePlanOf<'update'>, 'body' | 'insert'> {
  const update = planUpdateBody(value, resource.collection, { pointer, allowance })
  const insert = planUpsertInsert(resource, value, pointer, limits)
  return { body: withContradictions(update, insert), insert }
}

interface Place { readonly pointer: string, readonly allowance: Allowance }

export const planUpdateBody = (value: unknown, collection: Collection, place: Place): ItemBody =>
  planBody(value, collection, { form: 'update', pathValues: [], ...place })

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
  { collection, walked, pathValues }: ResourceOf<'item'>, value: unknown, pointer: string, limits: WriteLimits
): UpsertInsert | undefined {
  const last = walked.at(-1)?.step
  if (!takenStrategies(collection).upsert || pathValues === undefined) return undefined
  const { source: { writes } } = collection
  if (writes !== undefined && pathValues.some(({ field }) => writes.isGenerated(field.property))) return undefined
  if (last === undefined || last.via?.kind === 'sub-item') return undefined
  const allPathValues = [...pathValues, ...parentValues(last.via)]
  const allowance = allowanceOf(limits)
  return {
    from: { collection, via: last.via },
    given: pathValues,
    body: planBody(value, collection, { form: 'create', pointer, pathValues: allPathValues, allowance })
  }
}

/** Plans the write of a scalar: an update whose body has one member. Pointers are relative to the value itself. */
function planScalar (
  { field, collection, walked }: ResourceOf<'scalar'>, request: WriteRequest, limits: WriteLimits
): Write {
  const value = jsonOf(request.body, 'the value as JSON')
  const place = { pointer: '', allowance: allowanceOf(limits) }
  const body = checked(withinMember(planUpdateBody({ [field.name]: value }, collection, place), field.name))
  const { conditions } = request
  const representation = request.represent && field.readable ? planFieldProjection(field, collection) : undefined
  const steps = stepsOf(walked)
  return {
    plan: { kind: 'update', steps, collection, scalar: true, body, insert: undefined, conditions, representation },
    walked,
    scalar: true
  }
}

/** Removes the member's name from the pointers of the violations and confirmations. */
function withinMember (body: ItemBody, name: string): ItemBody {
  const { violations, confirmations } = body
  if (violations.length === 0 && confirmations.length === 0) return body
  const within = <T extends { readonly pointer: string }>(one: T): T =>
    ({ ...one, pointer: one.pointer.slice(name.length + 1) })
  return { ...body, violations: violations.map(within), confirmations: confirmations.map(within) }
}

function planDelete (resource: ResourceOf<'item'>, { conditions }: WriteRequest): Write {
  const { collection, walked } = resource
  const common = { steps: stepsOf(walked), collection, conditions }
  const via = separableRelation(resource)?.via
  const plan = via === undefined ? { kind: 'delete', ...common } as const : { kind: 'unlink', via, ...common } as const
  return { plan, walked, scalar: false }
}

export const allowanceOf = ({ items, references }: WriteLimits): Allowance => ({ items, references })

export function projectionOf (
  collection: Collection, { represent, query }: WriteRequest, { reads }: WriteLimits
): Projection | undefined {
  return represent ? planProjection(query, collection, reads) : undefined
}

/**
 * Returns the body. Throws its violations, unless there are members to confirm: these can be violations too, so the run
 * of the plan throws all of them together after it has read the item.
 */
export function checked (body: ItemBody): ItemBody {
  if (body.confirmations.length === 0) checkAll([body])
  return body
}

/** Throws the violations of all bodies. */
export function checkAll (bodies: ReadonlyArray<Pick<ItemBody, 'violations'>>): void {
  if (bodies.every(({ violations }) => violations.length === 0)) return
  throw validation(bodies.flatMap(body => body.violations))
}
