import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ExplorerOptions } from '../../../schemas/explorer.ts'
import type { Ask, Face, ResourceView, Who } from '../../core/api/face.ts'
import { methodNotAllowed } from '../../core/errors/errors.ts'
import { isObject } from '../../core/errors/is-object.ts'
import { parseQuery } from '../../core/request/query.ts'
import type { Answer } from '../../core/response/answer.ts'
import { formatPath } from '../../core/response/paths.ts'
import type { Allowed } from './grid.ts'
import type { ItemAllowed } from './item.ts'
import {
  type Exploring, newOpenings, ownQuery, queryParts, type Place, type PlaceOf, type Segment, type Spot
} from './place.ts'
import type { JsonItem } from './value.ts'
import { checkViews } from './views.ts'

/** A request for a page, and the requests of the API that it is made of: all of the same caller. */
export interface Visit {
  readonly place: Place
  /** The path of the request, as the server got it. */
  readonly ownPath: string
  /** Answers the request as it was sent: with data. */
  answer (): Answer | Promise<Answer>
  /** Sends a request of the API, as a client would, and returns its answer in JSON. */
  ask (asked: Asked): Promise<Answer>
  /** Reads the items that a URL of the API lists, or the one that it leads to, with the tag of the answer. */
  read (url: string): Promise<Read>
  /** Returns a path below the API's root, as the server takes it. */
  pathOf (parts: readonly Segment[]): string
  /** Returns the resource of the page with what its caller may see. */
  spot (): Promise<Spot>
  /** Returns what the caller may do to each collection. */
  rights (): ReturnType<ReturnType<Face['as']>['rights']>
}

/** Items that a URL lists. `more`: true if there are others on its next page. */
interface Read { readonly items: readonly JsonItem[], readonly tag: string | undefined, readonly more: boolean }

/** A request of the API: that of the page, but for what stands here. `csv`: in place of a body in JSON. */
type Asked = Omit<Ask, 'received' | 'noted'> & { readonly csv?: string }

/** Makes the visit of a request: who asks is told what the request of the page is. */
export async function visit (who: Who, exploring: Exploring): Promise<Visit> {
  const { face } = exploring
  const { text } = who
  const { site, root, parts: path, query } = face.locate(text)
  const visitor = face.as(who)
  const found = visitor.resource()
  // A path that leads to no resource has the syntax of the API: the answer will tell.
  const syntax = await found.then(({ collection }) => collection?.syntax ?? face.syntax, () => face.syntax)
  const parts = queryParts(query, syntax)
  const own = withQuery(text.url, query, ownQuery(parts))
  const formKey = () => visitor.hasKeys() ? randomUUID() : undefined
  const ask = async ({ csv, ...asked }: Asked) => {
    const received = csv !== undefined && { received: csvOf(csv) }
    return visitor.ask({ url: own, noted: asked.url === undefined, ...asked, ...received })
  }
  return {
    place: { ...exploring, site, syntax, spot: undefined, parts: path, query: parts, formKey, openings: newOpenings() },
    ownPath: withQuery(text.url, query, ''),
    answer: () => visitor.answer(),
    ask,
    async read (url) {
      const { body, etag, links } = await ask({ url })
      const read: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
      const more = links.some(({ rel }) => rel === 'next')
      return { items: [read].flat().filter(isObject), tag: etag, more }
    },
    pathOf: parts => formatPath({ origin: '', root }, parts),
    rights: () => visitor.rights(),
    async spot () {
      const resource = await found
      return { asked: parseQuery(ownQuery(parts), syntax), resource, sight: await visitor.sight(namesAround(resource)) }
    }
  }
}

/** Returns the names of the collection of a resource, and of those that its relations lead to. */
const namesAround = ({ collection }: ResourceView): readonly string[] => collection === undefined
  ? []
  : [collection, ...collection.fields.flatMap(field => 'target' in field ? [field.target] : [])].map(({ name }) => name)

function csvOf (csv: string): NonNullable<Ask['received']> {
  const stream = Readable.from([Buffer.from(csv)])
  return { contentType: 'text/csv', bytes: undefined, value: undefined, refusal: undefined, stream }
}

/** Returns a URL with another query. */
function withQuery (url: string, query: string, other: string): string {
  const path = url.slice(0, url.length - query.length).replace(/[?;]$/, '')
  return other === '' ? path : `${path}?${other}`
}

/** Prepares the pages of an API. Throws a DeclarationError for a view that is no request of the API. */
export function compileExploring (face: Face, { title, login, images = [] }: ExplorerOptions): Exploring {
  for (const collection of face.collections) checkViews(collection)
  return {
    face: face.with({ pageLinks: 'header', previousLink: true, linkLength: Infinity }),
    login,
    images,
    title: title ?? face.info.title
  }
}

/** Returns what the caller may do with a collection. */
export function allowedIn ({ spot: { resource }, face }: PlaceOf<'collection'>): Allowed {
  const methods = methodsAt(resource)
  const { import: imports, requireIdempotencyKey } = resource.collection.strategies
  const isPosted = methods.includes('POST')
  const isCreated = isPosted && resource.creates
  return {
    create: isCreated,
    import: isCreated && imports && face.importTypes.length > 0 && !requireIdempotencyKey.includes('POST'),
    link: isPosted ? resource.links : undefined,
    many: { update: methods.includes('PATCH'), delete: methods.includes('DELETE') },
    unlink: methods.includes('PUT') && resource.replaces
  }
}

/** Asks what the caller may do with an item: a scope may allow it for some items only. */
export async function askAllowed ({ spot }: PlaceOf<'item'>, visit: Visit): Promise<ItemAllowed> {
  const { sight, resource: { collection, unlinks } } = spot
  const { headers } = await visit.ask({ method: 'OPTIONS', url: visit.ownPath })
  const methods = String(headers['allow']).split(', ')
  const isDeleted = methods.includes('DELETE')
  const update = methods.some(method => method === 'PATCH' || method === 'PUT')
  const create = sight.at({ kind: 'collection', collection }).methods.includes('POST')
  return { create, update, delete: isDeleted && !unlinks, unlink: isDeleted && unlinks }
}

/** Returns the methods that the caller may use on the resource. */
function methodsAt ({ kind, methods, updatesAll }: ResourceView): readonly Method[] {
  if (kind === 'directory') return []
  // Pages write many items by filters only.
  return kind === 'collection' && !updatesAll ? methods.filter(method => method !== 'PATCH') : methods
}

type Method = ResourceView['methods'][number]

/** Throws the denial of a method, or method_not_allowed, for a caller who may not use it here. */
export function checkMethod (method: Method, { resource }: Spot): void {
  if (methodsAt(resource).includes(method)) return
  throw resource.denial(method) ?? methodNotAllowed(method, resource.allowed.join(', '))
}

/** Returns the method of updates: a form changes what it names, by PATCH or PUT alike. */
export const updateMethod = ({ resource }: Spot): 'PATCH' | 'PUT' =>
  methodsAt(resource).includes('PATCH') ? 'PATCH' : 'PUT'
