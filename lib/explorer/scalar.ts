import type { Html } from './html.ts'
import { html } from './html.ts'
import { nameOf } from './grid.ts'
import { showPage } from './page.ts'
import { pathTo, type Place } from './place.ts'
import { showWhole } from './value.ts'

/** Returns the page of a single value. */
export function showScalar (value: unknown, place: Place): Html {
  const name = nameOf(place)
  const parent = pathTo({ ...place, parts: place.parts.slice(0, -1) })
  const main = html`<div class="scalar">${showWhole(value)}</div>
<p><a href="${parent}">The item of this value</a></p>`
  return showPage({ heading: html`<bdi>${name}</bdi>`, title: name, main, formats: ['json'] }, place)
}
