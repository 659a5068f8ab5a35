import type { Context } from '../declare/collection.ts'
import { type DataApiError, methodNotAllowed, unsupportedMediaType } from '../errors/errors.ts'
import { idempotencyKeyRequired } from '../errors/idempotency.ts'
import type { Collection, Model } from '../model/model.ts'
import { checkEncoding, checkMediaType, jsonType, mergePatchType } from '../request/body.ts'
import { importFormat, importTypes } from '../request/receive.ts'
import { formType, type Request } from '../request/parse.ts'
import type { QueryText } from '../request/query.ts'
import type { Syntax } from '../request/syntax.ts'
import { type AnswerFormat, isStreamed, planFormat } from './media.ts'
import { allowedMethods, findMethod, isWrite, type Method, type WriteMethod } from './path/methods.ts'
import { type DataRead, planRead, type ReadOptions } from './read/read.ts'
import { collectionAt, type Resource, walk, walkFrom } from './path/walk.ts'
import type { Step } from './plan.ts'
import { type ImportPlan, planImport } from './write/import.ts'
import type { WriteLimits } from './write/limits.ts'
import { namesItems } from './write/merge.ts'
import { planWrite, type Write } from './write/write.ts'

export type RequestPlan =
  | OptionsPlan
  | { readonly kind: 'directory', readonly format: AnswerFormat }
  /** `noCache`: true if the client asks for current data, which a replica may not have yet. */
  | { readonly kind: 'read', readonly read: DataRead, readonly format: AnswerFormat, readonly noCache: boolean }
  | { readonly kind: 'write', readonly write: Write }
  | ImportPlan

export interface OptionsPlan {
  readonly kind: 'options'
  readonly allow: readonly Method[]
  /** The changes that the methods make, where the caller may make them to some items only. */
  readonly changes: readonly MethodChange[]
  /** The media types of bodies, by method; a method without a body is absent. */
  readonly accepts: Accepts
  /** True if a write has a key. */
  readonly takesKeys: boolean
}

type Accepts = Readonly<Partial<Record<Method, readonly string[]>>>

/** The change of an item that a path leads to. `steps`: those of the path to it. */
export interface ItemChange {
  readonly operation: 'update' | 'delete'
  readonly collection: Collection
  readonly steps: readonly Step[]
}

interface MethodChange { readonly method: Method, readonly change: ItemChange }

/** A path as it was asked for. `from`: the collection of the item with which a path in a batch begins (walkFrom). */
export interface AskedPath { readonly segments: readonly string[], readonly from?: Collection | undefined }

export interface Permissions {
  /** The model without the fields that the caller may not read or write. */
  readonly model: Model
  /**
   * Returns the error for a caller who may not read the collection that a path begins with, and so not use the method;
   * undefined if no rule denies it.
   */
  readingDenial (method: string, path: AskedPath): DataApiError | undefined
  /** Returns the error for a caller who may not use the method on the resource; undefined if no rule denies it. */
  denial (method: Method, resource: Resource): DataApiError | undefined
  /** Returns the changes that the method makes, as far as the caller may make them to some items only. */
  changes (method: Method, resource: Resource): readonly ItemChange[]
}

export interface PlanningOptions {
  readonly syntax: Syntax
  /** `paged` for answers in JSON, `whole` for streams. */
  readonly reads: { readonly paged: ReadOptions, readonly whole: ReadOptions }
  readonly writes: WriteLimits
  /** Undefined if the root takes no batches. */
  readonly batch?: object | undefined
  /** Undefined if no write has a key. */
  readonly idempotency?: object | undefined
  /** Undefined if no stream is imported. */
  readonly imports?: object | undefined
  /** Returns true if collections are answered as NDJSON and CSV too. */
  streams (): boolean
  /** Returns true if clients can follow how the resource changes. */
  isLive (resource: Resource): boolean
  readonly answers: { readonly pageLinks: 'header' | 'wrapped' | 'both' | 'none' }
}

/**
 * Returns the resource of a request in the model that its caller may see. Throws the denial of a reading rule before it
 * looks anything up. `from`: see AskedPath.
 */
export function findResource (
  request: Request, permissions: Permissions, options: PlanningOptions, context: Context, from?: Collection
): Resource | Promise<Resource> {
  const denial = permissions.readingDenial(request.method, { segments: request.segments, from })
  if (denial !== undefined) throw denial
  const { dictionaryPrefix } = options.syntax
  const { segments, parts } = request
  const batch = options.batch !== undefined
  const path = { segments, parts, dictionaryPrefix, writing: request.method === 'PUT', batch }
  return from === undefined ? walk(path, permissions.model, context) : walkFrom(from, path, context)
}

/**
 * A request of a resource, whose syntax the query is parsed with. It holds the parsed request: a copy of all its
 * members would take longer than planning them.
 */
export interface Asked { readonly request: Request, readonly queryText: QueryText, readonly resource: Resource }

/** Plans a request. Throws the errors of the method, of the query and of the body, in this order. */
export function planRequest (asked: Asked, permissions: Permissions, options: PlanningOptions): RequestPlan {
  const { request, queryText: { query }, resource } = asked
  const method = findMethod(request.method, resource)
  if (method === undefined) throw methodNotAllowed(request.method, permittedMethods(resource, permissions).join(', '))
  if (method === 'OPTIONS') return planOptions(resource, permissions, options)
  const denial = permissions.denial(method, resource)
  if (denial !== undefined) throw denial
  if (method === 'QUERY' && !request.form) throw unsupportedMediaType([formType])
  if (isWrite(method)) return planWriteRequest(method, asked, permissions, options)
  const streamed = { rows: resource.kind === 'collection' && options.streams(), events: options.isLive(resource) }
  const format = planFormat(request.accept, query.format, streamed)
  return planReadRequest(format, asked, options)
}

function planReadRequest (
  format: AnswerFormat, { request: { count, noCache }, queryText: { query }, resource }: Asked,
  { reads, answers }: PlanningOptions
): RequestPlan {
  const isLive = format.media === 'events'
  // The events of a live document have no headers: what is counted must stand in the body.
  const counted = count && (!isLive || answers.pageLinks === 'wrapped' || answers.pageLinks === 'both')
  const read = planRead(resource, query, counted, isStreamed(format) ? reads.whole : reads.paged)
  if (read.kind === 'directory') return { kind: 'directory', format }
  // A replica may not have a change that was told already.
  return { kind: 'read', read, format, noCache: noCache || isLive }
}

function planWriteRequest (
  method: WriteMethod, { request, queryText: { query }, resource }: Asked, permissions: Permissions,
  { writes, imports }: PlanningOptions
): RequestPlan {
  const { accept, body, conditions, returns, maxAffected, idempotencyKey } = request
  const required = collectionAt(resource)?.strategies.requireIdempotencyKey.includes(method)
  if (required === true && idempotencyKey === undefined) throw idempotencyKeyRequired()
  const isImport = body.stream !== undefined && takesImports(method, resource, imports)
  checkEncoding(body)
  const format = isImport ? importFormat(body.contentType ?? '') : undefined
  if (format === undefined) {
    checkMediaType(body, typesOf(method, resource), () =>
      permittedMethods(resource, permissions).includes('PATCH') ? typesOf('PATCH', resource) : [])
  }
  // Writes answer in JSON only; a client that does not accept JSON gets its error before anything is written.
  planFormat(accept, query.format)
  const unreadable = permissions.denial('GET', resource)
  // A caller who may not read the collection gets no item of it in an answer.
  const represent = returns === 'representation' && unreadable === undefined
  const asked = { method, query, body, conditions, represent, maxAffected }
  if (format !== undefined && body.stream !== undefined && resource.kind === 'collection') {
    const { resolution } = request
    if (unreadable !== undefined && namesItems({ resolution, query })) throw unreadable
    return planImport(resource, { ...asked, resolution }, writes, { format, stream: body.stream })
  }
  return { kind: 'write', write: planWrite(resource, asked, writes) }
}

/** Returns true if a POST takes the items of a stream. */
const takesImports = (method: Method, resource: Resource, imports: object | undefined): boolean =>
  method === 'POST' && imports !== undefined && collectionAt(resource)?.strategies.import === true

function planOptions (
  resource: Resource, permissions: Permissions, { idempotency, imports }: PlanningOptions
): RequestPlan {
  const allow = permittedMethods(resource, permissions)
  const changes = allow.flatMap(method => permissions.changes(method, resource).map(change => ({ method, change })))
  const posted = takesImports('POST', resource, imports) ? [jsonType, ...importTypes] : [jsonType]
  const accepts = { QUERY: [formType], POST: posted, PATCH: typesOf('PATCH', resource) }
  return { kind: 'options', allow, changes, accepts, takesKeys: idempotency !== undefined && allow.some(isWrite) }
}

/** Returns the media types of the bodies of a write (docs/http.md: Merging). */
const typesOf = (method: WriteMethod, { kind }: Resource): readonly string[] =>
  method !== 'PATCH' ? replacing : kind === 'scalar' ? merging : [...replacing, ...merging]

const replacing = [jsonType]
const merging = [mergePatchType]

/** The methods that the resource takes from this caller, for OPTIONS and for the `Allow` of a 405. */
const permittedMethods = (resource: Resource, permissions: Permissions): readonly Method[] =>
  allowedMethods(resource).filter(method => permissions.denial(method, resource) === undefined)
