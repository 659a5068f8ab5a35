import { type DataApiError, methodNotAllowed } from '../errors.ts'
import type { Collection } from '../model/model.ts'
import { methodsOf } from '../openapi/describing.ts'
import { separableRelation } from '../plan/links.ts'
import { allowedMethods, type WriteMethod } from '../plan/methods.ts'
import type { Resource } from '../plan/walk.ts'
import type { Item } from '../plan/to-item.ts'
import { parameterOf } from '../request/syntax.ts'
import { isItem } from './cell.ts'
import { type FormField, fieldsToCreate, fieldsToEdit, textIn } from './fields.ts'
import { type Filled, showForm } from './form.ts'
import { type Fragment, type Html, html } from './html.ts'
import { labelOf } from './label.ts'
import { nameOf } from './grid.ts'
import { showPage } from './page.ts'
import { pathTo, type Place, type PlaceOf, type Spot } from './place.ts'
import { encodePart } from './rewrite.ts'
import { cut, showValue } from './value.ts'
import type { Visit } from './visit.ts'

export type ItemPlace = PlaceOf<'item'>
export type ListPlace = PlaceOf<'collection'>

/** Returns the methods that the caller may use on the resource. */
export function methodsAt ({ resource, permissions }: Spot): readonly string[] {
  if (resource.kind === 'directory') return []
  return methodsOf(resource, { permissions, collection: collectionOf(resource) })
}

const collectionOf = (resource: Exclude<Resource, { kind: 'directory' }>): Collection =>
  'from' in resource ? resource.from.collection : resource.collection

/** Throws the denial of a method, or method_not_allowed, for a caller who may not use it here. */
export function checkMethod (method: WriteMethod, spot: Spot): void {
  if (methodsAt(spot).includes(method)) return
  throw spot.permissions.denial(method, spot.resource) ??
    methodNotAllowed(method, allowedMethods(spot.resource).join(', '))
}

/** Returns the method of updates: a form changes what it names, by PATCH or PUT alike. */
export const updateMethod = (spot: Spot): 'PATCH' | 'PUT' => methodsAt(spot).includes('PATCH') ? 'PATCH' : 'PUT'

/** Returns the page with the form for a new item. */
export function showCreate (filled: Filled, place: ListPlace): Html {
  const { name } = place.spot.resource.from.collection
  const main = showForm(filled, { method: 'POST', action: pathTo(place), submit: 'Create' }, place)
  return showPage({ heading: `New item of ${nameOf(place)}`, title: `New in ${name}`, main }, place)
}

/** Returns the form for a new item as it is opened. */
export function emptyForm ({ spot: { resource } }: ListPlace): Filled {
  const fields = fieldsToCreate(resource)
  const texts = fields.flatMap(({ field }) => {
    const initial = field.kind === 'stored' ? field.schema.default as unknown : undefined
    const isPlain = ['string', 'number', 'boolean'].includes(typeof initial)
    return isPlain ? [[field.name, String(initial)] as const] : []
  })
  return { fields, texts: new Map(texts), faults: new Map(), tag: undefined }
}

/** An item as it is, for a form, and its tag. */
export interface Current { readonly item: Item, readonly tag: string | undefined }

/** Reads the members of an item that its form has; undefined for a caller who may write it but not read it. */
export async function readCurrent (visit: Visit, { spot }: ItemPlace): Promise<Current | undefined> {
  const { collection } = spot.resource
  if (spot.permissions.denial('GET', spot.resource) !== undefined) return undefined
  const fields = fieldsToEdit(collection).map(({ field }) => field)
  const named = [...fields, ...collection.stored.filter(field => field.identifier || collection.key.includes(field))]
  const readable = named.filter(field => field.readable)
  const names = [...new Set(readable.map(({ name }) => name))].join([...visit.place.syntax.fields][0] ?? ',')
  const url = names === '' ? '' : `?${encodePart(`${parameterOf('fields', visit.place.syntax)}=${names}`)}`
  const answered = await visit.ask({ url: visit.ownPath + url })
  const item: unknown = typeof answered.body === 'string' ? JSON.parse(answered.body) : null
  return isItem(item) ? { item, tag: answered.etag } : undefined
}

/** Returns the form of an item as it is opened. */
export function formOf ({ spot: { resource: { collection } } }: ItemPlace, current: Current | undefined): Filled {
  const fields = fieldsToEdit(collection)
  const texts = new Map(fields.map(one => [one.field.name, textIn(one, current?.item)]))
  return { fields, texts, faults: new Map(), tag: current?.tag }
}

/** Returns the page with the form of an item. `conflict`: the item as another has changed it in the meantime. */
export function showEdit (filled: Filled, current: Current | undefined, isConflict: boolean, place: ItemPlace): Html {
  const label = current === undefined ? nameOf(place) : labelOf(current.item, place.spot.resource.collection)
  const main = html`${isConflict && current && showConflict(filled, current, place)}
${showForm(filled, { method: 'PATCH', action: pathTo(place), submit: isConflict ? 'Save over it' : 'Save' }, place)}`
  return showPage({ heading: html`Edit <bdi>${label}</bdi>`, title: `Edit ${label}`, main }, place)
}

function showConflict ({ fields, texts }: Filled, { item }: Current, place: Place): Html {
  const differing = fields.filter(one => one.field.readable && textIn(one, item) !== (texts.get(one.field.name) ?? ''))
  return html`<div class="failure" role="alert"><p>Somebody has changed this item since you opened the form.</p></div>
<div class="scroll" role="region" aria-label="Both states" tabindex="0"><table class="conflict"><thead><tr>
<th scope="col">Field</th><th scope="col">In your form</th><th scope="col">Now</th></tr></thead>
<tbody>${differing.map(one => showDifference(one, texts, item))}</tbody></table></div>
<p>Saving stores what your form has. <a href="${pathTo(place)}?_edit">Begin anew with what is stored now</a></p>`
}

function showDifference (one: FormField, texts: ReadonlyMap<string, string>, item: Item): Html {
  const show = (text: string): Fragment => showValue(text, 200)
  return html`<tr><th scope="row">${one.field.name}</th><td>${show(texts.get(one.field.name) ?? '')}</td>
<td>${show(textIn(one, item))}</td></tr>`
}

/** Returns the page that asks before an item is deleted, or taken out of its relation. */
export function showDelete (current: Current | undefined, error: DataApiError | undefined, place: ItemPlace): Html {
  const { collection } = place.spot.resource
  const label = cut(current === undefined ? nameOf(place) : labelOf(current.item, collection), 100)
  const isUnlinked = separableRelation(place.spot.resource) !== undefined
  const verb = isUnlinked ? 'Unlink' : 'Delete'
  const main = html`${error !== undefined && html`<div class="failure" role="alert"><p>${error.message}</p></div>`}
<form class="write" method="post" action="${pathTo(place)}"><input type="hidden" name="_method" value="DELETE">
${current?.tag !== undefined && html`<input type="hidden" name="_tag" value="${current.tag}">`}
<p>${isUnlinked ? 'The item will no longer be linked here. It stays.' : 'This cannot be undone.'}</p>
<p class="actions"><button class="danger">${verb}</button>
<a class="button" href="${pathTo(place)}">Cancel</a></p></form>`
  return showPage({ heading: html`${verb} <bdi>${label}</bdi>?`, title: `${verb} ${label}`, main }, place)
}
