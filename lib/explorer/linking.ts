import type { SubCollectionField } from '../model/model.ts'
import { type Html, html } from './html.ts'
import { pathTo, type Place } from './place.ts'

/** Returns a form that links an item that exists, which is named by any of its identifiers. */
export function linkForm ({ target }: SubCollectionField, place: Place): Html {
  return html`<form class="link" method="post" action="${pathTo(place)}"><label>Link an item of ${target.name}
<input name="_link" required autocomplete="off" placeholder="its identifier"></label>
<button>Link</button></form>`
}

/** Returns a button that takes an item out of the relation by which `path` leads to it. */
export function unlinkButton (path: string): Html {
  return html`<form method="post" action="${path}"><button name="_method" value="DELETE">Unlink</button></form>`
}
