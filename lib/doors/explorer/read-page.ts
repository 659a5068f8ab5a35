import { DataApiError, methodNotAllowed } from '../../core/errors/errors.ts'
import { isObject } from '../../core/errors/is-object.ts'
import type { Answer, InParts } from '../../core/response/answer.ts'
import { allowedIn, askAllowed, checkMethod, updateMethod, type Visit } from './visit.ts'
import { parseRows } from './table.ts'
import { columnsAsked } from './columns.ts'
import { readCounts, readCurrent, readLike, readToDelete } from './form-fields.ts'
import { emptyForm, formOf, showCreate, showDelete, showEdit } from './form-pages.ts'
import { either, filterAsked } from './filters.ts'
import { showDirectoryPage } from './directory.ts'
import { readFacets } from './facets.ts'
import { readNear, showFailure } from './failure-page.ts'
import { formatsOf, type ListingPage, showDictionary, showGrid, type Without } from './grid.ts'
import { showGroupsPage } from './groups.ts'
import { type Html, html, membersOf } from './html.ts'
import { showImport } from './import.ts'
import { showItemPage } from './item.ts'
import { countOf, noData, pageOf, type PageLinks, seeOther, showing, showPage } from './page.ts'
import {
  asking, encodeTyped, filtersIn, isKept, isOf, linkWith, listedAt, placeName, parameterPart, type Part, queryParts,
  pathAbove, type Place, type PlaceOf, queryOf, type QueryParts, shownIn, type Spot, withFilter, withParameter, wordOf
} from './place.ts'
import { showRightsPage } from './rights.ts'
import { search } from './search.ts'
import { type JsonItem, showWhole } from './value.ts'
import { orRefusal } from './attempt.ts'
import { formOfMany, readMany, showDeleteMany, showEditMany } from './many.ts'

/** Answers a GET with a page of what the answer in JSON shows. Throws what the request in JSON would throw. */
export async function readPage (visit: Visit): Promise<Answer> {
  const { place } = visit
  const query = wordOf('_query', place.query)
  if (query !== undefined) return redirectTo(query, visit)
  if (wordOf('_rights', place.query) !== undefined && place.parts.length === 0) {
    const rights = await visit.rights()
    return showing(200, () => showRightsPage(rights, place))
  }
  const form = await openForm(visit)
  if (form !== undefined) return form
  const isCounted = wordOf('_count', place.query) !== undefined
  const answered = await orRefusal(async () => visit.ask(isCounted ? { prefer: 'count=exact' } : {}),
    ({ code }) => code === 'identifier_not_found')
  if (answered instanceof DataApiError) return showMissing(answered, visit)
  const spot = await visit.spot()
  const here = { ...place, spot, isLive: spot.resource.isLive }
  return pageOf(answered, await viewOf(answered, here, visit))
}

/** Returns the page of an item that is not there, with its neighbours. */
async function showMissing (error: DataApiError, visit: Visit): Promise<Answer> {
  const near = await readNear(visit)
  if (near === undefined) throw error
  const { code, message, statusCode: status } = error
  const show = () => showFailure(status, { error: code, message }, visit.place, near)
  return pageOf({ status, headers: {}, links: [], body: noData }, show)
}

type Around = Pick<ListingPage, 'found' | 'facets' | 'without'>

/** Reads what stands around a listing: values with counts, items to link, and counts where filters leave no item. */
async function readAround (answered: Answer, place: PlaceOf<'collection'>, visit: Visit): Promise<Around> {
  const filters = filtersIn(place.query)
  const isEmpty = answered.body === '[]' && filters.length <= mostWithout
  const { link } = allowedIn(place)
  const isSearched = link !== undefined && wordOf('_search', place.query) !== undefined
  return {
    found: isSearched ? await search(link.target, wordOf('_link', place.query) ?? '', visit) : undefined,
    facets: await readFacets(visit, place),
    without: await Promise.all(isEmpty ? filters.map(part => countWithout(part, place, visit)) : [])
  }
}

// Filters of a page without items: as many counts are read.
const mostWithout = 5

async function countWithout (part: Part, { query, syntax }: Place, visit: Visit): Promise<Without> {
  const others = filtersIn(query).filter(one => one !== part)
  const url = visit.ownPath + asking(others, { size: 0 }, syntax)
  const { headers } = await visit.ask({ url, prefer: 'count=exact' })
  return { part, count: String(headers['x-total-count']) }
}

/** Returns what makes the page of an answer's JSON. */
async function viewOf (
  answered: Answer, place: Place & { readonly spot: Spot }, visit: Visit
): Promise<(json: string) => Html | InParts<Html>> {
  const pages = pagesOf(answered, place)
  if (isOf('dictionary', place)) return json => showDictionary(json, pages, place)
  if (isOf('collection', place)) {
    const around = await readAround(answered, place, visit)
    return json => showListing(json, around, pages, place)
  }
  if (isOf('item', place)) {
    const allowed = await askAllowed(place, visit)
    const counts = answered.body === 'null' ? {} : await readCounts(visit, place)
    return json => {
      const item: unknown = JSON.parse(json)
      return showItemPage(isObject(item) ? item : null, allowed, counts, place)
    }
  }
  return place.spot.resource.kind === 'scalar'
    ? json => showScalar(JSON.parse(json), place)
    : json => showDirectoryPage(JSON.parse(json), place)
}

function * showListing (json: string, around: Around, pages: PageLinks, place: PlaceOf<'collection'>): InParts<Html> {
  const { asked: { fields }, resource: { collection } } = place.spot
  const members = yield * membersOf(json, '[')
  const columns = collection.groups(fields)
  if (columns !== undefined) return showGroupsPage({ columns, collection, members, pages }, place, formatsOf(place))
  return showGrid({ rows: yield * parseRows(members), pages, ...around }, allowedIn(place), place)
}

/** Returns the links of an answer to other pages, which keep count and density, and the count itself. */
function pagesOf ({ links, headers }: Answer, place: Place): PageLinks {
  const kept = place.query.filter(({ kind, name }) => kind === 'own' && (name === '_count' || isKept({ kind, name })))
  return {
    links: new Map(links.map(({ rel, target }) => {
      const [path = '', query = ''] = target.slice(place.site.origin.length).split('?')
      return [rel, path + queryOf([...query === '' ? [] : [query], ...kept])]
    })),
    total: headers['x-total-count']
  }
}

/** Returns the page of a single value. */
function showScalar (value: unknown, place: Place & { readonly spot: Spot }): Html {
  const name = placeName(place)
  const { field } = place.spot.resource
  const about = html`of <a href="${pathAbove(place)}"><bdi>${place.parts.at(-2)?.map(String).join(',')}</bdi></a>${
    typeof value === 'string' && `, ${countOf(value.length, 'character')}`}`
  const main = html`<div class="frame whole">${showWhole(value, field)}</div>`
  return showPage({ title: name, about, main, formats: ['json'] }, place)
}

/** Answers a form that is sent with GET by the URL of the API that it means. */
async function redirectTo (query: string, visit: Visit): Promise<Answer> {
  const { place } = visit
  // The path must lead somewhere: of one that begins with two slashes, a browser would take the host.
  await visit.spot()
  const typed = queryParts(encodeTyped(query.replace(/^\?/, '')), place.syntax).filter(({ kind }) => kind !== 'own')
  const format = wordOf('_as', place.query)
  const asked = format === undefined ? [] : [parameterPart('format', format, place.syntax)]
  const written = (['_edit', '_delete'] as const).filter(word => wordOf(word, place.query) !== undefined)
  return seeOther(linkWith([...await changed(typed, visit), ...shownIn(place.query), ...asked, ...written], place))
}

/** Returns the query of a form with the change that the form asks for. */
async function changed (typed: readonly Part[], { place, spot }: Visit): Promise<QueryParts> {
  const columns = columnsAsked([...place.query, ...typed], place)
  if (columns !== undefined) return withParameter(typed, 'fields', columns, place.syntax)
  if (wordOf('_field', place.query) === undefined) return typed
  const listed = listedAt(await spot())
  if (listed === undefined) throw methodNotAllowed('GET', 'GET')
  const filter = filterAsked(listed, place.query, place)
  const before = filtersIn(typed).at(-1)
  if (filter !== undefined && before !== undefined && wordOf('_or', place.query) !== undefined) {
    return withFilter(typed, either(before, filter, place), place.syntax, typed.indexOf(before))
  }
  const at = wordOf('_at', place.query)
  return withFilter(typed, filter, place.syntax, at === undefined ? undefined : Number(at))
}

/** Returns the page of a form that writes, if the request asks for one. */
async function openForm (visit: Visit): Promise<Answer | undefined> {
  const asked = (['_new', '_edit', '_delete', '_import'] as const)
    .find(word => wordOf(word, visit.place.query) !== undefined)
  if (asked === undefined) return undefined
  const place = { ...visit.place, spot: await visit.spot(), query: filtersIn(visit.place.query) }
  if (isOf('item', place) && (asked === '_edit' || asked === '_delete')) {
    checkMethod(asked === '_edit' ? updateMethod(place.spot) : 'DELETE', place.spot)
    const found = asked === '_edit' ? await readCurrent(visit, place) : await readToDelete(visit, place)
    return pageWith(found?.item ?? '', item => {
      const current = isObject(item) ? { item, tag: found?.tag } : undefined
      return asked === '_edit'
        ? showEdit(formOf(place, current), current, place)
        : showDelete(current, undefined, place)
    })
  }
  if (!isOf('collection', place)) return undefined
  const method = asked === '_edit' ? 'PATCH' : asked === '_delete' ? 'DELETE' : 'POST'
  checkMethod(method, place.spot)
  if (asked === '_import') {
    return allowedIn(place).import ? showing(200, () => showImport({ csv: '' }, place)) : undefined
  }
  if (method === 'POST') {
    const like = await readLike(wordOf('_new', visit.place.query) ?? '', place, visit)
    return pageWith(like, item => showCreate(emptyForm(place, item as JsonItem), place))
  }
  return pageWith(await readMany(method, place, visit), read => {
    const items = [read].flat().filter(isObject)
    return method === 'PATCH'
      ? showEditMany(formOfMany(place), items, place)
      : showDeleteMany(items, undefined, place)
  })
}

/** Returns a page of data that the hooks of the application may replace, as those of an answer. */
const pageWith = (data: unknown, show: (data: unknown) => Html): Answer =>
  pageOf({ status: 200, headers: {}, links: [], body: JSON.stringify(data) }, json => show(JSON.parse(json)))
