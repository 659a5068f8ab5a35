import { isObject } from '../errors/is-object.ts'
import type { Field, SubCollectionField } from '../model/model.ts'
import type { Selection, Shown } from '../plan/plan.ts'
import { type Item, planSelection } from '../plan/read/select.ts'
import { cut, labelOf, linkTo, showMember, showValue } from './value.ts'
import { nameOf, showDone } from './grid.ts'
import { type Fragment, type Html, html } from './html.ts'
import { itemOffers } from './offers.ts'
import { showPage } from './page.ts'
import { pathTo, type Place, type PlaceOf } from './place.ts'
import { type Found, showFound } from './search.ts'
import { showTable } from './table.ts'

/** The caller's permissions for an item. */
export interface ItemAllowed { readonly update: boolean, readonly delete: boolean, readonly unlink: boolean }

/** Returns the page of an item; of a sub-item that is null for `item` null. */
export function showItemPage (item: Item | null, allowed: ItemAllowed, place: PlaceOf<'item'>): Html {
  const { asked, resource: { collection } } = place.spot
  const formats = ['json'] as const
  if (item === null) {
    const main = html`<p class="empty">There is no item here: <code>null</code>.</p>`
    return showPage({ heading: nameOf(place), title: nameOf(place), main, formats, takesQuery: true }, place)
  }
  const select = planSelection(asked.fields, collection, 'full')
  const label = cut(labelOf(item, collection), longest)
  const main = html`${showDone(place)}${showActions(allowed, place)}
<dl class="item">${select.filter(({ kind }) => kind !== 'list').map(shown => showEntry(shown, item, place))}</dl>
${showLists(select, item, place)}${showOthers(select, place)}`
  const parent = html`<a href="${collectionPath(place)}">${collection.name}</a>`
  const heading = html`<bdi>${label}</bdi> <span class="kind">in ${parent}</span>`
  return showPage({ heading, title: label, main, formats, takesQuery: true }, place)
}

const collectionPath = (place: PlaceOf<'item'>) =>
  `${place.site.root}/${encodeURIComponent(place.spot.resource.collection.name)}`

function showActions (allowed: ItemAllowed, place: Place): Fragment {
  if (!allowed.update && !allowed.delete && !allowed.unlink) return undefined
  return html`<p class="actions">${allowed.update && html`<a class="button" href="${pathTo(place)}?_edit">Edit</a> `}${
    allowed.delete && html`<a class="button danger" href="${pathTo(place)}?_delete">Delete</a> `}${
    allowed.unlink && unlinkButton(pathTo(place))}</p>`
}

function showEntry (shown: Shown, item: Item, place: Place): Html {
  const name = html`<bdi>${shown.name}</bdi>`
  const value = item[shown.name]
  const content = shown.kind === 'item' && isObject(value)
    ? showNested(value, shown, place)
    : showMember(shown, item, pathTo(place), place, longest)
  const { description } = shown.field.schema
  const term = shown.kind === 'value' ? name : html`<a href="${pathTo(place, [[shown.name]])}">${name}</a>`
  return html`<div><dt>${term}</dt>
<dd>${content}${description !== undefined && html`<p class="hint">${description}</p>`}</dd></div>`
}

/** Returns a nested item: its name as a link, and its other values. */
function showNested (item: Item, shown: Extract<Shown, { kind: 'item' }>, place: Place): Html {
  const label = labelOf(item, shown.field.target)
  const others = shown.select.filter(({ kind, name }) => kind === 'value' && String(item[name]) !== label)
  return html`${linkTo(item, shown.field.target, place)}<span class="aside">${others.map(({ name }) =>
    html` <span>${name} ${showValue(item[name], shortest, pathTo(place, [[shown.name], [name]]))}</span>`)}</span>`
}

function showLists (select: Selection, item: Item, place: Place): Fragment {
  return select.map(shown => {
    if (shown.kind !== 'list') return undefined
    const base = pathTo(place, [[shown.name]])
    const value = item[shown.name]
    const elements = Array.isArray(value) ? value.filter(isObject) : []
    const items = elements.slice(0, mostRows).map(element => ({ name: '', json: JSON.stringify(element) }))
    const { target } = shown.field
    const table = { caption: shown.name, collection: target, select: shown.listing.select, items, base, sorts: false }
    return html`<section><h2><a href="${base}"><bdi>${shown.name}</bdi></a></h2>
${items.length > 0 ? showTable(table, place) : html`<p class="empty">None.</p>`}
${elements.length > items.length && html`<p><a href="${base}">All of ${shown.name}</a></p>`}</section>`
  })
}

/** Returns links to the fields that an item has, and does not show unless they are asked for. */
function showOthers (select: Selection, place: PlaceOf<'item'>): Fragment {
  const { fields } = place.spot.resource.collection
  const isOther = (field: Field) => field.readable && !select.some(({ name }) => name === field.name)
  const others = [...fields.values()].filter(isOther)
  if (others.length === 0) return undefined
  return html`<section class="others"><h2>More</h2><ul>${others.map(({ name }) =>
    html`<li><a href="${pathTo(place, [[name]])}"><bdi>${name}</bdi></a></li>`)}</ul></section>`
}

// In characters.
const longest = 600
const shortest = 40
// Elements of a sub-collection on the page of its item.
const mostRows = 10

/** Returns a form that links an item that exists, which is named by any of its identifiers. `found`: of a search. */
export function linkForm ({ target }: SubCollectionField, found: Found | undefined, place: Place): Html {
  const offers = itemOffers(target, place)
  return html`<form class="link" method="post" action="${pathTo(place)}"><label>Link an item of ${target.name}
<input name="_link" value="${found?.text}" required autocomplete="off" placeholder="its identifier"${offers}></label>
<button>Link</button>
${offers && html`<button name="_search" formmethod="get" formnovalidate>Search</button>`}</form>
${found && showFound(found, ({ identifier, label }) => html`<form method="post" action="${pathTo(place)}">
<button name="_link" value="${identifier}">Link <bdi>${label}</bdi></button></form>`)}`
}

/** Returns a button that takes an item out of the relation by which `path` leads to it. */
export function unlinkButton (path: string): Html {
  return html`<form method="post" action="${path}"><button name="_method" value="DELETE">Unlink</button></form>`
}
