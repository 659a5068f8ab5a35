import type { DataApiError } from '../errors/errors.ts'
import { isObject } from '../errors/is-object.ts'
import type { Collection } from '../model/model.ts'
import { type Item, listedForm } from '../plan/read/select.ts'
import { separableRelation } from '../plan/path/methods.ts'
import { showCount } from './cell.ts'
import { type Current, fieldsToCreate, fieldsToEdit, manyOf, textIn } from './fields.ts'
import { type Filled, showForm } from './form.ts'
import { nameOf } from './grid.ts'
import { type Html, html } from './html.ts'
import { showFacts } from './item.ts'
import { labelOf } from './label.ts'
import { baseOf } from './merge.ts'
import { showPage } from './page.ts'
import { pathTo, type PlaceOf } from './place.ts'
import { cut } from './value.ts'

/** Returns the form of an item as it is opened. */
export function formOf ({ spot: { resource: { collection } } }: PlaceOf<'item'>, current: Current | undefined): Filled {
  const fields = fieldsToEdit(collection)
  const texts = new Map(fields.map(one => [one.field.name, textIn(one, current?.item)]))
  return { fields, texts, faults: new Map(), base: baseOf(fields, current) }
}

/** Returns the page with the form of an item. */
export function showEdit (filled: Filled, current: Current | undefined, place: PlaceOf<'item'>): Html {
  const { collection } = place.spot.resource
  const label = cut(current === undefined ? nameOf(place) : labelOf(current.item, collection), 100)
  const main = showForm(filled, { method: 'PATCH', action: pathTo(place), submit: 'Save' }, place)
  return showPage({ heading: html`Edit <bdi>${label}</bdi>`, title: `Edit ${label}`, main }, place)
}

/** Returns the page with the form for a new item. */
export function showCreate (filled: Filled, place: PlaceOf<'collection'>): Html {
  const { name } = place.spot.resource.from.collection
  const main = showForm(filled, { method: 'POST', action: pathTo(place), submit: 'Create' }, place)
  return showPage({ heading: `New item of ${nameOf(place)}`, title: `New in ${name}`, main }, place)
}

/** Returns the form for a new item as it is opened. */
export function emptyForm ({ spot: { resource } }: PlaceOf<'collection'>): Filled {
  const fields = fieldsToCreate(resource)
  const texts = fields.flatMap(({ field }) => {
    const initial = field.kind === 'stored' ? field.schema.default as unknown : undefined
    const isPlain = ['string', 'number', 'boolean'].includes(typeof initial)
    return isPlain ? [[field.name, String(initial)] as const] : []
  })
  return { fields, texts: new Map(texts), faults: new Map(), base: undefined }
}

/** Returns the page that asks before an item is deleted, or taken out of its relation. */
export function showDelete (
  current: Current | undefined, error: DataApiError | undefined, place: PlaceOf<'item'>
): Html {
  const { collection } = place.spot.resource
  const label = cut(current === undefined ? nameOf(place) : labelOf(current.item, collection), 100)
  const isUnlinked = separableRelation(place.spot.resource) !== undefined
  const verb = isUnlinked ? 'Unlink' : 'Delete'
  const main = html`${error !== undefined && html`<div class="note bad" role="alert"><p>${error.message}</p></div>`}
<form class="write" method="post" action="${pathTo(place)}"><input type="hidden" name="_method" value="DELETE">
${current !== undefined && showDeleted(current.item, place)}
${current?.tag !== undefined && html`<input type="hidden" name="_tag" value="${current.tag}">`}
<p>${isUnlinked ? 'The item will no longer be linked here. It stays.' : consequence(collection)}</p>
<div class="save"><button class="stop">${verb}</button>
<a class="button" href="${pathTo(place)}">Cancel</a></div></form>`
  return showPage({ heading: html`${verb} <bdi>${label}</bdi>?`, title: `${verb} ${label}`, main }, place)
}

/** An application that deletes softly keeps the item. */
const consequence = ({ deletion }: Collection): string => deletion === undefined
  ? 'This cannot be undone.'
  : 'The application keeps the item, but no longer shows it.'

/** Returns an item that is to be deleted, and the numbers of the items that hang on it. */
function showDeleted (item: Item, place: PlaceOf<'item'>): Html {
  const { collection } = place.spot.resource
  const shown = listedForm(collection).filter(({ kind, name }) => kind !== 'list' && name in item)
  const counts = manyOf(collection).filter(({ name }) => isObject(item[name]) && item[name]['count'] !== 0)
  return html`${showFacts(shown, item, place)}
${counts.length > 0 && html`<section class="part"><h2>What hangs on it</h2><dl class="facts">${counts.map(field =>
  html`<div><dt>${field.schema.title ?? field.name}</dt><dd>${
    showCount(item[field.name], pathTo(place, [[field.name]]))}</dd></div>`)}</dl></section>`}`
}
