import type { DataApiError } from '../errors/errors.ts'
import { separableRelation } from '../plan/path/links.ts'
import type { Current } from './current.ts'
import { nameOf } from './grid.ts'
import { type Html, html } from './html.ts'
import { labelOf } from './label.ts'
import { showPage } from './page.ts'
import { pathTo, type PlaceOf } from './place.ts'
import { cut } from './value.ts'

/** Returns the page that asks before an item is deleted, or taken out of its relation. */
export function showDelete (
  current: Current | undefined, error: DataApiError | undefined, place: PlaceOf<'item'>
): Html {
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
