import type { Collection } from '../model/model.ts'
import { type Resource, walk } from '../plan/path/walk.ts'
import type { Permissions } from '../plan/request.ts'
import { always } from '../plan/predicates.ts'
import { type Body, receiveBody } from '../request/body.ts'
import { importTypes } from '../request/receive.ts'
import { parseRequest, parseTarget } from '../request/parse.ts'
import { hasSpecials } from '../response/answer.ts'
import { siteOf } from '../response/paths.ts'
import { documentName } from '../response/render.ts'
import { permissionsOf } from '../rules/methods.ts'
import { rightsIn } from '../rules/rights.ts'
import { answer, type Api } from './answer.ts'
import { Watches } from './watches.ts'
import type { AnswerLimits, CollectionView, Face, ResourcePlace, ResourceView, Sight, Visitor, Who } from './face.ts'
import { itemAt, listAt, PlacedResource } from './places.ts'
import { makeViews, type Views } from './views.ts'

export function makeFace (api: Api): Face {
  const { options: { syntax, reads } } = api
  return faceOf(api, { views: makeViews(syntax, reads.paged), changes: new Watches() })
}

/** What an API and the same one with other limits share. */
interface Shared { readonly views: Views, readonly changes: Watches }

function faceOf (api: Api, shared: Shared): Face {
  const { options, callers, model, keys } = api
  const { views, changes } = shared
  const ofEach = (name: string) => permissionsOf(callers.anyone(name))
  return {
    info: infoOf(options.openapi?.info),
    syntax: options.syntax,
    personal: callers.personal || hasSpecials(model),
    callersDiffer: callers.personal,
    takesKeys: keys !== undefined,
    importTypes: options.imports === undefined ? [] : importTypes,
    operations: options.batch?.operations ?? 0,
    createdBody: options.responseContent.createdBody,
    pageLinks: options.responseContent.pageLinks,
    documentAt: options.openapi && documentName,
    agentsAt: options.mcp?.path,
    site: options.site,
    collections: [...model.collections.values()].map(views.of),
    // Databases tell more of the tables later.
    get anyone () { return sightOf(ofEach, api, shared) },
    streams: () => options.streams(),
    openTo (name) {
      const open = callers.differ(name) ? undefined : callers.anyone(name)
      const collection = open?.model.collections.get(name)
      const isRead = collection !== undefined && open?.denial('read', collection) === undefined
      return isRead ? views.of(collection) : undefined
    },
    locate (text) {
      const { root, parts, query } = parseTarget(text)
      const site = siteOf({ origin: () => text.origin(), root }, options.site)
      return { site, root: siteOf({ origin: () => '', root }, undefined).root, parts, query }
    },
    with: limits => faceOf(limited(api, limits), shared),
    as: who => visitorOf(who, api, shared),
    watch: followed => changes.watch(followed),
    position: () => changes.position,
    hasChanged: (live, since) => changes.hasChanged(live, since)
  }
}

const standard = { title: 'Data API', version: '1.0.0' }

/** A title that the application leaves undefined is none. */
const infoOf = (info: Partial<Face['info']> = {}): Face['info'] =>
  ({ ...standard, ...info, title: info.title ?? standard.title, version: info.version ?? standard.version })

function limited (api: Api, limits: AnswerLimits): Api {
  const { model, options, callers, checks, own, keys, receiver } = api
  const { answers, reads, batch } = options
  const {
    pageLinks = answers.pageLinks, previousLink = answers.previousLink, linkLength = answers.linkLength,
    length = Infinity, mostOnPage, operations, plain = false
  } = limits
  const paged = {
    ...reads.paged, ...mostOnPage !== undefined && { mostOnPage }, ...plain && { linkStyle: 'auto' as const }
  }
  const asked = {
    ...options,
    answers: { ...answers, pageLinks, previousLink, linkLength, length: Math.min(answers.length, length) },
    reads: { ...reads, paged },
    batch: operations === undefined ? batch : { operations },
    ...plain && { site: undefined, streams: () => false, isLive: () => false }
  }
  return { model, options: asked, callers, checks, own, keys, receiver }
}

function visitorOf ({ request, text, isAbandoned, note = () => {} }: Who, api: Api, shared: Shared): Visitor {
  const { model, options, checks, own, keys, receiver } = api
  const callers = api.callers.once()
  const context = own.contextOf(request, isAbandoned)
  const asking: Api = { model, options, callers, checks, own, keys, receiver }
  return {
    answer: () => answer(text, asking, context, note),
    ask: async ({ body, received = bodyOf(body, api), noted = false, ...asked }) =>
      answer({ ...text, ...ownHeaders, ...asked, body: received }, asking, context, noted ? note : () => {}),
    async resource () {
      const { segments, parts } = parseRequest(text, options)
      const { dictionaryPrefix } = options.syntax
      const permissions = permissionsOf(await callers.of(segments[0], context))
      const found = await walk({ segments, parts, dictionaryPrefix, writing: false }, permissions.model, context)
      return placed(found, permissions, api, shared)
    },
    async sight (names) {
      const known = new Map<string, Permissions>()
      for (const [name, caller] of await callers.all(context, names)) known.set(name, permissionsOf(caller))
      return sightOf(name => known.get(name), api, shared)
    },
    async rights () {
      const known = await callers.all(context)
      return rightsIn(model.collections.values(), name => known.get(name))
    },
    hasKeys: () => keys?.isFor(context) === true
  }
}

/** The method and the headers of a door's own requests, in place of those of the request that it has. */
const ownHeaders = {
  method: 'GET',
  accept: 'application/json',
  prefer: undefined,
  ifMatch: undefined,
  ifNoneMatch: undefined,
  idempotencyKey: undefined
}

const noBody: Body = { contentType: undefined, bytes: undefined, value: undefined, refusal: undefined }

const bodyOf = (value: unknown, { options }: Api): Body => value === undefined
  ? noBody
  : receiveBody({ contentType: 'application/json', bytes: Buffer.from(JSON.stringify(value)) }, options.writes)

const placed = (resource: Resource, permissions: Permissions, { options }: Api, { views }: Shared): ResourceView =>
  new PlacedResource(resource, { views, permissions, isLive: one => options.isLive(one) })

function sightOf (
  permissionsFor: (name: string) => Permissions | undefined, api: Api, shared: Shared
): Sight {
  const { views } = shared
  const seen = () => [...api.model.collections.keys()].flatMap(name => {
    const permissions = permissionsFor(name)
    const collection = permissions?.model.collections.get(name)
    if (permissions === undefined || collection === undefined) return []
    const isUsed = [listAt({ collection, via: undefined }), itemAt(collection, undefined)]
      .some(resource => placed(resource, permissions, api, shared).methods.length > 0)
    return isUsed ? [views.of(collection)] : []
  })
  let collections: readonly CollectionView[] | undefined
  return {
    get collections () {
      collections ??= seen()
      return collections
    },
    at (place) {
      // Rules are asked of the collection that a path begins with.
      const { name } = place.via?.holder ?? place.collection
      const permissions = permissionsFor(name)
      if (permissions === undefined) throw new TypeError('a sight has no resources of collections that it has not')
      return placed(resourceAt(place, views), permissions, api, shared)
    }
  }
}

function resourceAt ({ kind, collection: view, via: relation, field }: ResourcePlace, views: Views): Resource {
  const collection: Collection = views.collectionOf(view)
  const via = relation && views.relationOf(relation)
  if (kind === 'item') return itemAt(collection, via)
  const from = { collection, via: via?.kind === 'sub-collection' ? via : undefined }
  if (kind === 'collection') return listAt(from)
  const value = field && views.valueOf(field)
  if (value === undefined) throw new TypeError('a scalar and a dictionary have a field')
  if (kind === 'scalar') return { kind, collection, field: value, walked: [] }
  if (value.kind === 'computed' || value.kind === 'input') throw new TypeError('a dictionary has a field of data')
  return { kind, from, where: always, by: [value], walked: [] }
}
