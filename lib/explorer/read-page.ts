import { DataApiError, methodNotAllowed } from '../errors/errors.ts'
import { isObject } from '../errors/is-object.ts'
import { makesGroups } from '../plan/read/group-columns.ts'
import { type Item, planSelection } from '../plan/read/select.ts'
import type { Answer, InParts } from '../response/answer.ts'
import { renderFailure } from '../response/failure.ts'
import { allowedIn, askAllowed, checkMethod, updateMethod } from './allowed.ts'
import { newOpenings, type Row, rowsOf, showTable } from './table.ts'
import { columnsAsked } from './columns.ts'
import { readCounts, readCurrent, readToDelete } from './fields.ts'
import { emptyForm, formOf, showCreate, showDelete, showEdit } from './form-pages.ts'
import type { Exploring, Visit } from './visit.ts'
import { filterAsked } from './filters.ts'
import { showDirectoryPage } from './directory.ts'
import { readFacets } from './facets.ts'
import { type Near, readNear, showFailure, showNear } from './failure-page.ts'
import { formatsOf, type Listing, nameOf, type Pages, showGrid, showPages, type Without } from './grid.ts'
import { showGroupsPage } from './groups.ts'
import { each, type Html, html } from './html.ts'
import { type ItemAllowed, showItemPage } from './item.ts'
import { longestInPath } from './label.ts'
import { type Member, membersOf } from './members.ts'
import { noData, pageOf, seeOther, showPage } from './page.ts'
import { isOf, pathTo, type Place, type PlaceOf, type Spot } from './place.ts'
import { encodeTyped, formatPart, isKept, queryOf, withFilter, withParameter } from './rewrite.ts'
import { type Found, search } from './search.ts'
import { showSentence } from './sentence.ts'
import { cut, showWhole } from './value.ts'
import { type Part, partsOf, wordOf } from './words.ts'

/** Answers a GET with a page of what the answer in JSON shows. Throws what the request in JSON would throw. */
export async function readPage (visit: Visit, exploring: Exploring): Promise<Answer> {
  const { place } = visit
  const query = wordOf('_query', place.query)
  if (query !== undefined) return redirectTo(query, visit)
  const form = await openForm(visit)
  if (form !== undefined) return form
  const isCounted = wordOf('_count', place.query) !== undefined
  const answered = await askOrNear(isCounted, visit)
  if (!('body' in answered)) return showMissing(answered, exploring, place)
  const spot = await visit.spot()
  const here = { ...place, spot, isLive: exploring.api.options.isLive(spot.resource) }
  const listing = isOf('collection', here) ? await readAround(answered, here, visit) : undefined
  const [allowed, counts] = isOf('item', here)
    ? [await askAllowed(here, visit), answered.body === 'null' ? {} : await readCounts(visit, here)]
    : []
  return pageOf(answered, json => showJson(json, { answered, listing, allowed, counts, exploring }, here))
}

/** Asks for the answer of a page. Returns the error where an item is missing, and its neighbours. */
async function askOrNear (isCounted: boolean, visit: Visit): Promise<Answer | Missing> {
  try {
    return await visit.ask(isCounted ? { prefer: 'count=exact' } : {})
  } catch (error) {
    if (!(error instanceof DataApiError) || error.code !== 'identifier_not_found') throw error
    const near = await readNear(visit)
    if (near === undefined) throw error
    return { error, near }
  }
}

interface Missing { readonly error: DataApiError, readonly near: Near }

function showMissing ({ error, near }: Missing, { login }: Exploring, place: Place): Answer {
  const failure = renderFailure(error, { form: 'plain', developerErrors: false })
  return pageOf(failure, json => showFailure(failure.status, JSON.parse(json), place, login, showNear(near)))
}

type Around = Pick<Listing, 'found' | 'facets' | 'without'>

/** Reads what stands around a listing: values with counts, items to link, and counts where filters leave no item. */
async function readAround (answered: Answer, place: PlaceOf<'collection'>, visit: Visit): Promise<Around> {
  const filters = place.query.filter(({ kind }) => kind === 'filter' || kind === 'where')
  const isEmpty = answered.body === '[]' && filters.length <= mostWithout
  return {
    found: await findToLink(place, visit),
    facets: await readFacets(visit, place),
    without: await Promise.all(isEmpty ? filters.map(part => countWithout(part, place, visit)) : [])
  }
}

// Filters of a page without items: as many counts are read.
const mostWithout = 5

async function countWithout (part: Part, { query, syntax }: Place, visit: Visit): Promise<Without> {
  const others = query.filter(one => one !== part && (one.kind === 'filter' || one.kind === 'where'))
  const url = visit.ownPath + queryOf(withParameter(others, 'size', '0', syntax))
  const { headers } = await visit.ask({ url, prefer: 'count=exact' })
  return { part, count: String(headers['x-total-count']) }
}

/** Searches for items to link, where the form for that asks to. */
async function findToLink (place: PlaceOf<'collection'>, visit: Visit): Promise<Found | undefined> {
  const { link } = allowedIn(place)
  if (link === undefined || wordOf('_search', place.query) === undefined) return undefined
  return search(link.target, wordOf('_link', place.query) ?? '', visit)
}

interface Facts {
  readonly answered: Answer
  /** What stands around a listing; undefined on other pages. */
  readonly listing: Around | undefined
  /** What the caller may do with the item; undefined on other pages. */
  readonly allowed: ItemAllowed | undefined
  /** The numbers of items that hang on the item, by relation. */
  readonly counts: Item | undefined
  readonly exploring: Exploring
}

function * showJson (json: string, facts: Facts, place: Place & { readonly spot: Spot }): InParts<Html> {
  const { answered, listing, allowed, counts = {}, exploring } = facts
  const { resource } = place.spot
  if (isOf('dictionary', place)) return yield * showDictionary(json, pagesOf(answered, place), place)
  if (isOf('collection', place) && listing !== undefined) {
    const { asked: { fields }, resource: { from: { collection } } } = place.spot
    if (makesGroups(fields, collection)) {
      const members = yield * membersOf(json, '[')
      const groups = { asked: fields ?? [], collection, members, pages: pagesOf(answered, place) }
      return showGroupsPage(groups, place, formatsOf(place))
    }
    const rows = yield * rowsOf(yield * membersOf(json, '['))
    return showGrid({ rows, pages: pagesOf(answered, place), ...listing }, allowedIn(place), place)
  }
  const value: unknown = JSON.parse(json)
  if (isOf('item', place) && allowed !== undefined) {
    return showItemPage(isObject(value) ? value : null, allowed, counts, place)
  }
  if (resource.kind === 'scalar') return showScalar(value, place)
  return showDirectoryPage(value, place, exploring)
}

/** Returns the links of an answer to other pages, which keep count and density, and the count itself. */
function pagesOf ({ links, headers }: Answer, place: Place): Pages {
  const kept = place.query.filter(({ kind, name }) => kind === 'own' && (name === '_count' || isKept({ kind, name })))
  const { origin } = place.site
  return {
    links: new Map(links.map(({ rel, target }) => {
      const path = target.slice(origin.length)
      return [rel, kept.reduce((url, { raw }) => `${url}${url.includes('?') ? '&' : '?'}${raw}`, path)]
    })),
    total: headers['x-total-count']
  }
}

/** Returns the page of a single value. */
function showScalar (value: unknown, place: Place & { readonly spot: Spot }): Html {
  const name = nameOf(place)
  const { resource } = place.spot
  const field = resource.kind === 'scalar' && resource.field.kind !== 'input' ? resource.field : undefined
  const parent = pathTo({ ...place, parts: place.parts.slice(0, -1) })
  const main = html`<div class="frame whole">${showWhole(value, field)}</div>
<p class="foot"><a href="${parent}">The item of this value</a></p>`
  return showPage({ heading: html`<bdi>${name}</bdi>`, title: name, main, formats: ['json'] }, place)
}

/** Returns the page of a dictionary: one table of items, or a table for each group of items. */
function * showDictionary (json: string, pages: Pages, place: PlaceOf<'dictionary'>): InParts<Html> {
  const members = yield * membersOf(json, '{')
  const { asked, resource: { from: { collection } } } = place.spot
  if (makesGroups(asked.fields, collection)) {
    const heading = (name: string) => showGroupName(name, place)
    return showGroupsPage({ asked: asked.fields ?? [], collection, members, pages, heading }, place, ['json'])
  }
  const select = planSelection(asked.fields, collection, 'listed')
  const base = pathTo({ ...place, parts: place.parts.slice(0, -1) })
  const name = nameOf(place)
  const openings = newOpenings()
  const isGrouped = members[0]?.json.startsWith('[') === true
  const showRows = (caption: string, rows: readonly Row[]): Html => html`<div class="frame">${
    showTable({ caption, collection, select, rows, base, sorts: !isGrouped }, place, openings)}</div>`
  const only = isGrouped ? [] : yield * rowsOf(members)
  const main = html`${showSentence(collection, place)}
${members.length === 0 && html`<p class="empty">There are no items here.</p>`}
<div class="stack">${isGrouped ? each(members, showGroup) : members.length > 0 && showRows(name, only)}</div>
${showPages(members.length, pages, place)}`
  return showPage({ heading: html`<bdi>${name}</bdi>`, title: name, main, formats: ['json'], takesQuery: true }, place)

  function * showGroup ({ name, json }: Member): InParts<Html> {
    const rows = yield * rowsOf(yield * membersOf(json, '['))
    return html`<section class="part"><h2>${showGroupName(name, place)} <span class="n">${rows.length}</span></h2>
${showRows(cut(name, longestName), rows)}</section>`
  }
}

function showGroupName (name: string, place: Place): Html {
  const label = html`<bdi>${name === '' ? 'empty' : cut(name, longestName)}</bdi>`
  return name.length > longestInPath ? label : html`<a href="${pathTo(place, [[name]])}">${label}</a>`
}

// In characters.
const longestName = 200

/** Answers a form that is sent with GET by the URL of the API that it means. */
async function redirectTo (query: string, visit: Visit): Promise<Answer> {
  const { place } = visit
  // The path must lead somewhere: of one that begins with two slashes, a browser would take the host.
  await visit.spot()
  const typed = partsOf(encodeTyped(query.replace(/^\?/, '')), place.syntax).filter(({ kind }) => kind !== 'own')
  const density = place.query.filter(part => part.kind === 'own' && isKept(part)).map(({ raw }) => raw)
  const parts = [...await changed(typed, visit), ...density]
  const format = wordOf('_as', place.query)
  const asked = format === undefined ? [] : [formatPart(format, place.syntax)]
  return seeOther(pathTo(place) + queryOf([...parts, ...asked]))
}

/** Returns the query of a form with the change that the form asks for. */
async function changed (typed: readonly Part[], { place, spot }: Visit): Promise<readonly string[]> {
  const unchanged = typed.map(({ raw }) => raw)
  const columns = columnsAsked([...place.query, ...typed], place)
  if (columns !== undefined) return withParameter(typed, 'fields', columns, place.syntax)
  if (wordOf('_field', place.query) === undefined) return unchanged
  const { resource } = await spot()
  if (!('from' in resource)) throw methodNotAllowed('GET', 'GET')
  const filter = filterAsked(resource.from.collection, place.query, place)
  const at = wordOf('_at', place.query)
  return withFilter(typed, filter, place.syntax, at === undefined ? undefined : Number(at))
}

/** Returns the page of a form that writes, if the request asks for one. */
async function openForm (visit: Visit): Promise<Answer | undefined> {
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
  const found = asked === '_edit' ? await readCurrent(visit, place) : await readToDelete(visit, place)
  return pageOf({ ...answered, body: found === undefined ? noData : JSON.stringify(found.item) }, json => {
    const item: unknown = JSON.parse(json)
    const current = isObject(item) ? { item, tag: found?.tag } : undefined
    return asked === '_edit'
      ? showEdit(formOf(place, current), current, place)
      : showDelete(current, undefined, place)
  })
}
