import type { DataApiError } from '../../core/errors/errors.ts'
import { filterRequired, tooManyAffected } from '../../core/errors/by-filter.ts'
import { isObject } from '../../core/errors/is-object.ts'
import { fieldsToEdit, type FormField, namesInForm } from './form-fields.ts'
import { consequence, showRefusal } from './form-pages.ts'
import { type Filled, noTexts, showFaults, fieldInput, showKey } from './form.ts'
import { type Fragment, type Html, html } from './html.ts'
import { cut, type JsonItem, labelOf, linkTo, none, showValue, titleOf } from './value.ts'
import { countOf, showPage, showRows } from './page.ts'
import { asking, filtersIn, linkWith, placeName, type PlaceOf } from './place.ts'
import { renderTable } from './table.ts'
import type { Visit } from './visit.ts'

/** Reads the items that a form writes: all that the filters of its URL find, with the fields of the form. */
export async function readMany (
  method: 'PATCH' | 'DELETE', { spot: { resource } }: PlaceOf<'collection'>, visit: Visit
): Promise<readonly JsonItem[]> {
  const filters = filtersIn(visit.place.query)
  if (filters.length === 0 && resource.isWhole) throw filterRequired(method)
  const fields = method === 'PATCH' && { fields: namesInForm(resource.collection) }
  const { items, more } = await visit.read(
    visit.ownPath + asking(filters, { ...fields, size: most }, visit.place.syntax))
  if (more) throw tooManyAffected(items.length)
  return items
}

// Items of a form. Those of a page are not more, where the application sets no other limit.
const most = 1000

/** Returns the form for many items as it is opened: empty. */
export const formOfMany = ({ spot: { resource: { collection } } }: PlaceOf<'collection'>): Filled =>
  ({ ...noTexts, fields: fieldsToEdit(collection) })

/** Returns the page that changes many items: what each field becomes, if its box is checked, and what they have now. */
export function showEditMany (filled: Filled, items: readonly JsonItem[], place: PlaceOf<'collection'>): Html {
  const { fields, texts } = filled
  const isChecked = ({ field: { name } }: FormField) => texts.has(`_set.${name}`) || (texts.get(name) ?? '') !== ''
  const row = (one: FormField) => html`<tr><th scope="row"><label class="check"><input type="checkbox" name="_set.${
    one.field.name}"${isChecked(one) && html` checked`}><bdi>${titleOf(one.field)}</bdi></label></th>
<td data-l="To">${fieldInput(one, filled, 'many', place)}</td>
<td data-l="Now"><div>${showNow(one, items, place)}</div></td></tr>`
  const about = html`${namesOf(items, place)}. Only what is checked here is changed, in all of them or in none.`
  const main = html`${showFaults(filled)}<form class="write many" method="post"
 action="${linkWith(place.query, place)}"><input type="hidden" name="_method" value="PATCH">${
    showKey(place)}${showNumber(items)}<button hidden></button>
${showRows('Fields', ['Change', 'To', 'Now'], fields.map(row), 'merge')}
<div class="save"><button class="primary">Change ${countOf(items.length)}</button>
<a class="button" href="${linkWith(place.query, place)}">Cancel</a></div></form>`
  return showPage({ title: `Edit ${countOf(items.length)} of ${placeName(place)}`, about, main }, place)
}

/** Returns the page that asks before many items are deleted, or taken out of their relation. */
export function showDeleteMany (
  items: readonly JsonItem[], error: DataApiError | undefined, place: PlaceOf<'collection'>
): Html {
  const { collection, unlinks: isUnlinked } = place.spot.resource
  const verb = isUnlinked ? 'Unlink' : 'Delete'
  const table = {
    caption: placeName(place),
    collection,
    select: collection.shape(undefined, 'listed'),
    rows: items.map(item => ({ json: '', item })),
    base: linkWith([], place),
    sorts: false
  }
  const main = html`${showRefusal(error)}<form class="stack" method="post" action="${linkWith(place.query, place)}">
<input type="hidden" name="_method" value="DELETE">${showKey(place)}${showNumber(items)}
<div class="frame">${renderTable(table, place)}</div>
<p>${isUnlinked ? 'The items will no longer be linked here. They stay.' : consequence(collection)}</p>
<div class="save"><button class="stop">${verb} ${countOf(items.length)}</button>
<a class="button" href="${linkWith(place.query, place)}">Keep them</a></div></form>`
  const title = `${verb} ${countOf(items.length)} of ${placeName(place)}?`
  return showPage({ title, about: 'All of them or none.', main }, place)
}

/** No more items are written than the page has shown. */
const showNumber = (items: readonly JsonItem[]) => html`<input type="hidden" name="_count" value="${items.length}">`

function namesOf (items: readonly JsonItem[], { spot: { resource: { collection } } }: PlaceOf<'collection'>) {
  const names = items.slice(0, mostNames).map(item => cut(labelOf(item, collection), longestName))
  const rest = items.length - names.length
  return `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

const mostNames = 10
// In characters.
const longestName = 60

/** Returns the values that items have in a field, if they are few. */
function showNow ({ field }: FormField, items: readonly JsonItem[], place: PlaceOf<'collection'>): Fragment {
  if (field.kind === 'input' || !field.readable) return undefined
  const counts = new Map<string, number>()
  for (const item of items) {
    const json = JSON.stringify(item[field.name] ?? null)
    counts.set(json, (counts.get(json) ?? 0) + 1)
  }
  const isEach = counts.size > 2 && counts.size === items.length
  if (isEach || counts.size > mostStates) return html`<span class="soft">${counts.size} different</span>`
  return [...counts].map(([json, count], at) => {
    const value: unknown = JSON.parse(json)
    const shown = 'target' in field
      ? isObject(value) ? linkTo(value, field.target, place) : none
      : showValue(value, field, { longest: longestName })
    return html`${at > 0 && ', '}${shown} <span class="soft">in ${count}</span>`
  })
}

const mostStates = 3
