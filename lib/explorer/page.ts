import { parameterOf } from '../request/syntax.ts'
import { formatPath, formatSegment, type Parts } from '../response/paths.ts'
import { readableQuery } from './filters.ts'
import { type Fragment, type Html, html, trusted } from './html.ts'
import { pathTo, type Place } from './place.ts'
import { encodePart, queryOf } from './rewrite.ts'
import { style } from './style.ts'
import { ownQuery } from './words.ts'

/** The parts of a page that differ. */
export interface Content {
  readonly heading: Fragment
  /** The title of the window, before that of the API. */
  readonly title: string
  readonly main: Fragment
  /** Links to other forms of the same answer; undefined for a page that is no answer of the API. */
  readonly formats?: ReadonlyArray<'json' | 'csv' | 'ndjson'>
  /** True for a resource that takes a query string. */
  readonly takesQuery?: boolean
}

const doctype = trusted('<!doctype html>')
const styleElement = trusted(`<style>${style}</style>`)
const icon = 'data:image/svg+xml,' + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
  '<rect x="1" y="2" width="14" height="12" rx="2" fill="#2f6f8f"/><path d="M1 6h14M6 6v8" stroke="#fff"/></svg>')

/** Returns a whole page. */
export function showPage ({ heading, title, main, formats, takesQuery = false }: Content, place: Place): Html {
  const windowTitle = title === place.title ? title : `${title} · ${place.title}`
  return html`${doctype}<html lang="en"><head><meta charset="utf-8"><title>${windowTitle}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark"><link rel="icon" href="${icon}">${styleElement}</head>
<body><a class="skip" href="#main">Skip to the content</a>
<header>${showCrumbs(place)}</header>
<main id="main"><h1>${heading}</h1>
${formats && showRequest(takesQuery, formats, place)}
${main}</main></body></html>`
}

/** Returns the path as links, one for each segment. */
function showCrumbs ({ title, site, parts }: Place): Html {
  const crumbs = parts.map((part, index) => {
    const label = html`<bdi>${part.map(String).join(',')}</bdi>`
    return index === parts.length - 1
      ? html`<li><span aria-current="page">${label}</span></li>`
      : html`<li><a href="${formatPath(site, parts.slice(0, index + 1))}">${label}</a></li>`
  })
  return html`<nav aria-label="Path"><ol><li><a class="home" href="${formatPath(site, [])}">${title}</a></li>
${crumbs}</ol></nav>`
}

type Formats = NonNullable<Content['formats']>

/** Returns the request of the API that the page shows: to be read, changed, copied, and sent in other ways. */
function showRequest (takesQuery: boolean, formats: Formats, place: Place): Html {
  const path = pathTo(place)
  const query = readableQuery(place.query)
  const line = `${path}${query === '' ? '' : `?${query}`}`
  return html`<div class="request">${takesQuery
    ? html`<form method="get" action="${path}"><label for="query"><span class="unseen">The query of this page</span>
<code>GET <bdi>${path}</bdi>?</code></label><input id="query" name="_query" value="${query}" spellcheck="false"
 autocapitalize="off" autocomplete="off" dir="ltr"><button>Go</button></form>`
    : html`<code class="line">GET <bdi>${line}</bdi></code>`}
<ul class="formats" aria-label="The same as">${formats.map(format =>
  html`<li><a href="${formatLink(format, place)}"${format !== 'json' && html` title="All rows, without pages"`}>${
    formatNames[format]}</a></li>`)}
<li>${showCode(line, place)}</li></ul></div>`
}

const formatNames = { json: 'JSON', csv: 'CSV', ndjson: 'NDJSON' } as const

function formatLink (format: string, place: Place): string {
  const isNamed = [...place.syntax.parameters.values()].includes('format')
  const name = isNamed ? parameterOf('format', place.syntax) : '_format'
  const query = [ownQuery(place.query), `${encodePart(name)}=${format}`].filter(part => part !== '')
  return pathTo(place) + queryOf(query)
}

function showCode (line: string, { site, parts, query }: Place): Html {
  const path = `${site.root}/${parts.map((part: Parts) => formatSegment(part)).join('/')}`
  const url = site.origin + path + queryOf([ownQuery(query)].filter(part => part !== ''))
  return html`<details class="menu code"><summary>Code</summary><div>
${showSnippet('The request', `GET ${line}`)}
${showSnippet('curl', `curl -H 'accept: application/json' '${url.replaceAll("'", '%27')}'`)}
${showSnippet('JavaScript', `const response = await fetch(${JSON.stringify(url)}, {\n` +
    "  headers: { accept: 'application/json' }\n})\nconst data = await response.json()")}</div></details>`
}

const showSnippet = (name: string, code: string) =>
  html`<figure><figcaption>${name}</figcaption><pre tabindex="0">${code}</pre></figure>`
