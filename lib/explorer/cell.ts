import type { Collection } from '../model/model.ts'
import { isObject } from '../errors/is-object.ts'
import type { Item } from '../plan/read/to-item.ts'
import type { Shown } from '../plan/plan.ts'
import { type Fragment, html } from './html.ts'
import { labelOf, segmentsTo } from './label.ts'
import { type Place, rootPathTo } from './place.ts'
import { cut, showValue } from './value.ts'

/**
 * Returns a member of an item: a value, or items of another collection as links. `path` is that of the item that has
 * it; undefined if no URL of it is known.
 */
export function showMember (
  shown: Shown, item: Item, path: string | undefined, place: Place, longest: number
): Fragment {
  const value = item[shown.name]
  switch (shown.kind) {
    case 'value': return showValue(value, longest, path && `${path}/${encodeURIComponent(shown.name)}`)
    case 'item': {
      return isObject(value) ? linkTo(value, shown.field.target, place) : html`<span class="none">null</span>`
    }
    case 'list': {
      const elements = Array.isArray(value) ? value.filter(isObject) : []
      return showElements(elements, shown, path, place)
    }
  }
}

// Items of a listing that are shown by name; the others are behind a link.
const mostShown = 3

function showElements (
  elements: readonly Item[], { field }: Extract<Shown, { kind: 'list' }>, path: string | undefined, place: Place
): Fragment {
  if (elements.length === 0) return html`<span class="none">none</span>`
  const links = elements.slice(0, mostShown).map((element, index) =>
    html`${index > 0 && ', '}${linkTo(element, field.target, place)}`)
  if (elements.length <= mostShown) return links
  const rest = `${elements.length - mostShown} more`
  const name = encodeURIComponent(field.name)
  return [links, ', ', path === undefined ? rest : html`<a class="more" href="${path}/${name}">${rest}</a>`]
}

/** Returns the name of an item, as a link to its own URL where its identifier is shown. */
export function linkTo (item: Item, collection: Collection, place: Place): Fragment {
  const segments = segmentsTo(item, collection, place.syntax.dictionaryPrefix)
  const label = cut(labelOf(item, collection), longestLabel)
  if (segments === undefined) return html`<bdi>${label}</bdi>`
  return html`<a href="${rootPathTo(place, [[collection.name], ...segments])}"><bdi>${label}</bdi></a>`
}

// In characters.
const longestLabel = 200
