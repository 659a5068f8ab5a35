import { STATUS_CODES } from 'node:http'
import { isObject } from '../errors/is-object.ts'
import { type Fragment, type Html, html } from './html.ts'
import { showPage } from './page.ts'
import { pathTo, type Place } from './place.ts'

/** Returns the page of an error. `body`: its JSON. */
export function showFailure (status: number, body: unknown, place: Place): Html {
  const facts = isObject(body) ? body : {}
  const reason = STATUS_CODES[status] ?? 'Error'
  const message = textOf(facts['message']) ?? textOf(facts['detail']) ?? reason
  const main = html`<div class="failure" role="alert"><p>${message}</p>${showPosition(facts)}</div>
${showCandidates(facts['candidates'])}${showDeveloper(facts['developer'])}
<p class="note"><code>${status} ${textOf(facts['error']) ?? reason}</code></p>
<p>${showWayBack(place)}</p>`
  const isQuery = textOf(facts['parameter']) !== undefined
  const formats = isQuery ? ['json'] as const : undefined
  return showPage({ heading: reason, title: reason, main, takesQuery: isQuery, ...formats && { formats } }, place)
}

const textOf = (value: unknown): string | undefined => typeof value === 'string' && value !== '' ? value : undefined

function showPosition ({ parameter, position }: Readonly<Record<string, unknown>>): Fragment {
  if (typeof parameter !== 'string' || typeof position !== 'number') return undefined
  return html`<p>In the parameter <code><bdi>${parameter}</bdi></code>, at character ${position}.</p>`
}

/** Returns links to the items that one identifier may have meant. */
function showCandidates (candidates: unknown): Fragment {
  const paths = Array.isArray(candidates) ? candidates.filter(path => typeof path === 'string') : []
  if (paths.length === 0) return undefined
  return html`<ul>${paths.map(path => html`<li><a href="${path.startsWith('/') && !path.startsWith('//') ? path : '#'}">
<bdi>${path}</bdi></a></li>`)}</ul>`
}

const showDeveloper = (text: unknown): Fragment =>
  typeof text === 'string' && html`<details><summary>The cause</summary><pre>${text}</pre></details>`

function showWayBack (place: Place): Html {
  const hasQuery = place.query.some(({ kind }) => kind !== 'own')
  if (hasQuery) return html`<a href="${pathTo(place)}">The same page without its query</a>`
  return html`<a href="${pathTo({ ...place, parts: place.parts.slice(0, -1) })}">One level up</a>`
}
