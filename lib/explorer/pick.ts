import type { Collection, StoredField } from '../model/model.ts'
import { filterableFields } from '../openapi/filters.ts'
import type { Selection } from '../plan/plan.ts'
import type { Item } from '../plan/read/to-item.ts'
import { type Html, html } from './html.ts'
import { labelOf, longestInPath } from './label.ts'
import { pathTo, type Place } from './place.ts'
import { cut } from './value.ts'
import { ownQuery } from './words.ts'

/** Returns the field by whose values rows can be selected: an identifier that they show. Undefined if there is none. */
export function pickField (collection: Collection, select: Selection): StoredField | undefined {
  const filterable = filterableFields(collection)
  const [only, ...others] = collection.key
  const key = others.length === 0 && only !== undefined ? [only] : []
  const identifiers = [...key, ...collection.stored.filter(({ identifier }) => identifier)]
  return identifiers.find(field => filterable.includes(field) && select.some(shown => shown.name === field.name))
}

/** Returns the box that selects a row. */
export function pickBox (item: Item, field: StoredField, collection: Collection): Html {
  const value = item[field.name] ?? null
  const isShort = value !== null && String(value).length <= longestInPath
  return html`<td class="pick">${isShort && html`<input type="checkbox" form="rows" name="_row" value="${
    String(value)}" aria-label="Select ${cut(labelOf(item, collection), 60)}">`}</td>`
}

/** Returns the form of the rows that are selected; it leads to the URL of the API that lists them, and no others. */
export function pickForm (field: StoredField, place: Place): Html {
  const kept = place.query.filter(({ kind }) => kind === 'sort' || kind === 'fields' || kind === 'size')
  return html`<form id="rows" class="picked" method="get" action="${pathTo(place)}">
<output role="status"></output><input type="hidden" name="_query" value="${ownQuery(kept)}">
<input type="hidden" name="_field" value="${field.name}"><button>Show these rows</button>
<button name="_as" value="json">JSON</button><button name="_as" value="csv">CSV</button></form>`
}
