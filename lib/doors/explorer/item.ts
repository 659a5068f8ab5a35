import { isObject } from '../../core/errors/is-object.ts'
import type { FieldView, ShownItem, ShownMember, ShownRelation } from '../../core/api/face.ts'
import { isTags, showCount, showFunction, renderTable, showTags } from './table.ts'
import { apart, columnTitle } from './columns.ts'
import { manyOf } from './form-fields.ts'
import { type Fragment, type Html, html } from './html.ts'
import {
  cut, identifies, indented, inGroups, isCode, isImage, type JsonItem, labelOf, linkTo, none, pathBelow, showValue,
  titleOf, unitOf
} from './value.ts'
import { unlinkButton } from './search.ts'
import { showDone, showPage } from './page.ts'
import { encodePart } from '../../core/request/print.ts'
import { placeName, pathTo, type Place, type PlaceOf, rootPathTo } from './place.ts'

/** The caller's permissions for an item. */
export interface ItemAllowed extends Readonly<Record<'update' | 'delete' | 'unlink' | 'create', boolean>> {}

/** Returns the page of an item; of a sub-item that is null for `item` null. `counts`: the numbers of related items. */
export function showItemPage (
  item: JsonItem | null, allowed: ItemAllowed, counts: JsonItem, place: PlaceOf<'item'>
): Html {
  const { asked, resource: { collection } } = place.spot
  const formats = ['json'] as const
  if (item === null) {
    const main = html`<p class="empty">There is no item here: <code>null</code>.</p>`
    return showPage({ title: placeName(place), main, formats, takesQuery: true }, place)
  }
  const select = collection.shape(asked.fields, 'full')
  const label = cut(labelOf(item, collection), longest)
  const entries = apart(select).filter(({ kind }) => kind !== 'list')
  const main = html`${showDone(place)}<div class="two"><div>${inGroups(entries, groupOf).map(([group, some]) =>
    html`<section class="part">${group !== '' && html`<h2>${group}</h2>`}${showFacts(some, item, place)}</section>`)}
${select.map(shown => shown.kind === 'list' &&
  showList(shown, item[shown.name], counts[shown.name], place))}</div>${showRail(item, counts, select, place)}</div>`
  const parent = html`<a href="${collectionPath(place)}">${collection.title ?? collection.name}</a>`
  const heading = html`<bdi>${label}</bdi> <span class="total">in ${parent}</span>`
  const acts = showActions(item, allowed, place)
  return showPage({ heading, title: label, acts, main, formats, takesQuery: true }, place)
}

const groupOf = ({ field }: ShownMember): string | undefined => field.schema.group

/** Returns members of an item as terms and their values. */
export const showFacts = (entries: ShownItem, item: JsonItem, place: PlaceOf<'item'>): Html =>
  html`<dl class="facts pair">${entries.map(shown => showEntry(shown, item, place))}</dl>`

const collectionPath = (place: PlaceOf<'item'>) =>
  `${place.site.root}/${encodeURIComponent(place.spot.resource.collection.name)}`

function showActions (item: JsonItem, allowed: ItemAllowed, place: PlaceOf<'item'>): Fragment {
  if (!Object.values(allowed).includes(true)) return undefined
  const own = pathBelow('', item, place.spot.resource.collection)
  const copy = own && encodePart(`_new=${own.slice(1)}`)
  return html`${allowed.update && html`<a class="button primary" href="${pathTo(place)}?_edit">Edit</a> `}${
    allowed.create && copy && html`<a class="button" href="${collectionPath(place)}?${copy}">Duplicate</a> `}${
    allowed.delete && html`<a class="button danger" href="${pathTo(place)}?_delete">Delete</a> `}${
    allowed.unlink && unlinkButton(pathTo(place))}`
}

function showEntry (shown: ShownMember, item: JsonItem, place: PlaceOf<'item'>): Html {
  const name = html`<bdi>${columnTitle(shown)}</bdi>`
  const value = item[shown.name]
  const whole = pathTo(place, [[shown.name]])
  if (shown.kind === 'related') return html`<div><dt>${name}</dt><dd>${showFunction(shown, value, whole)}</dd></div>`
  const content = shown.kind === 'item'
    ? isObject(value) ? showNested(value, shown, place) : none
    : showFact(shown, item, place, whole, longest)
  const { description } = shown.field.schema
  const term = shown.kind === 'value' ? name : html`<a href="${whole}">${name}</a>`
  const isWide = typeof value === 'string' ? value.length > longestPair : shown.kind === 'value' && isObject(value)
  return html`<div${isWide && html` class="wide"`}><dt>${term}</dt><dd${isWide && html` class="prose"`}>${content}${
    description !== undefined && html`<p class="hint">${description}</p>`}</dd></div>`
}

/** Returns the value of a field. A number that identifies its item is not grouped. */
function showFact (
  shown: ShownMember, item: JsonItem, place: PlaceOf<'item'>, whole: string, longest: number
): Fragment {
  if (shown.kind !== 'value') return undefined
  const { field } = shown
  const value = item[shown.name]
  if (isTags(value) && value.length > 0) return showTags(value)
  const isShort = typeof value === 'object' && value !== null && JSON.stringify(value).length <= longest
  if (isShort || (typeof value === 'string' && value.length <= longest && isCode(field))) {
    return html`<pre>${typeof value === 'string' ? value : indented(JSON.stringify(value))}</pre>`
  }
  const isKey = identifies(field, place.spot.resource.collection)
  const text = showValue(value, field, { longest, whole, ...isKey && { grouped: Infinity } })
  if (typeof value === 'string' && isImage(value, field, place)) {
    return html`<img class="picture" src="${value}" alt="" loading="lazy" width="132" height="132">${text}`
  }
  const unit = typeof value === 'number' || typeof value === 'string' ? unitOf(field, field.values) : ''
  return unit === '' ? text : html`${text} <small>${unit}</small>`
}

/** Returns a nested item: its name as a link, and its other values where the request names them. */
function showNested (item: JsonItem, shown: ShownRelation, place: PlaceOf<'item'>): Html {
  const { target } = shown.field
  const label = labelOf(item, target)
  const others = place.spot.asked.fields === undefined
    ? []
    : shown.select.filter(({ kind, name }) => kind === 'value' && String(item[name]) !== label)
  return html`${linkTo(item, target, place)}<span class="soft">${others.map(one => html` <span class="aside">${
    titleOf(one.field)} ${
    showFact(one, item, place, pathTo(place, [[shown.name], [one.name]]), shortest)}</span>`)}</span>`
}

function showList (shown: ShownRelation, value: unknown, counted: unknown, place: Place): Html {
  const base = pathTo(place, [[shown.name]])
  const elements = Array.isArray(value) ? value.filter(isObject) : []
  const number = isObject(counted) && typeof counted['count'] === 'number' ? counted['count'] : elements.length
  const rows = elements.slice(0, mostRows).map(element => ({ json: JSON.stringify(element), item: element }))
  const table = { caption: shown.name, collection: shown.field.target, select: shown.select, rows, base, sorts: false }
  return html`<section class="part"><h2><a href="${base}"><bdi>${titleOf(shown.field)}</bdi></a> <span class="n">${
    number > rows.length && `${rows.length} of `}${number}</span></h2>
<div class="frame">${rows.length > 0 ? renderTable(table, place) : html`<p class="empty">None.</p>`}</div>${
    number > rows.length && html`<p><a href="${base}">All of ${shown.name}</a></p>`}</section>`
}

/** Returns what stands around an item: the numbers of related items, fields that are not shown, and its addresses. */
function showRail (item: JsonItem, counts: JsonItem, select: ShownItem, place: PlaceOf<'item'>): Html {
  const { collection } = place.spot.resource
  const isOther = (field: FieldView) => field.readable && !select.some(({ name }) => name === field.name)
  const others = collection.fields.filter(field => isOther(field) && !(field.name in counts))
  const link = (field: FieldView) =>
    html`<a href="${pathTo(place, [[field.name]])}"><bdi>${titleOf(field)}</bdi></a>`
  const linked = manyOf(collection).filter(({ name }) => name in counts && !select.some(shown => shown.name === name))
  const here = pathTo(place)
  const paths = collection.addressesOf(item).map(segments => rootPathTo(place, [[collection.name], ...segments]))
  const addresses = [...new Set(paths)].filter(path => path !== here)
  return html`<aside class="rail" aria-label="Around this item">${[
    ['What links here', linked.map(field => html`${link(field)}${showCount(counts[field.name], undefined)}`)],
    ['More', others.map(link)],
    ['Also found at', addresses.map(path => html`<a href="${path}"><bdi>${path}</bdi></a>`)]
  ].map(([name, list]) => list !== undefined && list.length > 0 && html`<section><h2>${name}</h2><ul>${
    [list].flat().map(one => html`<li>${one}</li>`)}</ul></section>`)}</aside>`
}

// In characters.
const longest = 600
const shortest = 40
const longestPair = 60
// Elements of a sub-collection on the page of its item.
const mostRows = 10
