import type { CollectionView, RelationView } from '../../core/api/face.ts'
import type { InParts } from '../../core/response/answer.ts'
import { pickField, pickForm, type TableRow, parseRows, renderTable } from './table.ts'
import { showColumns } from './columns.ts'
import { type Facet, showFacets } from './facets.ts'
import { showGroups, showGroupsPage } from './groups.ts'
import { each, type Fragment, type Html, html, type Member, membersOf } from './html.ts'
import { cut, type JsonItem, longestInPath, shownFields } from './value.ts'
import { type LinkFormat, type PageLinks, showDone, showMenu, showNumber, showPage, showPages } from './page.ts'
import {
  filtersIn, linkWith, placeName, type Part, pathAbove, pathTo, type Place, type PlaceOf, shownAs, withoutPart
} from './place.ts'
import { type FoundItems, linkForm, unlinkButton } from './search.ts'
import { partInWords, showSentence } from './filters.ts'
import { showViews, viewsOf } from './views.ts'

/** A page of a listing: its items, and the links and the count that its answer has. */
export interface ListingPage {
  readonly rows: readonly TableRow[]
  readonly pages: PageLinks
  /** The items that a search has found to link; undefined without a search. */
  readonly found: FoundItems | undefined
  readonly facets: readonly Facet[]
  /** Of a page without items, the numbers that there are without one of its filters. */
  readonly without: readonly Without[]
}

/** A filter of a page, and the number of items without it. */
export interface Without { readonly part: Part, readonly count: string }

/** The caller's permissions for a collection. */
export interface Allowed {
  readonly create: boolean
  readonly import: boolean
  /** The relation that takes items which exist; undefined if none does. */
  readonly link: RelationView | undefined
  readonly unlink: boolean
  /** What may be done with all items that a filter finds. */
  readonly many: Readonly<Record<'update' | 'delete', boolean>>
}

/** Returns the page of a collection: a table, and what changes it. */
export function showGrid (
  { rows, pages, found, facets, without }: ListingPage, allowed: Allowed, place: PlaceOf<'collection'>
): Html {
  const { asked, resource: { collection } } = place.spot
  const select = collection.shape(asked.fields, 'listed')
  const name = placeName(place)
  const unlink = allowed.unlink ? (_item: JsonItem, path: string) => unlinkButton(path) : undefined
  const pick = pickField(collection, select)
  const table = { caption: name, collection, select, rows, base: pathTo(place), sorts: true, pick, end: unlink }
  const acts = allowed.create && html`<a class="button primary" href="${pathTo(place)}?_new">New</a>${
    allowed.import && html` <a class="button" ${collection.strategies.dryRun && html`data-drop `}href="${
      pathTo(place)}?_import">Import</a>`}`
  const isBare = rows.length === 0 && filtersIn(place.query).length === 0 && pages.links.size === 0
  const main = html`${showDone(place)}${!isBare && showSentence(collection, place)}
<div class="body">${showFacets(facets, place)}<section class="frame" aria-label="${name}">${isBare
  ? showBare(collection, acts)
  : html`<div class="tools">${showViews(viewsOf(collection), place)}${
    showColumns(collection, select, place)}${showGroups(place)}${showDensities(place)}</div>
${rows.length > 0 ? renderTable(table, place) : showEmpty(without, collection, place)}
${pick && rows.length > 0 && pickForm(pick, allowed.many, place)}${
  showPages(rows.length, pages, place)}`}</section></div>
${allowed.link && linkForm(allowed.link, found, place)}`
  const total = pages.total !== undefined && html` <span class="total">${showNumber(Number(pages.total))}</span>`
  return showPage({
    title: name,
    heading: html`<bdi>${collection.title ?? name}</bdi>${total}`,
    about: collection.description,
    acts: !isBare && acts,
    main,
    formats: formatsOf(place),
    takesQuery: true,
    isSheet: true
  }, place)
}

export const formatsOf = ({ face }: Place): readonly LinkFormat[] =>
  face.streams() ? ['json', 'csv', 'ndjson'] : ['json']

/** Returns what stands in place of a table where nothing was left out: the names of the fields, and what adds items. */
function showBare (collection: CollectionView, acts: Fragment): Html {
  const { title, name } = collection
  return html`<div class="empty"><strong>There are no ${title ?? name} yet.</strong><p>Each has <code>${
    shownFields(collection).map(field => field.name).join(', ')}</code>.</p>${acts && html`<p>${acts}</p>`}</div>`
}

function showEmpty (without: readonly Without[], collection: CollectionView, place: Place): Html {
  const reason = filtersIn(place.query).length === 0 ? 'There are no items on this page.' : 'No item is all of this.'
  return html`<div class="empty"><strong>${reason}</strong>${without.map(({ part, count }) => html`
<p><a href="${linkWith(withoutPart(place.query, part), place)}">Without ${
    partInWords(part, collection, place)}</a>: ${count}</p>`)}<p><a href="${pathTo(place)}">All items</a></p></div>`
}

function showDensities (place: Place): Html {
  const others = place.query.filter(({ kind, name }) => kind !== 'own' || name === '_count' || name === '_facet')
  const links = [['Compact', ['_show=compact']], ['Standard', []], ['Roomy', ['_show=roomy']]] as const
  const current = shownAs(place) ?? 'standard'
  return showMenu('density', 'Density', html`<ul>${links.map(([name, word]) =>
    html`<li><a href="${linkWith([...others, ...word], place)}"${
      name.toLowerCase() === current && html` aria-current="true"`}>${name}</a></li>`)}</ul>`)
}

/** Returns the page of a dictionary: one table of items, or a table for each group of items. */
export function * showDictionary (json: string, pages: PageLinks, place: PlaceOf<'dictionary'>): InParts<Html> {
  const members = yield * membersOf(json, '{')
  const { asked, resource: { collection } } = place.spot
  const columns = collection.groups(asked.fields)
  if (columns !== undefined) {
    const heading = (name: string) => showGroupName(name, place)
    return showGroupsPage({ columns, collection, members, pages, heading }, place, ['json'])
  }
  const select = collection.shape(asked.fields, 'listed')
  const base = pathAbove(place)
  const name = placeName(place)
  const isGrouped = members[0]?.json.startsWith('[') === true
  const showRows = (caption: string, rows: readonly TableRow[]): Html => html`<div class="frame">${
    renderTable({ caption, collection, select, rows, base, sorts: !isGrouped }, place)}</div>`
  const only = isGrouped ? [] : yield * parseRows(members)
  const main = html`${showSentence(collection, place)}
${members.length === 0 && html`<p class="empty">There are no items here.</p>`}
<div class="stack">${isGrouped ? each(members, showGroup) : members.length > 0 && showRows(name, only)}</div>
${showPages(members.length, pages, place)}`
  return showPage({ title: name, main, formats: ['json'], takesQuery: true }, place)

  function * showGroup ({ name, json }: Member): InParts<Html> {
    const rows = yield * parseRows(yield * membersOf(json, '['))
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
