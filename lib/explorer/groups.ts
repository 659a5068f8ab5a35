import type { InParts } from '../response/answer.ts'
import { GroupColumns, makesGroups, memberPath, planColumns } from '../plan/read/group-columns.ts'
import { planSelection } from '../plan/read/select.ts'
import { isObject } from '../errors/is-object.ts'
import type { Collection } from '../model/model.ts'
import type { GroupColumn } from '../plan/plan.ts'
import type { FieldAsked } from '../request/request.ts'
import { newOpenings, rest, type Row, rowsOf, showTable } from './table.ts'
import { longestInPath } from './label.ts'
import { showBar } from './facets.ts'
import { nameOf, type Pages, showPages } from './grid.ts'
import { each, type Html, html } from './html.ts'
import { type Member, membersOf } from './members.ts'
import { type Format, showPage, showScroll } from './page.ts'
import { pathTo, type Place, type PlaceOf } from './place.ts'
import { shownAs } from './rewrite.ts'
import { showSentence } from './sentence.ts'
import { cut, showValue } from './value.ts'

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
  const numberOf = (json: string, column: GroupColumn) => Number(valueOf(JSON.parse(json), column))
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
  return html`<tr>${heading && html`<th scope="row">${heading(name)}</th>`}${
    columns.map((column, at) => showMember(group, column, most[at] ?? 0))}${rest}</tr>`
})}</tbody></table>`)}</div>`}
${showPages(members.length, pages, place)}`
  return showPage({ title: name, main, formats, takesQuery: true }, place)
}

/** Returns a value of a group; that of a function with its bar, where the greatest of the column is positive. */
function showMember (group: unknown, column: GroupColumn, most: number): Html {
  const value = valueOf(group, column)
  const isFunction = column.call !== undefined
  const shown = showValue(value, isFunction ? undefined : column.of.field, { longest: longestValue })
  const share = typeof value === 'number' ? value / most : NaN
  if (!isFunction) return html`<td class="m">${shown}</td>`
  return html`<td class="num"><div class="sum">${
    share >= 0 && share <= 1 && showBar(share)}<span>${shown}</span></div></td>`
}

const valueOf = (group: unknown, column: GroupColumn): unknown =>
  memberPath(column).reduce((at, name) => isObject(at) ? at[name] : null, group)

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
