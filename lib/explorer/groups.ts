import { isObject } from '../errors/is-object.ts'
import type { Collection } from '../model/model.ts'
import type { GroupColumn } from '../plan/plan.ts'
import { GroupColumns, memberPath, planColumns } from '../plan/read/group-columns.ts'
import type { FieldAsked } from '../request/request.ts'
import { nameOf, type Pages, showPages } from './grid.ts'
import { each, type Fragment, type Html, html } from './html.ts'
import type { Member } from './members.ts'
import { type Format, showPage } from './page.ts'
import type { Place } from './place.ts'
import { shownAs } from './rewrite.ts'
import { showSentence } from './sentence.ts'
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
  const main = html`${showSentence(collection, place)}
${members.length === 0 && html`<p class="empty">There are no items here.</p>`}
${members.length > 0 && html`<div class="frame"><div class="scroll" role="region" aria-label="Table of ${name}"
 tabindex="0"><table class="${shownAs(place)}"><thead><tr>${heading && html`<th scope="col">${name}</th>`}${
  columns.map(column => html`<th scope="col">${column.field.name}</th>`)}</tr></thead>
<tbody>${each(members, ({ name, json }) => html`<tr>${heading && html`<th scope="row">${heading(name)}</th>`}${
  columns.map(column => html`<td>${showMember(JSON.parse(json), column)}</td>`)}</tr>`)}</tbody></table></div></div>`}
${showPages(members.length, pages, place)}`
  return showPage({ heading: html`<bdi>${name}</bdi>`, title: name, main, formats, takesQuery: true }, place)
}

function showMember (group: unknown, column: GroupColumn): Fragment {
  const value = memberPath(column).reduce((at, name) => isObject(at) ? at[name] : null, group)
  return showValue(value, column.call === undefined ? column.of.field : undefined, { longest: longestValue })
}

// In characters.
const longestValue = 200
