import type { Context } from '../declare/collection.ts'
import type { Collection } from '../model/model.ts'
import type { Format } from '../plan/media.ts'
import { identify } from '../plan/path/identify.ts'
import type { Method, WriteMethod } from '../plan/path/methods.ts'
import { itemOf, type Resource, type ResourceOf } from '../plan/path/walk.ts'
import { always } from '../plan/predicates.ts'
import { planRead } from '../plan/read/read.ts'
import type { Asked, RequestPlan } from '../plan/request.ts'
import { planWrite } from '../plan/write/write.ts'
import { parseTags } from '../request/conditions.ts'
import type { RequestText } from '../request/parse.ts'
import { type PlainRequest, plainRequests } from '../request/plain.ts'
import { type Answer, hasSpecial, personal } from '../response/answer.ts'
import { render } from '../response/render.ts'
import type { Caller } from '../rules/caller.ts'
import { permissionsOf } from '../rules/methods.ts'
import type { RunContext } from '../run/context.ts'
import { run } from '../run/run.ts'
import { after } from '../scheduling/after.ts'
import { memoize } from '../scheduling/memoize.ts'
import { answer, type Api } from './answer.ts'
import { factsOf, type PlannedFacts } from './request-facts.ts'

type Note = (facts: PlannedFacts) => void

/** Answers the text of a request, as answer() does. */
export type AnswerText = (text: RequestText, context: RunContext<Context>, note: Note) => Answer | Promise<Answer>

/** What answer() has found for the first request of a shape. */
interface Shape extends Pick<Asked, 'queryText'>, Pick<Asked['request'], 'root'> {
  /** The collection that the path begins with. */
  readonly start: ResourceOf<'collection'>
  /** Undefined for an item, and for a creation. */
  readonly field: ResourceOf<'scalar'>['field'] | undefined
  /** Undefined for a write. */
  readonly format: Format | undefined
  readonly facts: PlannedFacts
}

/**
 * Returns a function that answers like answer(), and prepares requests, as a database prepares statements
 * (docs/decisions/prepared-requests.md): answer() plans the first request of a shape, and of the next ones only the
 * identifier and the body are planned. A shape is a method and a collection, with or without a field, in the model of a
 * class of callers. Whatever is unusual is left to answer(). `prefix`: the path of the API's root.
 */
export function prepareAnswers (api: Api, prefix: string): AnswerText {
  const plain = plainRequests(prefix, api.options.syntax)
  const shapesOf = memoize((_collection: Collection) => new Map<string, Map<string | undefined, Shape>>())
  const roots = new Map<string, PlannedFacts>()
  return (text, context, note) => {
    const request = plain(text)
    if (request === undefined) return answer(text, api, context, note)
    const { method, name, field } = request
    const prepare = () => answer(text, api, context, note, (asked, plan, { model }) => {
      const collection = model.collections.get(name)
      const shape = collection && shapeOf(request, asked, plan, collection)
      if (collection === undefined || shape === undefined) return
      const shapes = shapesOf(collection)
      shapes.set(method, (shapes.get(method) ?? new Map<string | undefined, Shape>()).set(field, shape))
      roots.set(name, { collection: shape.facts.collection, kind: undefined })
    })
    const root = roots.get(name)
    if (root === undefined) return prepare()
    // A rule may ask for the facts, and so may who is told of a body's faults.
    if (api.callers.differ(name) || method !== 'GET') note(root)
    return after(api.callers.of(name, context), caller => {
      const collection = caller.model.collections.get(name)
      const shape = collection && shapesOf(collection).get(method)?.get(field)
      return shape === undefined ? prepare() : answerShape(shape, { request, text, caller, context, note }, api)
    })
  }
}

/** Returns the shape of a request that was planned; undefined if its next requests cannot be prepared. */
function shapeOf (
  { segment, field }: PlainRequest, asked: Asked, plan: RequestPlan, collection: Collection
): Shape | undefined {
  const { request: { root }, queryText, resource } = asked
  const kind = segment === undefined ? 'collection' : field === undefined ? 'item' : 'scalar'
  if (resource.kind !== kind || !isOrdinary(collection) || (plan.kind !== 'read' && plan.kind !== 'write')) return
  const from = { collection, via: undefined }
  return {
    root,
    queryText,
    start: { kind: 'collection', from, where: always, pathValues: [], walked: [] },
    field: resource.kind === 'scalar' ? resource.field : undefined,
    format: plan.kind === 'read' ? plan.format : undefined,
    facts: factsOf(plan)
  }
}

/**
 * Returns true if a segment behind the collection means the values of its identifiers and nothing else. Whatever gives
 * it another meaning must be refused here.
 */
const isOrdinary = ({ specials, identifiers }: Collection): boolean =>
  specials.length === 0 && identifiers.every(({ kind }) => kind !== 'lookup')

interface Asking {
  readonly request: PlainRequest
  readonly text: RequestText
  readonly caller: Caller
  readonly context: RunContext<Context>
  readonly note: Note
}

function answerShape (
  shape: Shape, { request, text, caller, context, note }: Asking, api: Api
): Answer | Promise<Answer> {
  const { name, segment, field } = request
  const { model, options } = api
  const segments = segment === undefined ? [name] : field === undefined ? [name, segment] : [name, segment, field]
  return after(resourceOf(shape, segment, context), resource => {
    const plan = planShape(shape, resource, request, text, caller, options)
    note(plan.kind === 'read' ? shape.facts : factsOf(plan))
    const { root, queryText } = shape
    const conditions = { ifNoneMatch: parseTags(text.ifNoneMatch) }
    const parts = segments.map(one => [one])
    const { method, origin } = text
    const echo = { request: { method, origin, root, parts, returns: undefined, conditions }, queryText }
    const made = after(run(plan, caller, context), result => render(result, echo, model, options))
    return caller.personal || hasSpecial(segments, model) ? after(made, personal) : made
  })
}

function resourceOf (
  { start, field }: Shape, segment: string | undefined, context: Context
): Resource | Promise<Resource> {
  if (segment === undefined) return start
  const { collection } = start.from
  return after(identify({ text: segment, parts: [segment] }, collection, context), identified => {
    const item = itemOf(start, identified, segment, 1)
    return field === undefined ? item : { kind: 'scalar', collection, field, walked: item.walked }
  })
}

/** Plans what the shape leaves open. Asks the same rules as planRequest(), in the same order. */
function planShape (
  { format, queryText: { query } }: Shape, resource: Resource, { method }: PlainRequest, { body }: RequestText,
  caller: Caller, { reads, writes }: Api['options']
): Exclude<RequestPlan, { kind: 'import' }> {
  if (caller.guarded) {
    const denial = permissionsOf(caller).denial(method as Method, resource)
    if (denial !== undefined) throw denial
  }
  if (format !== undefined) {
    const read = planRead(resource, query, false, reads.paged)
    if (read.kind !== 'directory') return { kind: 'read', read, format, noCache: false }
  }
  const conditions = { ifMatch: undefined, ifNoneMatch: undefined }
  const asked = { method: method as WriteMethod, query, body, conditions, represent: false }
  return { kind: 'write', write: planWrite(resource, asked, writes) }
}
