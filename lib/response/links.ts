import { formatCursor } from '../plan/cursor.ts'
import type { Paging } from '../plan/read.ts'
import type { Ends } from '../sources/source.ts'

/** The parameters that take a client to another page: numbers, or positions in base64url. */
export interface PageLink { readonly rel: 'next' | 'prev' | 'first', readonly page: Readonly<Record<string, string>> }

/** The names of the page parameters that links use: the first configured of each. */
export interface PageNames { readonly page: string, readonly offset: string, readonly after: string, readonly before: string }

/** A page as it came back: its ends in the client's order, nothing where it is empty, and whether more lie beyond it in the direction that was read. */
export interface PageRead { readonly ends: Ends | undefined, readonly more: boolean }

/** The links of a page (docs/http.md: Pages and links). A last page has no `next`, a first page no `prev`. */
export function pageLinks (paging: Paging, read: PageRead, names: PageNames): readonly PageLink[] {
  // Pages of no items lead nowhere.
  if (paging.page.size === 0) return []
  return paging.style === 'keyset' ? keysetLinks(paging, read, names) : countedLinks(paging, read, names)
}

const isFirst = ({ page }: Paging) => page.offset === 0 && page.cursor === undefined

function keysetLinks (paging: Paging, { ends, more }: PageRead, names: PageNames): PageLink[] {
  const { page, order, reversed } = paging
  if (page.size === Infinity) return []
  const links: PageLink[] = isFirst(paging) ? [] : [{ rel: 'first', page: {} }]
  // Whoever came by `before` came from a page that follows, whoever came otherwise from one that precedes.
  if (ends !== undefined && !isFirst(paging) && (!reversed || more)) links.push({ rel: 'prev', page: { [names.before]: formatCursor(order, ends.first()) } })
  if (ends !== undefined && (reversed || more)) links.push({ rel: 'next', page: { [names.after]: formatCursor(order, ends.last()) } })
  return links
}

function countedLinks (paging: Paging, { more }: PageRead, names: PageNames): PageLink[] {
  const { page: { offset, size }, style } = paging
  const to = (start: number): Record<string, string> => style === 'page'
    ? { [names.page]: String(Math.floor(start / size) + 1) }
    : { [names.offset]: String(start) }
  const links: PageLink[] = isFirst(paging) ? [] : [{ rel: 'first', page: to(0) }]
  if (offset > 0) links.push({ rel: 'prev', page: to(Math.max(0, offset - size)) })
  if (more) links.push({ rel: 'next', page: to(offset + size) })
  return links
}
