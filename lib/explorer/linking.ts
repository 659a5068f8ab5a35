import type { SubCollectionField } from '../model/model.ts'
import { type Html, html } from './html.ts'
import { itemOffers } from './offers.ts'
import { pathTo, type Place } from './place.ts'
import { type Found, showFound } from './search.ts'

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
