import { planSelection } from '../plan/select.ts'
import { isObject } from '../is-object.ts'
import { showFilters } from './filters.ts'
import { nameOf, type Pages, showPages } from './grid.ts'
import { type Fragment, type Html, html } from './html.ts'
import { showPage } from './page.ts'
import { pathTo, type PlaceOf } from './place.ts'
import { showTable } from './table.ts'

type Members = ReadonlyArray<readonly [name: string, value: unknown]>

/** Returns the page of a dictionary: one table of items, or a table for each group of items. */
export function showDictionary (members: Members, pages: Pages, place: PlaceOf<'dictionary'>): Html {
  const { request, resource: { from: { collection } } } = place.spot
  const select = planSelection(request.query.fields, collection, 'listed')
  const base = pathTo({ ...place, parts: place.parts.slice(0, -1) })
  const name = nameOf(place)
  const isGrouped = members.some(([, value]) => Array.isArray(value))
  const showItems = (caption: string, items: readonly unknown[]): Fragment =>
    showTable({ caption, collection, select, items: items.filter(isObject), base, sorts: !isGrouped }, place)
  const main = html`<div class="tools">${showFilters(collection, place)}</div>
${members.length === 0 && html`<p class="empty">There are no items here.</p>`}
${isGrouped
  ? members.map(([value, items]) => html`<section><h2><a href="${pathTo(place, [[value]])}"><bdi>${
    value === '' ? 'empty' : value}</bdi></a> <small>${Array.isArray(items) && items.length}</small></h2>
${showItems(value, Array.isArray(items) ? items : [])}</section>`)
  : members.length > 0 && showItems(name, members.map(([, item]) => item))}
${showPages(members.length, pages, place)}`
  return showPage({ heading: html`<bdi>${name}</bdi>`, title: name, main, formats: ['json'], takesQuery: true }, place)
}
