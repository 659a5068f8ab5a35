import type { Collection, SubCollectionField } from '../model/model.ts'
import { filterableFields } from '../openapi/filters.ts'
import { planPage } from '../plan/read/page.ts'
import { planSelection } from '../plan/read/select.ts'
import type { Item } from '../plan/read/show.ts'
import { parameterOf } from '../request/syntax.ts'
import { dictionaryParts } from '../response/paths.ts'
import type { InParts } from '../response/answer.ts'
import { GroupColumns, makesGroups, planColumns } from '../plan/read/group-columns.ts'
import type { GroupColumn } from '../plan/plan.ts'
import type { FieldAsked } from '../request/request.ts'
import { newOpenings, pickField, pickForm, rest, type Row, rowsOf, showTable } from './table.ts'
import { showColumns } from './columns.ts'
import { type Facet, linkToGroup, showBar, showFacets } from './facets.ts'
import { each, type Fragment, type Html, html, type Member, membersOf } from './html.ts'
import { linkForm, unlinkButton } from './item.ts'
import { cut, fewestGrouped, longestInPath, showShort, showValue, titleOf, valueIn } from './value.ts'
import { type Format, showMenu, showPage, showScroll } from './page.ts'
import {
  filtersIn, linkWith, type Part, pathTo, type Place, type PlaceOf, queryOf, shownAs, withoutPage, withoutPart, wordOf
} from './place.ts'
import type { Found } from './search.ts'
import { partInWords, showSentence } from './filters.ts'
import { showViews, viewsOf } from './views.ts'

/** A page of a listing: its items, and the links and the count that its answer has. */
export interface Listing {
  readonly rows: readonly Row[]
  readonly pages: Pages
  /** The items that a search has found to link; undefined without a search. */
  readonly found: Found | undefined
  readonly facets: readonly Facet[]
  /** Of a page without items, the numbers that there are without one of its filters. */
  readonly without: readonly Without[]
}

/** A filter of a page, and the number of items without it. */
export interface Without { readonly part: Part, readonly count: string }

/** Links to other pages, by relation, and the number of items where the client asked for it. */
export interface Pages { readonly links: ReadonlyMap<string, string>, readonly total: string | undefined }

/** The caller's permissions for a collection. */
export interface Allowed {
  readonly create: boolean
  readonly import: boolean
  /** The relation that takes items which exist; undefined if none does. */
  readonly link: SubCollectionField | undefined
  readonly unlink: boolean
  /** What may be done with all items that a filter finds. */
  readonly many: Readonly<Record<'update' | 'delete', boolean>>
}

/** Returns the page of a collection: a table, and what changes it. */
export function showGrid (
  { rows, pages, found, facets, without }: Listing, allowed: Allowed, place: PlaceOf<'collection'>
): Html {
  const { asked, resource: { from: { collection } } } = place.spot
  const select = planSelection(asked.fields, collection, 'listed')
  const name = nameOf(place)
  const unlink = allowed.unlink ? (_item: Item, path: string) => unlinkButton(path) : undefined
  const pick = pickField(collection, select)
  const table = { caption: name, collection, select, rows, base: pathTo(place), sorts: true, pick, end: unlink }
  const main = html`${showDone(place)}${showSentence(collection, place)}
<div class="body">${showFacets(facets, place)}<section class="frame" aria-label="${name}"><div class="tools">${
    showViews(viewsOf(collection, place), place)}${showColumns(collection, select, place)}${
    showGroups(place)}${showDensities(place)}</div>
${rows.length > 0 ? showTable(table, place, newOpenings()) : showEmpty(without, collection, place)}
${pick && rows.length > 0 && pickForm(pick, allowed.many, place)}${showPages(rows.length, pages, place)}</section></div>
${allowed.link && linkForm(allowed.link, found, place)}`
  const total = pages.total !== undefined && html` <span class="total">${showNumber(Number(pages.total))}</span>`
  return showPage({
    title: name,
    heading: html`<bdi>${collection.title ?? name}</bdi>${total}`,
    about: collection.description,
    acts: allowed.create && html`${
      allowed.import && html`<a class="button" href="${pathTo(place)}?_import">Import</a> `}<a class="button primary"
 href="${pathTo(place)}?_new">New</a>`,
    main,
    formats: formatsOf(place),
    takesQuery: true,
    isSheet: true
  }, place)
}

/** Returns the formats of a collection. */
export const formatsOf = ({ hasStreams }: Place): readonly Format[] =>
  hasStreams ? ['json', 'csv', 'ndjson'] : ['json']

/** Returns the last segment of the path, which names the page. */
export const nameOf = ({ parts, title }: Place): string => parts.at(-1)?.map(String).join(',') ?? title

/** Returns the message of a write that a form has done. */
export function showDone ({ query }: Place): Html | undefined {
  const [, count, word = ''] = /^(?:(\d+) )?(\w+)$/.exec(wordOf('_done', query) ?? '') ?? []
  const one = doneMessages[word]
  const message = one && count ? `${countOf(Number(count))} ${count === '1' ? 'was' : 'were'} ${word}.` : one
  return message === undefined ? undefined : html`<p class="note good" role="status">${message}</p>`
}

/** Returns a number of items in words. */
export const countOf = (number: number): string => `${number} ${number === 1 ? 'item' : 'items'}`

const doneMessages: Readonly<Record<string, string>> = {
  created: 'The item was created.',
  saved: 'The changes were saved.',
  unchanged: 'There was nothing to change.',
  deleted: 'The item was deleted.',
  linked: 'The item was linked.',
  unlinked: 'The item was unlinked. It still exists.'
}

function showEmpty (without: readonly Without[], collection: Collection, place: Place): Html {
  if (filtersIn(place.query).length === 0) return html`<p class="empty">There are no items here.</p>`
  return html`<div class="empty"><strong>No item is all of this.</strong>${without.map(({ part, count }) => html`
<p><a href="${linkWith(withoutPart(place.query, part), place)}">Without ${
    partInWords(part, collection, place)}</a>: ${count}</p>`)}<p><a href="${pathTo(place)}">All items</a></p></div>`
}

function showGroups (place: PlaceOf<'collection'>): Html | undefined {
  const fields = filterableFields(place.spot.resource.from.collection).filter(({ hidden }) => !hidden)
  if (fields.length === 0) return undefined
  const { dictionaryPrefix } = place.syntax
  return showMenu('groups', 'Group by', html`<ul>${fields.map(field => {
    const path = pathTo(place, [dictionaryParts(field.name, dictionaryPrefix)])
    return html`<li><a href="${path}${queryOf(filtersIn(place.query))}">${titleOf(field)}</a></li>`
  })}</ul>`)
}

function showDensities (place: Place): Html {
  const others = place.query.filter(({ kind, name }) => kind !== 'own' || name === '_count' || name === '_facet')
  const links = [['Compact', ['_show=compact']], ['Standard', []], ['Roomy', ['_show=roomy']]] as const
  const current = shownAs(place) ?? 'standard'
  return showMenu('density', 'Density', html`<ul>${links.map(([name, word]) =>
    html`<li><a href="${linkWith([...others, ...word], place)}"${
      name.toLowerCase() === current && html` aria-current="true"`}>${name}</a></li>`)}</ul>`)
}

/** Returns the links to other pages, and how many items there are. */
function showPages (shown: number, { links, total }: Pages, place: Place): Html {
  const query = withoutPage(place.query).filter(({ kind }) => kind !== 'size')
  const size = encodeURIComponent(parameterOf('size', place.syntax))
  const counting = linkWith([...place.query, '_count'], place)
  const isAll = shown === 0 || (links.size === 0 && total === undefined)
  const first = isAll ? undefined : firstRow(place, links)
  const rows = first === undefined
    ? `${shown} ${shown === 1 ? 'row' : 'rows'}`
    : html`<b>${showNumber(first)}–${showNumber(first + shown - 1)}</b>`
  return html`<nav class="pages" aria-label="Pages"><span>${rows}${
    total === undefined ? links.size > 0 && ' on this page' : html` of <b>${showNumber(Number(total))}</b>`}</span>
${total === undefined && links.size > 0 && html`<a href="${counting}" rel="nofollow">Count all</a>`}
<span class="turn">${pageNames.map(([rel, name]) => showPageLink(links.get(rel), name, rel))}</span>
${links.size > 0 && html`<span class="sizes">Rows per page: ${pageSizes.map(one =>
  html`<a href="${linkWith([...query, `${size}=${one}`], place)}">${one}</a> `)}</span>`}</nav>`
}

/** Returns the number of the first row of a page in its listing; undefined where the page was named by a cursor. */
function firstRow ({ spot }: Place, links: Pages['links']): number | undefined {
  if (spot === undefined || !('from' in spot.resource)) return undefined
  const { offset, style } = planPage(spot.asked.page, spot.resource.from.collection.pages)
  return style === 'keyset' && links.has('prev') ? undefined : offset + 1
}

const showNumber = (number: number) => showShort(number, undefined, fewestGrouped - 1)

const pageSizes = [20, 100, 500]
const pageNames = [['first', '« First'], ['prev', '‹ Previous'], ['next', 'Next ›']] as const

const showPageLink = (href: string | undefined, name: string, rel: string): Fragment =>
  href !== undefined && html`<a href="${href}" rel="${rel}">${name}</a> `

/** The groups of an answer. `heading`: returns the link of a named group. */
interface GroupsShown {
  readonly asked: readonly FieldAsked[]
  readonly collection: Collection
  readonly members: readonly Member[]
  readonly pages: Pages
  readonly heading?: (name: string) => Html
}

/** Returns the page of groups: a table with a column for each value. */
export function showGroupsPage (
  { asked, collection, members, pages, heading }: GroupsShown, place: Place, formats: readonly Format[]
): Html {
  const columns = planColumns(asked, new GroupColumns(collection))
  const name = nameOf(place)
  const numberOf = (json: string, column: GroupColumn) => Number(valueIn(JSON.parse(json), column))
  const most = columns.map(column => members.length > mostBars || column.call === undefined
    ? 0
    : members.reduce((greatest, { json }) => Math.max(greatest, numberOf(json, column)), 0))
  const main = html`${showSentence(collection, place)}
${members.length === 0 && html`<p class="empty">There are no items here.</p>`}
${members.length > 0 && html`<div class="frame">${showScroll(`Table of ${name}`, html`
<table class="${shownAs(place)}"><thead><tr>${heading && html`<th scope="col">${name}</th>`}${
  columns.map(column => html`<th scope="col"${column.call !== undefined && html` class="num"`}>${
    column.field.name}</th>`)}${rest}</tr></thead>
<tbody>${each(members, ({ name, json }) => {
  const group: unknown = JSON.parse(json)
  const items = heading === undefined ? linkToGroup(group, columns, collection, place) : undefined
  return html`<tr>${heading && html`<th scope="row">${heading(name)}</th>`}${
    columns.map((column, at) =>
      showMember(group, column, most[at] ?? 0, at === 0 || column.call === 'count' ? items : undefined))}${rest}</tr>`
})}</tbody></table>`)}</div>`}
${showPages(members.length, pages, place)}`
  const acts = heading === undefined && html`<a class="button" href="${
    linkWith(filtersIn(place.query), place)}">The items themselves</a>`
  return showPage({ title: name, acts, main, formats, takesQuery: true }, place)
}

/**
 * Returns a value of a group; that of a function with its bar, where the greatest of the column is positive. `items`:
 * the link to the items of the group.
 */
function showMember (group: unknown, column: GroupColumn, most: number, items: string | undefined): Html {
  const value = valueIn(group, column)
  const isFunction = column.call !== undefined
  const text = showValue(value, isFunction ? undefined : column.of.field, { longest: longestValue })
  const shown = items === undefined ? text : html`<a class="ref" href="${items}">${text}</a>`
  const share = typeof value === 'number' ? value / most : NaN
  if (!isFunction) return html`<td class="m">${shown}</td>`
  return html`<td class="num"><div class="sum">${
    share >= 0 && share <= 1 && showBar(share)}<span>${shown}</span></div></td>`
}

// Groups that have bars.
const mostBars = 40

// In characters.
const longestValue = 200

/** Returns the page of a dictionary: one table of items, or a table for each group of items. */
export function * showDictionary (json: string, pages: Pages, place: PlaceOf<'dictionary'>): InParts<Html> {
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
  return showPage({ title: name, main, formats: ['json'], takesQuery: true }, place)

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
