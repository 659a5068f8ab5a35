import { createHash } from 'node:crypto'
import { answerTooLarge } from '../../core/errors/errors.ts'
import type { Answer, InParts } from '../../core/response/answer.ts'
import { fewestGrouped, showShort } from './value.ts'
import { parameterOf } from '../../core/request/syntax.ts'
import {
  hiddenShow, linkWith, listedAt, parameterPart, pathTo, type Place, readable, rootPathTo, withoutPage,
  wordOf
} from './place.ts'
import { type Fragment, type Html, html, textsOf, trusted } from './html.ts'
import { script } from './script.ts'
import { style } from './style.ts'

/** The parts of a page that differ. */
interface Content {
  /** The title of the window, before that of the API; of the page, where it has no other heading. */
  readonly title: string
  readonly heading?: Fragment
  /** A sentence beside the heading, and links and buttons. */
  readonly about?: Fragment
  readonly acts?: Fragment
  readonly main: Fragment
  /** True for a page that fills the window with a table. */
  readonly isSheet?: boolean
  /** True for a page that has its style in it. */
  readonly isAlone?: boolean
  /** Links to other forms of the same answer; undefined for a page that is no answer of the API. */
  readonly formats?: readonly LinkFormat[]
  /** True for a resource that takes a query string. */
  readonly takesQuery?: boolean
}

const doctype = trusted('<!doctype html>')
const styleElement = trusted(`<style>${style}</style>`)

/** The name of the style sheet: browsers may keep what has this name for ever. */
const styleName = createHash('sha256').update(style).digest('base64url').slice(0, 16)
// A module runs when the page is there.
const scriptElement = trusted(`<script type="module">${script}</script>`)
const icon = 'data:image/svg+xml,' + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
  '<rect x="1" y="2" width="14" height="12" rx="2" fill="#2f6f8f"/><path d="M1 6h14M6 6v8" stroke="#fff"/></svg>')

export function showPage (content: Content, place: Place): Html {
  const { title, about, acts, main, formats, takesQuery = false, isSheet = false, isAlone = false } = content
  const { heading = html`<bdi>${title}</bdi>` } = content
  const windowTitle = title === place.title ? title : `${title} · ${place.title}`
  const sheet = html`<link rel="stylesheet" href="${rootPathTo(place, [])}?_style=${styleName}">`
  return html`${doctype}<html lang="en"><head><meta charset="utf-8"><title>${windowTitle}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark"><link rel="icon" href="${icon}">${isAlone ? styleElement : sheet}${
    scriptElement}</head>
<body${isSheet && html` class="sheet"`}><a class="skip" href="#main">Skip to the content</a>
<header class="bar">${showCrumbs(place)}${formats && showRequest(takesQuery, formats, place)}</header>
<main id="main"><div class="head"><h1>${heading}</h1>${about && html`<p class="about">${about}</p>`}${
    acts && html`<div class="acts">${acts}</div>`}</div>
${main}</main></body></html>`
}

/** Returns the path as links, one for each segment. */
function showCrumbs (place: Place): Html {
  const { title, parts } = place
  const crumbs = parts.map((part, index) => {
    const label = html`<bdi>${part.map(String).join(',')}</bdi>`
    return index === parts.length - 1
      ? html`<li><span aria-current="page">${label}</span></li>`
      : html`<li><a href="${rootPathTo(place, parts.slice(0, index + 1))}">${label}</a></li>`
  })
  return html`<nav aria-label="Path"><ol><li><a class="home" href="${rootPathTo(place, [])}">${title}</a></li>
${crumbs}</ol></nav>`
}

/** A form of an answer that a link leads to. */
export type LinkFormat = 'json' | 'csv' | 'ndjson'

/** Returns the request of the API that the page shows: to be read, changed, copied, and sent in other ways. */
function showRequest (takesQuery: boolean, formats: readonly LinkFormat[], place: Place): Html {
  const query = place.query.filter(({ kind }) => kind !== 'own').map(readable).join('&')
  return html`${takesQuery
    ? html`<form class="query" method="get" action="${pathTo(place)}"><span aria-hidden="true">?</span>
<input${place.syntax.fieldParameters && html` id="query"`} name="_query" value="${query}" spellcheck="false"
 aria-label="The query of this page" autocapitalize="off" autocomplete="off" dir="ltr" placeholder="query">${
    hiddenShow(place)}<button class="quiet">Go</button></form>`
    : html`<span class="gap"></span>`}
<div class="formats" role="group" aria-label="The same as"${
    place.isLive === true && html` data-live="${formatLink('events', place)}"`}>${formats.map(format =>
  html`<a href="${formatLink(format, place)}"${format !== 'json' && html` title="All rows, without pages"`}>${
    formatNames[format]}</a>`)}${showCode(place)}</div>`
}

const formatNames = { json: 'JSON', csv: 'CSV', ndjson: 'NDJSON' } as const

const formatLink = (format: LinkFormat | 'events', place: Place): string =>
  linkWith([...place.query.filter(({ kind }) => kind !== 'own'), parameterPart('format', format, place.syntax)], place)

function showCode (place: Place): Html {
  const url = place.site.origin + linkWith(place.query.filter(({ kind }) => kind !== 'own'), place)
  const code = `curl -H 'accept: application/json' '${url.replaceAll("'", '%27')}'`
  return showMenu('code', 'Code', html`<figure>
<figcaption data-copy="${code}">curl </figcaption><pre tabindex="0">${code}</pre></figure>`)
}

/** Returns a button, and what it opens, whose class is the id. */
export const showMenu = (id: string, name: Fragment, content: Html): Html => html`<button class="quiet menu"
 popovertarget="${id}">${name}</button><div popover id="${id}" class="${id}">${content}</div>`

/** Returns a framed table of what a page tells. `heads`: those of numbers begin with `#`. */
export const showRows = (label: string, heads: readonly string[], rows: readonly Html[], kind = ''): Html =>
  html`<div class="frame">${showScroll(label, html`<table class="plainly ${kind}"><thead><tr>${heads.map(head =>
    html`<th scope="col"${head.startsWith('#') && html` class="num"`}>${head.replace('#', '')}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table>`)}</div>`

/** Returns a table that scrolls in its frame. */
export const showScroll = (label: string, table: Html): Html =>
  html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>`

/** Returns the message of a write that a form has done. */
export function showDone ({ query }: Place): Html | undefined {
  const [, count, word = ''] = /^(?:(\d+) )?(\w+)$/.exec(wordOf('_done', query) ?? '') ?? []
  const one = doneMessages[word]
  const message = one && count ? `${countOf(Number(count))} ${count === '1' ? 'was' : 'were'} ${word}.` : one
  return message === undefined ? undefined : html`<p class="note good" role="status">${message}</p>`
}

/** Returns a number of items, or of something else, in words. */
export const countOf = (number: number, noun = 'item'): string => `${number} ${noun}${number === 1 ? '' : 's'}`

const doneMessages: Readonly<Record<string, string>> = {
  created: 'The item was created.',
  saved: 'The changes were saved.',
  unchanged: 'There was nothing to change.',
  deleted: 'The item was deleted.',
  linked: 'The item was linked.',
  unlinked: 'The item was unlinked. It still exists.'
}

/** Links to other pages, by relation, and the number of items where the client asked for it. */
export interface PageLinks { readonly links: ReadonlyMap<string, string>, readonly total: string | undefined }

/** Returns the links to other pages, and how many items there are. */
export function showPages (shown: number, { links, total }: PageLinks, place: Place, noun = 'row'): Html {
  const query = withoutPage(place.query).filter(({ kind }) => kind !== 'size')
  const size = encodeURIComponent(parameterOf('size', place.syntax))
  const counting = linkWith([...place.query, '_count'], place)
  const isAll = shown === 0 || (links.size === 0 && total === undefined)
  const first = isAll ? undefined : firstRow(place, links)
  const rows = first === undefined
    ? countOf(shown, noun)
    : html`<b>${showNumber(first)}–${showNumber(first + shown - 1)}</b>`
  return html`<nav class="pages" aria-label="Pages"><span>${rows}${
    total === undefined ? links.size > 0 && ' on this page' : html` of <b>${showNumber(Number(total))}</b>`}</span>
${total === undefined && links.size > 0 && html`<a href="${counting}" rel="nofollow">Count all</a>`}
<span class="turn">${pageNames.map(([rel, name]) => showPageLink(links.get(rel), name, rel))}</span>
${links.size > 0 && html`<span class="sizes">Rows per page: ${pageSizes.map(one =>
  html`<a href="${linkWith([...query, `${size}=${one}`], place)}">${one}</a> `)}</span>`}</nav>`
}

/** Returns the number of the first row of a page in its listing; undefined where the page was named by a cursor. */
function firstRow ({ spot }: Place, links: PageLinks['links']): number | undefined {
  const listed = spot && listedAt(spot)
  if (spot === undefined || listed === undefined) return undefined
  const before = listed.itemsBefore(spot.asked.page) ?? (links.has('prev') ? undefined : 0)
  return before === undefined ? undefined : before + 1
}

/** Returns a number in groups of three digits. */
export const showNumber = (number: number) => showShort(number, undefined, fewestGrouped - 1)

const pageSizes = [20, 100, 500]
const pageNames = [['first', '« First'], ['prev', '‹ Previous'], ['next', 'Next ›']] as const

const showPageLink = (href: string | undefined, name: string, rel: string): Fragment =>
  href !== undefined && html`<a href="${href}" rel="${rel}">${name}</a> `

/** Returns an answer as a page; `show` makes it of the JSON, which a hook of the application may have replaced. */
export function pageOf (
  { status, headers, body, personal = false }: Answer, show: (json: string) => Html | InParts<Html>
): Answer {
  const { vary = 'Accept', 'x-total-count': _, 'preference-applied': __, ...others } = headers
  return {
    status,
    headers: { ...others, vary, ...pageHeaders, 'content-security-policy': policy },
    links: [],
    body,
    personal,
    * view (json, longest) {
      const shown = show(json)
      return yield * write('next' in shown ? yield * shown : shown, longest)
    }
  }
}

/** Lets a page show images of these hosts. */
export function withImages (page: Answer, hosts: readonly string[]): Answer {
  const own = page.headers['content-security-policy']
  if (hosts.length === 0 || typeof own !== 'string') return page
  const policy = own.replace(images, `${images} ${hosts.join(' ')}`)
  return { ...page, headers: { ...page.headers, 'content-security-policy': policy } }
}

const images = "img-src 'self' data:"

/** Writes markup. Throws answer_too_large if it is longer than `longest` characters, beside its script. */
function * write (made: Html, longest: number): InParts<string> {
  const most = longest + script.length
  let page = ''
  for (const step of textsOf(made)) {
    if (typeof step === 'string') page += step
    if (page.length > most) throw answerTooLarge(longest)
    yield typeof step === 'string' ? step.length : step
  }
  return page
}

/** Returns the answer of a page that is made of no answer of the API. */
export function showing (status: number, show: () => Html): Answer {
  return pageOf({ status, headers: { vary: 'Accept' }, links: [], body: noData, personal: true }, show)
}

/**
 * Returns the style sheet of the pages. Browsers keep it for ever under its own name, and not at all under that of a
 * page which another version of this package has made.
 */
export const showStyle = (name: string): Answer => ({
  status: 200,
  headers: {
    'content-type': 'text/css; charset=utf-8',
    'cache-control': name === styleName ? 'public, max-age=31536000, immutable' : 'no-store',
    'x-content-type-options': 'nosniff'
  },
  links: [],
  body: noData,
  * view () {
    yield style.length
    return style
  }
})

/** The JSON of a page that is made of no answer. A text has no preSerialization hooks. */
export const noData = '""'

/** Returns a redirect to a page. */
export const seeOther = (location: string): Answer => ({
  status: 303,
  headers: { location, vary: 'Accept', 'cache-control': 'private, no-cache' },
  links: [],
  body: undefined,
  personal: true
})

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

// Hashes, no nonce: style and script are constants, so a page can be kept as it is.
const policy = [
  "default-src 'none'",
  `style-src 'self' ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "connect-src 'self'",
  images,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join('; ')

/** The headers of every page. They replace those that the application sets, as with @fastify/helmet. */
const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
  // With `no-referrer` a browser would send `Origin: null` with the forms of these pages.
  'referrer-policy': 'same-origin'
}
