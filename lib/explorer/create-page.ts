import { fieldsToCreate } from './fields.ts'
import { type Filled, showForm } from './form.ts'
import { nameOf } from './grid.ts'
import type { Html } from './html.ts'
import { showPage } from './page.ts'
import { pathTo, type PlaceOf } from './place.ts'

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
