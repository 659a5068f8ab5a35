import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { answer, type Api } from '../../core/api/answer.ts'
import type { Context } from '../../core/declare/collection.ts'
import type { RunContext } from '../../core/run/context.ts'
import { type Body, receiveBody } from '../../core/request/body.ts'
import { parseRequest, type Request, type RequestText } from '../../core/request/parse.ts'
import { parsePath } from '../../core/request/path.ts'
import type { PlannedFacts } from '../../core/api/request-facts.ts'
import type { Answer } from '../../core/response/answer.ts'
import { formatPath, type Parts, siteOf } from '../../core/response/paths.ts'
import type { Item } from '../../core/plan/read/show.ts'
import { permissionsOf } from '../../core/rules/methods.ts'
import { syntaxAt } from '../../core/plan/path/syntax.ts'
import { collectionAt, walk } from '../../core/plan/path/walk.ts'
import type { ExplorerOptions } from '../../../schemas/explorer.ts'
import { isObject } from '../../core/errors/is-object.ts'
import { methodNotAllowed } from '../../core/errors/errors.ts'
import { listOf, methodsOf } from '../documents/describing.ts'
import {
  allowedMethods, linkingRelation, replaceableRelation, separableRelation, updatesAll, type WriteMethod
} from '../../core/plan/path/methods.ts'
import { type Exploring, newOpenings, ownQuery, partsOf, type Place, type PlaceOf, type Spot } from './place.ts'
import { checkViews } from './views.ts'
import type { Allowed } from './grid.ts'
import type { ItemAllowed } from './item.ts'

/** A request for a page, and the requests of the API that it is made of: all of the same caller. */
export interface Visit {
  readonly place: Place
  readonly request: Request
  /** The path of the request, as the server got it. */
  readonly ownPath: string
  /** Answers the request as it was sent: with data. */
  answer (): Answer | Promise<Answer>
  /** Sends a request of the API, as a client would, and returns its answer in JSON. */
  ask (asked: Asked): Promise<Answer>
  /** Reads the items that a URL of the API lists, or the one that it leads to, with the tag of the answer. */
  read (url: string): Promise<Read>
  /** Returns a path below the API's root, as the server takes it. */
  pathOf (parts: readonly Parts[]): string
  /** Returns the resource of the page with what its caller may see. */
  spot (): Promise<Spot>
}

/** Items that a URL lists. `more`: true if there are others on its next page. */
interface Read { readonly items: readonly Item[], readonly tag: string | undefined, readonly more: boolean }

/** A request of the API: that of the page, but for what stands here. */
interface Asked {
  readonly method?: 'GET' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url?: string
  readonly prefer?: string
  readonly ifMatch?: string
  readonly idempotencyKey?: string | undefined
  readonly body?: unknown
  /** In place of a body in JSON. */
  readonly csv?: string
}

/** Makes the visit of a request. `note` is told what the request of the page is. */
export async function visit (
  text: RequestText, exploring: Exploring, context: RunContext<Context>, note: (facts: PlannedFacts) => void
): Promise<Visit> {
  const { api, api: { options } } = exploring
  const { segments, parts: path } = parseRequest(text, options)
  const caller = await api.callers.of(segments[0], context)
  // The rules are asked once a visit.
  const fixed: Api = { ...api, callers: { ...api.callers, of: () => caller } }
  const permissions = permissionsOf(caller)
  const { dictionaryPrefix } = options.syntax
  const find = async () =>
    walk({ segments, parts: path, dictionaryPrefix, writing: false }, permissions.model, context)
  // A path that leads to no resource has the syntax of the API: the answer will tell.
  const syntax = await find().then(found => syntaxAt(found, options.syntax)).catch(() => options.syntax)
  const { query } = parsePath(text.url, text.router)
  const parts = partsOf(query, syntax)
  const own = { ...text, ...plain, method: 'GET', url: withQuery(text.url, query, ownQuery(parts)) }
  const request = parseRequest(own, options)
  const site = siteOf(request, options.site)
  const formKey = () => api.keys?.isFor(context) === true ? randomUUID() : undefined
  const ask = async ({ body, csv, ...asked }: Asked) => {
    const content = csv !== undefined ? { body: csvOf(csv) } : body === undefined ? {} : { body: bodyOf(body, api) }
    return answer({ ...own, ...asked, ...content }, fixed, context, asked.url === undefined ? note : () => {})
  }
  return {
    place: { ...exploring, site, syntax, spot: undefined, parts: path, query: parts, formKey, openings: newOpenings() },
    request,
    ownPath: withQuery(text.url, query, ''),
    answer: () => answer(text, fixed, context, note),
    ask,
    async read (url) {
      const { body, etag, links } = await ask({ url })
      const read: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
      const more = links.some(({ rel }) => rel === 'next')
      return { items: [read].flat().filter(isObject), tag: etag, more }
    },
    pathOf: parts => formatPath(siteOf({ origin: () => '', root: request.root }, undefined), parts),
    spot: async () => ({ asked: request.queryIn(syntax).query, resource: await find(), permissions })
  }
}

const noBody: Body = { contentType: undefined, bytes: undefined, value: undefined, refusal: undefined }

/** The headers of the explorer's own requests, in place of those that a browser sends. */
const plain = {
  accept: 'application/json',
  prefer: undefined,
  ifMatch: undefined,
  ifNoneMatch: undefined,
  idempotencyKey: undefined,
  body: noBody
}

const bodyOf = (value: unknown, { options }: Api): Body =>
  receiveBody({ contentType: 'application/json', bytes: Buffer.from(JSON.stringify(value)) }, options.writes)

const csvOf = (csv: string): Body =>
  ({ ...noBody, contentType: 'text/csv', stream: Readable.from([Buffer.from(csv)]) })

/** Returns a URL with another query. */
function withQuery (url: string, query: string, other: string): string {
  const path = url.slice(0, url.length - query.length).replace(/[?;]$/, '')
  return other === '' ? path : `${path}?${other}`
}

/** Prepares the pages of an API. Throws a DeclarationError for a view that is no request of the API. */
export function compileExploring (api: Api, { title, login, images = [] }: ExplorerOptions): Exploring {
  const { options } = api
  const answers = { ...options.answers, pageLinks: 'header', previousLink: true, linkLength: Infinity } as const
  for (const collection of api.model.collections.values()) checkViews(collection, options)
  return {
    api: { ...api, options: { ...options, answers } },
    login,
    images,
    title: title ?? options.openapi?.info?.title ?? 'Data API'
  }
}

/** Returns what the caller may do with a collection. */
export function allowedIn ({ spot, api }: PlaceOf<'collection'>): Allowed {
  const methods = methodsAt(spot)
  const { resource } = spot
  const { create, import: imports, requireIdempotencyKey } = resource.from.collection.strategies
  const isPosted = methods.includes('POST')
  const isCreated = isPosted && create && resource.pathValues !== undefined
  return {
    create: isCreated,
    import: isCreated && imports && api.options.imports !== undefined && !requireIdempotencyKey.includes('POST'),
    link: isPosted ? linkingRelation(resource) : undefined,
    many: { update: methods.includes('PATCH'), delete: methods.includes('DELETE') },
    unlink: methods.includes('PUT') && replaceableRelation(resource) !== undefined
  }
}

/** Asks what the caller may do with an item: a scope may allow it for some items only. */
export async function askAllowed ({ spot }: PlaceOf<'item'>, visit: Visit): Promise<ItemAllowed> {
  const { permissions, resource: { collection } } = spot
  const { headers } = await visit.ask({ method: 'OPTIONS', url: visit.ownPath })
  const methods = String(headers['allow']).split(', ')
  const isDeleted = methods.includes('DELETE')
  const isSeparable = separableRelation(spot.resource) !== undefined
  const update = methods.some(method => method === 'PATCH' || method === 'PUT')
  const create = collection.strategies.create &&
    methodsOf(listOf(collection), { permissions, collection }).includes('POST')
  return { create, update, delete: isDeleted && !isSeparable, unlink: isDeleted && isSeparable }
}

/** Returns the methods that the caller may use on the resource. */
function methodsAt ({ resource, permissions }: Spot): readonly string[] {
  const collection = collectionAt(resource)
  if (resource.kind === 'directory' || collection === undefined) return []
  const methods = methodsOf(resource, { permissions, collection })
  // Pages write many items by filters only.
  const isOfEach = resource.kind === 'collection' && !updatesAll(resource)
  return isOfEach ? methods.filter(method => method !== 'PATCH') : methods
}

/** Throws the denial of a method, or method_not_allowed, for a caller who may not use it here. */
export function checkMethod (method: WriteMethod, spot: Spot): void {
  if (methodsAt(spot).includes(method)) return
  throw spot.permissions.denial(method, spot.resource) ??
    methodNotAllowed(method, allowedMethods(spot.resource).join(', '))
}

/** Returns the method of updates: a form changes what it names, by PATCH or PUT alike. */
export const updateMethod = (spot: Spot): 'PATCH' | 'PUT' => methodsAt(spot).includes('PATCH') ? 'PATCH' : 'PUT'
