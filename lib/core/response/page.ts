import type { Paging } from '../plan/read/link-style.ts'
import type { Conditions } from '../plan/tag.ts'
import { type Answer, type AnswerLink, ok } from './answer.ts'
import { type PageLink, type PageName, type PageRead, pageLinks } from './links.ts'
import { formatPath, type PathParts, type Site } from './paths.ts'

/** The parts of the request that an answer repeats. */
export interface PageEcho {
  readonly parts: readonly PathParts[]
  /** Returns the query that every link keeps: that of the request without its page, percent-encoded. */
  otherParameters (): string
  readonly pageName: PageName
  /** Returns the base of the API's URLs. Called only for an answer that contains URLs. */
  site (): Site
  readonly conditions: Conditions
}

export interface PageOptions {
  readonly pageLinks: 'header' | 'wrapped' | 'both' | 'none'
  /** True adds the link `prev`. */
  readonly previousLink: boolean
  readonly dictionaryPrefix: string
  /** The most characters of the `Link` header. */
  readonly linkLength: number
  /** The most characters of an answer. */
  readonly length: number
}

/** A page to render. `body`: the JSON text of its items or members. */
export interface RenderedPage {
  readonly paging: Paging
  readonly body: string
  readonly read: PageRead & { readonly total?: number }
}

/** Returns a page with its links in the `Link` header, around the body, or both (docs/http.md: Pages and links). */
export function renderPage ({ paging, body, read }: RenderedPage, echo: PageEcho, options: PageOptions): Answer {
  const isWrapped = options.pageLinks === 'wrapped' || options.pageLinks === 'both'
  const inHeader = options.pageLinks === 'header' || options.pageLinks === 'both'
  const headers = countHeaders(read)
  const links = shownLinks(paging, read, echo.pageName, options)
  if (links.length === 0) return ok(isWrapped ? wrap(body, [], read.total) : body, headers)
  const site = echo.site()
  const targetOf = compileTarget(formatPath(site, echo.parts), echo.otherParameters())
  const text = isWrapped ? wrap(body, links.map(link => ({ rel: link.rel, target: targetOf(link) })), read.total) : body
  if (!inHeader) return ok(text, headers)
  const absolute = links.map(link => ({ rel: link.rel, target: site.origin + targetOf(link) }))
  return ok(text, headers, withinLength(absolute, options.linkLength))
}

/** Returns the links that a header of that length can hold; `next` before the others. */
function withinLength (links: readonly AnswerLink[], most: number): readonly AnswerLink[] {
  const lengthOf = ({ rel, target }: AnswerLink) => target.length + rel.length + longestMarkup
  if (links.reduce((sum, link) => sum + lengthOf(link), 0) <= most) return links
  let rest = most
  const nextFirst = links.toSorted((one, other) => Number(other.rel === 'next') - Number(one.rel === 'next'))
  const kept = nextFirst.filter(link => {
    if (lengthOf(link) > rest) return false
    rest -= lengthOf(link)
    return true
  })
  return links.filter(link => kept.includes(link))
}

// The characters of `<>; rel="", `.
const longestMarkup = 12

function shownLinks (
  paging: Paging, read: PageRead, nameOf: PageName, options: PageOptions
): readonly PageLink[] {
  if (options.pageLinks === 'none') return []
  return pageLinks(paging, read, nameOf).filter(link => link.rel !== 'prev' || options.previousLink)
}

/** Returns the headers of a page, with its count if the client sent `Prefer: count=exact` (RFC 7240). */
export function countHeaders ({ total }: { readonly total?: number }): Readonly<Record<string, string>> {
  const vary = 'Accept, Prefer'
  if (total === undefined) return { vary }
  return { vary, 'x-total-count': String(total), 'preference-applied': 'count=exact' }
}

/** Returns a function that makes the relative URL of a link: the path, the kept query, and the page's parameter. */
function compileTarget (path: string, kept: string) {
  const whole = kept === '' ? path : `${path}?${kept}`
  const begun = kept === '' ? `${path}?` : `${whole}&`
  // Numbers and base64url need no encoding.
  return ({ page }: PageLink): string =>
    page === undefined ? whole : `${begun}${encodeURIComponent(page.name)}=${page.value}`
}

function wrap (items: string, links: readonly AnswerLink[], total: number | undefined): string {
  const page: Record<string, string | number> = {}
  for (const { rel, target } of links) page[rel] = target
  if (total !== undefined) page['total'] = total
  return `{"items":${items},"page":${JSON.stringify(page)}}`
}
