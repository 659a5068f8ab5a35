import { contentTooLarge, malformedBody, validation } from '../errors.ts'
import type { Collection } from '../model/model.ts'
import { type BodyLimits, type BodyText, parseBody } from '../request/body.ts'
import type { Conditions } from '../request/conditions.ts'
import type { Query } from '../request/request.ts'
import { type Allowance, contradictionsIn, givenByParent, type ItemBody, planBody } from './body.ts'
import type { WriteMethod } from './methods.ts'
import type { UpsertInsert, Projection, WritePlan } from './plan.ts'
import { planShows, planShowsField, type ReadOptions, stepsOf } from './read.ts'
import { refuse } from './unusable.ts'
import type { Resource, Walked } from './walk.ts'

/** A write that is ready to run, and what its answer is made of. */
export interface Write {
  readonly plan: WritePlan
  readonly walked: readonly Walked[]
  /** Whether what is shown is a value alone. */
  readonly scalar: boolean
}

/** What else a write asks for besides its resource. */
export interface WriteRequest {
  readonly method: WriteMethod
  readonly query: Query
  readonly body: BodyText
  readonly conditions: Conditions
  /** Whether the client prefers to see what it wrote. */
  readonly represent: boolean
}

/** `reads`: how what was written is shown. */
export interface WriteLimits extends BodyLimits { readonly reads: ReadOptions }

type On<K extends Resource['kind']> = Extract<Resource, { kind: K }>

/**
 * What a write means, for a method that the resource takes (docs/http.md: Writing). Throws unsupported_media_type, malformed_body, content_too_large,
 * validation, or invalid_fields.
 */
export function planWrite (resource: Resource, asked: WriteRequest, limits: WriteLimits): Write {
  refuse(asked.query, asked.represent ? unusable : unusableUnshown, 'a write')
  switch (resource.kind) {
    case 'collection': return planCreate(resource, asked, limits)
    case 'item': return asked.method === 'DELETE' ? planDelete(resource, asked) : planUpdate(resource, asked, limits)
    case 'scalar': return planScalar(resource, asked, limits)
    default: throw new TypeError(`a ${resource.kind} takes no writes`)
  }
}

const unusable = ['filter', 'sort', 'page'] as const
const unusableUnshown = [...unusable, 'fields'] as const

function planCreate ({ from, given = [], walked }: On<'collection'>, asked: WriteRequest, limits: WriteLimits): Write {
  const body = parseBody(asked.body, limits) ?? {}
  const allowance = allowanceOf(limits)
  const parent = givenByParent(from.via)
  const bodyOf = (value: unknown, pointer: string) => planBody(value, from.collection, { form: 'create', pointer, given: [...given, ...parent], allowance })
  const many = Array.isArray(body)
  if (many && body.length > limits.items) throw contentTooLarge(`The body holds more than ${limits.items} items.`)
  const bodies = many ? body.map((one: unknown, index) => bodyOf(one, `/${index}`)) : [bodyOf(body, '')]
  checkAll(bodies)
  return { plan: { kind: 'create', steps: stepsOf(walked), from, given, bodies, many, shows: showsOf(from.collection, asked, limits) }, walked, scalar: false }
}

function planUpdate (resource: On<'item'>, asked: WriteRequest, limits: WriteLimits): Write {
  const { collection, walked } = resource
  const body = parseBody(asked.body, limits)
  if (body === undefined) throw malformedBody('The body is empty; send the fields to change.')
  const updated = planBody(body, collection, { form: 'update', pointer: '', given: [], allowance: allowanceOf(limits) })
  const otherwise = planOtherwise(resource, body, limits)
  return {
    plan: { kind: 'update', steps: stepsOf(walked), collection, body: checked(withContradictions(updated, otherwise)), otherwise, conditions: asked.conditions, shows: showsOf(collection, asked, limits) },
    walked,
    scalar: false
  }
}

/** What contradicts the URL does so whether the item is there or not, so that one request has one meaning. */
function withContradictions (body: ItemBody, otherwise: UpsertInsert | undefined): ItemBody {
  if (otherwise === undefined) return body
  const contradictions = contradictionsIn(otherwise.body)
  const isOpen = ({ pointer }: { readonly pointer: string }) => !contradictions.some(one => one.pointer === pointer)
  return { ...body, confirmations: body.confirmations.filter(isOpen), violations: [...body.violations.filter(isOpen), ...contradictions] }
}

function planOtherwise ({ collection, walked, given }: On<'item'>, body: unknown, limits: WriteLimits): UpsertInsert | undefined {
  const last = walked.at(-1)?.step
  if (!collection.strategies.upsert || given === undefined || last === undefined || last.via?.kind === 'sub-item') return undefined
  return {
    from: { collection, via: last.via },
    given,
    body: planBody(body, collection, { form: 'create', pointer: '', given: [...given, ...givenByParent(last.via)], allowance: allowanceOf(limits) })
  }
}

/** A scalar's body is its value alone: a body of one member, whose pointers are those of the value. */
function planScalar ({ field, collection, walked }: On<'scalar'>, asked: WriteRequest, limits: WriteLimits): Write {
  const value = parseBody(asked.body, limits)
  if (value === undefined) throw malformedBody('The body is empty; send the value as JSON.')
  const body = planBody({ [field.name]: value }, collection, { form: 'update', pointer: '', given: [], allowance: allowanceOf(limits) })
  const own = ({ pointer, message }: ItemBody['violations'][number]) => ({ pointer: pointer.slice(field.name.length + 1), message })
  const shows = asked.represent && field.readable ? planShowsField(field, collection) : undefined
  return {
    plan: { kind: 'update', steps: stepsOf(walked), collection, body: checked(body.violations.length === 0 ? body : { ...body, violations: body.violations.map(own) }), otherwise: undefined, conditions: asked.conditions, shows },
    walked,
    scalar: true
  }
}

function planDelete ({ collection, walked }: On<'item'>, { conditions }: WriteRequest): Write {
  return { plan: { kind: 'delete', steps: stepsOf(walked), collection, conditions }, walked, scalar: false }
}

const allowanceOf = ({ items }: BodyLimits): Allowance => ({ items })

function showsOf (collection: Collection, { represent, query }: WriteRequest, { reads }: WriteLimits): Projection | undefined {
  return represent ? planShows(query, collection, reads) : undefined
}

/** Throws all that is wrong, unless members are to be confirmed: then they may be wrong too, which the data will tell. */
function checked (body: ItemBody): ItemBody {
  if (body.confirmations.length === 0) checkAll([body])
  return body
}

function checkAll (bodies: readonly ItemBody[]): void {
  if (bodies.every(({ violations }) => violations.length === 0)) return
  throw validation(bodies.flatMap(body => body.violations))
}
