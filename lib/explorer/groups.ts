import { isObject } from '../errors/is-object.ts'
import type { Collection } from '../model/model.ts'
import type { GroupColumn } from '../plan/plan.ts'
import { GroupColumns, memberPath, planColumns } from '../plan/read/group-columns.ts'
import type { FieldAsked } from '../request/request.ts'
import { showBar } from './facets.ts'
import { nameOf, type Pages, showPages } from './grid.ts'
import { each, type Html, html } from './html.ts'
import type { Member } from './members.ts'
import { type Format, showPage } from './page.ts'
import type { Place } from './place.ts'
import { shownAs } from './rewrite.ts'
import { showSentence } from './sentence.ts'
import { rest } from './table.ts'
import { showValue } from './value.ts'

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
${members.length > 0 && html`<div class="frame"><div class="scroll" role="region" aria-label="Table of ${name}"
 tabindex="0"><table class="${shownAs(place)}"><thead><tr>${heading && html`<th scope="col">${name}</th>`}${
  columns.map(column => html`<th scope="col"${column.call !== undefined && html` class="num"`}>${
    column.field.name}</th>`)}${rest}</tr></thead>
<tbody>${each(members, ({ name, json }) => html`<tr>${heading && html`<th scope="row">${heading(name)}</th>`}${
  showMembers(JSON.parse(json), columns, most)}${rest}</tr>`)}</tbody></table></div></div>`}
${showPages(members.length, pages, place)}`
  return showPage({ heading: html`<bdi>${name}</bdi>`, title: name, main, formats, takesQuery: true }, place)
}

const showMembers = (group: unknown, columns: readonly GroupColumn[], most: readonly number[]) =>
  columns.map((column, at) => showMember(group, column, most[at] ?? 0))

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
