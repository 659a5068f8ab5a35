import type { Paging } from '../plan/read.ts'
import type { Tags } from '../plan/tag.ts'
import { type Answer, type Link, ok } from './answer.ts'
import { type PageLink, type PageNames, type PageRead, pageLinks } from './links.ts'
import { formatPath, type Site } from './paths.ts'

/** What an answer takes over from the request. */
export interface PageEcho {
  readonly segments: readonly string[]
  /** The request's parameters without those of pages, each percent-encoded: what every link keeps. */
  kept (): readonly string[]
  /** Where the API stands, for an answer that tells URLs. */
  site (): Site
  /** The tags of `If-None-Match`. */
  readonly known: Tags | undefined
}

export interface PageOptions {
  readonly pageLinks: 'header' | 'wrapped' | 'both' | 'none'
  /** Whether links lead back as well. */
  readonly previousLink: boolean
  readonly dictionaryPrefix: string
  readonly pageNames: PageNames
}

/** A page of items or members with its links, in the header, around it, or neither (docs/http.md: Pages and links). */
export function renderPage (paging: Paging, body: string, read: PageRead & { readonly total?: number }, asked: PageEcho, options: PageOptions): Answer {
  const wrapped = options.pageLinks === 'wrapped' || options.pageLinks === 'both'
  const inHeader = options.pageLinks === 'header' || options.pageLinks === 'both'
  const headers = countHeaders(read)
  const links = options.pageLinks === 'none' ? [] : pageLinks(paging, read, options.pageNames).filter(link => link.rel !== 'prev' || options.previousLink)
  if (links.length === 0) return ok(wrapped ? wrap(body, [], read.total) : body, headers)
  const site = asked.site()
  const told = links.map(link => ({ rel: link.rel, target: formatTarget(link, asked, site) }))
  return ok(wrapped ? wrap(body, told, read.total) : body, headers, inHeader ? told.map(({ rel, target }) => ({ rel, target: site.origin + target })) : [])
}

/** The count that a client asked for by `Prefer: count=exact` (RFC 7240). */
export function countHeaders ({ total }: { readonly total?: number }): Readonly<Record<string, string>> {
  const vary = 'Accept, Prefer'
  return total === undefined ? { vary } : { vary, 'x-total-count': String(total), 'preference-applied': 'count=exact' }
}

/** A relative URL: the path as asked for, the request's other parameters, and those that take to the page, which need no encoding. */
function formatTarget ({ page }: PageLink, { segments, kept }: PageEcho, site: Site): string {
  const moved = Object.entries(page).map(([name, value]) => `${encodeURIComponent(name)}=${value}`)
  const query = [...kept(), ...moved].join('&')
  return formatPath(site, segments) + (query === '' ? '' : `?${query}`)
}

function wrap (items: string, links: readonly Link[], total: number | undefined): string {
  const page = { ...Object.fromEntries(links.map(({ rel, target }) => [rel, target])), ...total !== undefined && { total } }
  return `{"items":${items},"page":${JSON.stringify(page)}}`
}
