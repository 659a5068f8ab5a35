import type { Item } from '../plan/to-item.ts'
import type { Current } from './current.ts'
import { fieldsToEdit, type FormField, textIn } from './fields.ts'
import { type Filled, showForm } from './form.ts'
import { nameOf } from './grid.ts'
import { type Fragment, type Html, html } from './html.ts'
import { labelOf } from './label.ts'
import { showPage } from './page.ts'
import { pathTo, type Place, type PlaceOf } from './place.ts'
import { showValue } from './value.ts'

/** Returns the form of an item as it is opened. */
export function formOf ({ spot: { resource: { collection } } }: PlaceOf<'item'>, current: Current | undefined): Filled {
  const fields = fieldsToEdit(collection)
  const texts = new Map(fields.map(one => [one.field.name, textIn(one, current?.item)]))
  return { fields, texts, faults: new Map(), tag: current?.tag }
}

/** Returns the page with the form of an item. `conflict`: the item as another has changed it in the meantime. */
export function showEdit (
  filled: Filled, current: Current | undefined, isConflict: boolean, place: PlaceOf<'item'>
): Html {
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
