import { checkMoved, formatCursor } from '../plan/read/cursor.ts'
import type { Row } from '../plan/plan.ts'
import type { Paging } from '../plan/read/link-style.ts'
import type { Ends } from '../sources/source.ts'

/**
 * A link to another page. `page`: the query parameter that names it, whose value is a number or a cursor in base64url;
 * undefined for the first page of links with cursors.
 */
export interface PageLink {
  readonly rel: 'next' | 'prev' | 'first'
  readonly page: { readonly name: string, readonly value: string } | undefined
}

/** Returns the name of a page parameter in links: the first one that no field takes. */
export type PageName = (kind: 'page' | 'offset' | 'after' | 'before') => string

/**
 * The result of reading a page. `ends`: its first and last row in the client's order; undefined for an empty page.
 * `more`: further rows follow in the direction of reading.
 */
export interface PageRead { readonly ends: Ends | undefined, readonly more: boolean }

/**
 * Returns the links of a page (docs/http.md: Pages and links). The last page has no `next`, the first no `prev` and no
 * `first`.
 */
export function pageLinks (paging: Paging, read: PageRead, nameOf: PageName): readonly PageLink[] {
  // A page of size 0 has no next page.
  if (paging.page.size === 0) return []
  return paging.style === 'keyset' ? keysetLinks(paging, read, nameOf) : countedLinks(paging, read, nameOf)
}

const isFirst = ({ page }: Paging) => page.offset === 0 && page.cursor === undefined

function keysetLinks (paging: Paging, { ends, more }: PageRead, nameOf: PageName): PageLink[] {
  const { page, order, reversed } = paging
  if (page.size === Infinity) return []
  const links: PageLink[] = isFirst(paging) ? [] : [{ rel: 'first', page: undefined }]
  if (ends === undefined) return links
  // After a reversed read, by `before`, `more` is about the pages before this one, and the page of the cursor follows.
  const hasPrevious = !isFirst(paging) && (!reversed || more)
  const hasNext = reversed || more
  const from = page.cursor?.values
  const first = hasPrevious || from !== undefined ? ends.first() : undefined
  const last = hasNext || from !== undefined ? ends.last() : undefined
  if (from !== undefined) for (const end of [first, last]) if (end !== undefined) checkMoved(order, end, from)
  const to = (kind: 'before' | 'after', row: Row) =>
    ({ name: nameOf(kind), value: formatCursor(order, row) })
  if (hasPrevious && first) links.push({ rel: 'prev', page: to('before', first) })
  if (hasNext && last) links.push({ rel: 'next', page: to('after', last) })
  return links
}

function countedLinks (paging: Paging, { more }: PageRead, nameOf: PageName): PageLink[] {
  const { page: { offset, size }, style } = paging
  const to = (start: number) => style === 'page'
    ? { name: nameOf('page'), value: String(Math.floor(start / size) + 1) }
    : { name: nameOf('offset'), value: String(start) }
  const links: PageLink[] = isFirst(paging) ? [] : [{ rel: 'first', page: to(0) }]
  if (offset > 0) links.push({ rel: 'prev', page: to(Math.max(0, offset - size)) })
  if (more) links.push({ rel: 'next', page: to(offset + size) })
  return links
}
