import { after } from '../after.ts'
import type { Context } from '../collection.ts'
import { type DataApiError, methodNotAllowed, unsupportedMediaType } from '../errors.ts'
import type { Model } from '../model/model.ts'
import { bodyTypes } from '../request/body.ts'
import { formType, type Request } from '../request/parse.ts'
import type { Syntax } from '../request/syntax.ts'
import { type Media, planMedia } from './media.ts'
import { allowedMethods, findMethod, isWrite, type Method } from './methods.ts'
import { type DataRead, planRead, type ReadOptions } from './read.ts'
import { type Resource, walk } from './walk.ts'
import { planWrite, type Write, type WriteLimits } from './write.ts'

/** What a request means. */
export type RequestPlan =
  /** `accepts`: the media types of bodies, by the methods that take one. */
  | { readonly kind: 'options', readonly allow: readonly Method[], readonly accepts: Accepts }
  | { readonly kind: 'directory' }
  /** `fresh`: whether the client asks for the data as it is now, wherever there are copies. */
  | { readonly kind: 'read', readonly read: DataRead, readonly media: Media, readonly fresh: boolean }
  | { readonly kind: 'write', readonly write: Write }

export type Accepts = Readonly<Partial<Record<Method, readonly string[]>>>

/** What the rules allow the caller of a request. */
export interface Permissions {
  /** The model without the fields that the caller may not read or write. */
  readonly model: Model
  /** The error for a caller who may read nothing under this name; undefined where there is no such rule. */
  readingDenial (method: string, name: string | undefined): DataApiError | undefined
  /** The error for a caller who may not use the method on the resource; undefined where no rule denies it. */
  denial (method: Method, resource: Resource): DataApiError | undefined
}

export interface RequestOptions {
  readonly syntax: Syntax
  readonly reads: { readonly paged: ReadOptions, readonly whole: ReadOptions }
  readonly writes: WriteLimits
}

/**
 * Plans a request against what its caller may see. Throws the errors of the resource, the query and the body, in this order, and what a rule denies before
 * anything is looked up.
 */
export function planRequest (
  request: Request, permissions: Permissions, options: RequestOptions, context: Context
): RequestPlan | Promise<RequestPlan> {
  const denial = permissions.readingDenial(request.method, request.segments[0])
  if (denial !== undefined) throw denial
  const { dictionaryPrefix } = options.syntax
  const path = { segments: request.segments, dictionaryPrefix, writing: request.method === 'PUT' }
  return after(walk(path, permissions.model, context), resource => planResource(resource, request, permissions, options))
}

function planResource (resource: Resource, request: Request, permissions: Permissions, options: RequestOptions): RequestPlan {
  const method = findMethod(request.method, resource)
  if (method === undefined) throw methodNotAllowed(request.method, permittedMethods(resource, permissions).join(', '))
  if (method === 'OPTIONS') return planOptions(permittedMethods(resource, permissions))
  const denial = permissions.denial(method, resource)
  if (denial !== undefined) throw denial
  if (method === 'QUERY' && !request.form) throw unsupportedMediaType(formType)
  if (isWrite(method)) {
    planMedia(request.accept, 'item')
    const { query, body, conditions, returns } = request
    return { kind: 'write', write: planWrite(resource, { method, query, body, conditions, represent: returns === 'representation' }, options.writes) }
  }
  const media = planMedia(request.accept, resource.kind)
  const read = planRead(resource, request.query, request.count, media === 'json' ? options.reads.paged : options.reads.whole)
  return read.kind === 'directory' ? read : { kind: 'read', read, media, fresh: request.fresh }
}

const accepts: Accepts = { QUERY: [formType], POST: bodyTypes, PATCH: bodyTypes }

function planOptions (allow: readonly Method[]): RequestPlan {
  return { kind: 'options', allow, accepts: Object.fromEntries(Object.entries(accepts).filter(([method]) => allow.some(one => one === method))) }
}

/** The methods that the resource takes of this caller, for OPTIONS and for the `Allow` of a 405. */
const permittedMethods = (resource: Resource, permissions: Permissions): readonly Method[] =>
  allowedMethods(resource).filter(method => permissions.denial(method, resource) === undefined)
