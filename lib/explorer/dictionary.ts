import { planSelection } from '../plan/read/select.ts'
import type { InParts } from '../response/in-parts.ts'
import { showFilters } from './filters.ts'
import { nameOf, type Pages, showPages } from './grid.ts'
import { each, type Html, html } from './html.ts'
import { longestInPath } from './label.ts'
import { type Member, membersOf } from './members.ts'
import { showPage } from './page.ts'
import { pathTo, type Place, type PlaceOf } from './place.ts'
import { showTable } from './table.ts'
import { cut } from './value.ts'

/** Returns the page of a dictionary: one table of items, or a table for each group of items. */
export function * showDictionary (json: string, pages: Pages, place: PlaceOf<'dictionary'>): InParts<Html> {
  const members = yield * membersOf(json, '{')
  const { request, resource: { from: { collection } } } = place.spot
  const select = planSelection(request.query.fields, collection, 'listed')
  const base = pathTo({ ...place, parts: place.parts.slice(0, -1) })
  const name = nameOf(place)
  const isGrouped = members[0]?.json.startsWith('[') === true
  const showItems = (caption: string, items: readonly Member[]): Html =>
    showTable({ caption, collection, select, items, base, sorts: !isGrouped }, place)
  const main = html`<div class="tools">${showFilters(collection, place)}</div>
${members.length === 0 && html`<p class="empty">There are no items here.</p>`}
${isGrouped ? each(members, showGroup) : members.length > 0 && showItems(name, members)}
${showPages(members.length, pages, place)}`
  return showPage({ heading: html`<bdi>${name}</bdi>`, title: name, main, formats: ['json'], takesQuery: true }, place)

  function * showGroup ({ name, json }: Member): InParts<Html> {
    const items = yield * membersOf(json, '[')
    return html`<section><h2>${showGroupName(name, place)} <small>${items.length}</small></h2>
${showItems(cut(name, longestName), items)}</section>`
  }
}

function showGroupName (name: string, place: Place): Html {
  const label = html`<bdi>${name === '' ? 'empty' : cut(name, longestName)}</bdi>`
  return name.length > longestInPath ? label : html`<a href="${pathTo(place, [[name]])}">${label}</a>`
}

// In characters.
const longestName = 200
