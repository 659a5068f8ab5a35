import { formatPath } from '../response/paths.ts'
import { type Fragment, type Html, html, trusted } from './html.ts'
import type { Place } from './place.ts'
import { type Format, showRequest } from './request-line.ts'
import { script } from './script.ts'
import { style } from './style.ts'

/** The parts of a page that differ. */
export interface Content {
  readonly heading: Fragment
  /** The title of the window, before that of the API. */
  readonly title: string
  readonly main: Fragment
  /** Links to other forms of the same answer; undefined for a page that is no answer of the API. */
  readonly formats?: readonly Format[]
  /** True for a resource that takes a query string. */
  readonly takesQuery?: boolean
}

const doctype = trusted('<!doctype html>')
const styleElement = trusted(`<style>${style}</style>`)
// A module runs when the page is there.
const scriptElement = trusted(`<script type="module">${script}</script>`)
const icon = 'data:image/svg+xml,' + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
  '<rect x="1" y="2" width="14" height="12" rx="2" fill="#2f6f8f"/><path d="M1 6h14M6 6v8" stroke="#fff"/></svg>')

/** Returns a whole page. */
export function showPage ({ heading, title, main, formats, takesQuery = false }: Content, place: Place): Html {
  const windowTitle = title === place.title ? title : `${title} · ${place.title}`
  return html`${doctype}<html lang="en"><head><meta charset="utf-8"><title>${windowTitle}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark"><link rel="icon" href="${icon}">${styleElement}${
    scriptElement}</head>
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
