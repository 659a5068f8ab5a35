import { methodNotAllowed } from '../errors.ts'
import { linkingRelation, replaceableRelation, separableRelation } from '../plan/links.ts'
import type { Resource } from '../plan/walk.ts'
import type { Answer } from '../response/answer.ts'
import { columnsAsked } from './columns.ts'
import { isItem } from './cell.ts'
import { showDictionary } from './dictionary.ts'
import { showDirectory } from './directory.ts'
import type { Exploring } from './exploring.ts'
import { filterAsked } from './filters.ts'
import { type Allowed, type Pages, showGrid } from './grid.ts'
import { type Html, markupOf } from './html.ts'
import { type ItemAllowed, showItemPage } from './item.ts'
import { membersOf } from './members.ts'
import { pathTo, type Place, type PlaceOf, type Spot } from './place.ts'
import { pageHeaders } from './policy.ts'
import { encodeTyped, queryOf, withFilter, withParameter } from './rewrite.ts'
import { showScalar } from './scalar.ts'
import type { Visit } from './visit.ts'
import { partsOf, wordOf } from './words.ts'
import {
  checkMethod, emptyForm, formOf, methodsAt, readCurrent, showCreate, showDelete, showEdit, updateMethod
} from './write-page.ts'

/** Answers a GET with a page of what the answer in JSON shows. Throws what the request in JSON would throw. */
export async function readPage (visit: Visit, exploring: Exploring): Promise<Answer> {
  const { place } = visit
  const query = wordOf('_query', place.query)
  if (query !== undefined) return redirectTo(query, visit)
  const form = await formPage(visit)
  if (form !== undefined) return form
  const isCounted = wordOf('_count', place.query) !== undefined
  const answered = await visit.ask(isCounted ? { prefer: 'count=exact' } : {})
  const spot = await visit.spot()
  return pageOf(answered, json => showJson(json, answered, { ...place, spot }, exploring))
}

/** Returns an answer as a page; `show` makes it of the JSON, which a hook of the application may have replaced. */
export function pageOf ({ status, headers, body }: Answer, show: (json: string) => Html): Answer {
  const { vary = 'Accept', 'x-total-count': _, 'preference-applied': __, ...others } = headers
  return {
    status, headers: { ...others, vary, ...pageHeaders }, links: [], body, view: json => markupOf(show(json))
  }
}

function showJson (json: string, answered: Answer, place: Place & { readonly spot: Spot }, exploring: Exploring): Html {
  const { resource } = place.spot
  if (isOf('dictionary', place)) return showDictionary(membersOf(json), pagesOf(answered, place), place)
  const value: unknown = JSON.parse(json)
  if (isOf('collection', place)) {
    const items = Array.isArray(value) ? value.filter(isItem) : []
    return showGrid({ items, pages: pagesOf(answered, place) }, allowedIn(place), place)
  }
  if (isOf('item', place)) {
    return showItemPage(isItem(value) ? value : null, allowedAt(place), place)
  }
  if (resource.kind === 'scalar') return showScalar(value, place)
  return showDirectoryPage(value, place, exploring)
}

/** Returns true for a place of that kind of resource. */
export const isOf = <K extends Resource['kind']>(
  kind: K, place: Place & { readonly spot: Spot }
): place is PlaceOf<K> => place.spot.resource.kind === kind

function showDirectoryPage (value: unknown, place: Place, { api: { model, callers, options } }: Exploring): Html {
  const entries = Array.isArray(value) ? value.filter(isItem) : []
  const names = entries.map(({ name }) => name).filter(name => typeof name === 'string')
  const facts = { model, isPublic: (name: string) => !callers.differ(name), describes: options.openapi !== undefined }
  return showDirectory(names, facts, place)
}

/** Returns the links of an answer to other pages, which keep the count, and the count itself. */
function pagesOf ({ links, headers }: Answer, place: Place): Pages {
  const counted = wordOf('_count', place.query) === undefined ? '' : '_count'
  const { origin } = place.site
  return {
    links: new Map(links.map(({ rel, target }) => {
      const path = target.slice(origin.length)
      return [rel, counted === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${counted}`]
    })),
    total: headers['x-total-count']
  }
}

/** The JSON of a page that is made of no answer. A text has no preSerialization hooks. */
export const noData = '""'

/** Returns the page of a form that writes, if the request asks for one. */
async function formPage (visit: Visit): Promise<Answer | undefined> {
  const asked = (['_new', '_edit', '_delete'] as const).find(word => wordOf(word, visit.place.query) !== undefined)
  if (asked === undefined) return undefined
  const place = { ...visit.place, spot: await visit.spot(), query: [] }
  const answered = { status: 200, headers: {}, links: [], body: noData }
  if (asked === '_new' && isOf('collection', place)) {
    checkMethod('POST', place.spot)
    return pageOf(answered, () => showCreate(emptyForm(place), place))
  }
  if (asked === '_new' || !isOf('item', place)) return undefined
  checkMethod(asked === '_edit' ? updateMethod(place.spot) : 'DELETE', place.spot)
  const found = await readCurrent(visit, place)
  return pageOf({ ...answered, body: found === undefined ? noData : JSON.stringify(found.item) }, json => {
    const item: unknown = JSON.parse(json)
    const current = isItem(item) ? { item, tag: found?.tag } : undefined
    return asked === '_edit'
      ? showEdit(formOf(place, current), current, false, place)
      : showDelete(current, undefined, place)
  })
}

function allowedIn ({ spot }: PlaceOf<'collection'>): Allowed {
  const methods = methodsAt(spot)
  const { resource } = spot
  const isPosted = methods.includes('POST')
  return {
    create: isPosted && resource.from.collection.strategies.create && resource.presets !== undefined,
    link: isPosted ? linkingRelation(resource) : undefined,
    unlink: methods.includes('PUT') && replaceableRelation(resource) !== undefined
  }
}

function allowedAt ({ spot }: PlaceOf<'item'>): ItemAllowed {
  const methods = methodsAt(spot)
  const isDeleted = methods.includes('DELETE')
  const isSeparable = separableRelation(spot.resource) !== undefined
  const update = methods.some(method => method === 'PATCH' || method === 'PUT')
  return { update, delete: isDeleted && !isSeparable, unlink: isDeleted && isSeparable }
}

/** Answers a form that is sent with GET by the URL of the API that it means. */
async function redirectTo (query: string, visit: Visit): Promise<Answer> {
  const { place } = visit
  const typed = { ...place, query: partsOf(encodeTyped(query.replace(/^\?/, '')), place.syntax) }
  return seeOther(pathTo(place) + await changed(typed, visit))
}

/** Returns a redirect to a page. */
export const seeOther = (location: string): Answer => ({
  status: 303,
  headers: { location, vary: 'Accept', 'cache-control': 'private, no-cache' },
  links: [],
  body: undefined
})

/** Returns the query of a form with the change that the form asks for. */
async function changed (typed: Place, { place, spot }: Visit): Promise<string> {
  const own = typed.query.filter(({ kind }) => kind !== 'own')
  const columns = columnsAsked([...place.query, ...own], place)
  if (columns !== undefined) return queryOf(withParameter(own, 'fields', columns, place.syntax))
  if (wordOf('_field', place.query) === undefined) return queryOf(own.map(({ raw }) => raw))
  const { resource } = await spot()
  if (!('from' in resource)) throw methodNotAllowed('GET', 'GET')
  const filter = filterAsked(resource.from.collection, place.query, place)
  return queryOf(filter === undefined ? own.map(({ raw }) => raw) : withFilter(own, filter, place.syntax))
}
