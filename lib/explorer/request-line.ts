import { formatSegment, type Parts } from '../response/paths.ts'
import { readableQuery } from './filters.ts'
import { type Html, html } from './html.ts'
import { pathTo, type Place } from './place.ts'
import { formatPart, queryOf } from './rewrite.ts'
import { ownQuery } from './words.ts'

/** A form of an answer that a link leads to. */
export type Format = 'json' | 'csv' | 'ndjson'

/** Returns the request of the API that the page shows: to be read, changed, copied, and sent in other ways. */
export function showRequest (takesQuery: boolean, formats: readonly Format[], place: Place): Html {
  const path = pathTo(place)
  const query = readableQuery(place.query)
  const line = `${path}${query === '' ? '' : `?${query}`}`
  return html`<div class="request">${takesQuery
    ? html`<form method="get" action="${path}"><code>GET <bdi>${path}</bdi>?</code>
<input${place.syntax.fieldParameters && html` id="query"`} name="_query" value="${query}" spellcheck="false"
 aria-label="The query of this page" autocapitalize="off" autocomplete="off" dir="ltr"><button>Go</button></form>`
    : html`<code class="line">GET <bdi>${line}</bdi></code>`}
<span data-copy="${urlOf(place)}"></span><ul class="formats" aria-label="The same as">${formats.map(format =>
  html`<li><a href="${formatLink(format, place)}"${format !== 'json' && html` title="All rows, without pages"`}>${
    formatNames[format]}</a></li>`)}
<li>${showCode(place)}</li></ul></div>`
}

const formatNames = { json: 'JSON', csv: 'CSV', ndjson: 'NDJSON' } as const

function formatLink (format: Format, place: Place): string {
  const query = [ownQuery(place.query), formatPart(format, place.syntax)].filter(part => part !== '')
  return pathTo(place) + queryOf(query)
}

/** Returns the URL of the request, for programs. */
function urlOf ({ site, parts, query }: Place): string {
  const path = `${site.root}/${parts.map((part: Parts) => formatSegment(part)).join('/')}`
  return site.origin + path + queryOf([ownQuery(query)].filter(part => part !== ''))
}

function showCode (place: Place): Html {
  const code = `curl -H 'accept: application/json' '${urlOf(place).replaceAll("'", '%27')}'`
  return html`<details class="menu code"><summary>Code</summary><div>
<figure><figcaption data-copy="${code}">curl </figcaption><pre tabindex="0">${code}</pre></figure></div></details>`
}
