import { readJson } from './error.ts'
import type { AnyQuery } from './query.ts'
import type { Call, Send } from './send.ts'

/** The position of another page. Its members are those of a query, and undefined if they have no part in it. */
export interface PagePosition {
  readonly page?: number | string | undefined
  readonly offset?: number | string | undefined
  readonly after?: string | undefined
  readonly before?: string | undefined
}

/** A page of a list. */
export interface Page<T> {
  readonly items: T
  /** The position of the next page, for `list({ ...query, ...page.next })`; undefined on the last page. */
  readonly next: PagePosition | undefined
  readonly previous: PagePosition | undefined
  /** The number of all items, if the query has `count: true`; otherwise null. */
  readonly total: number | null
}

/** Returns a promise of the first page, which is also an iterable of the items of this page and all that follow. */
export function list (send: Send, call: Call): Promise<Page<readonly unknown[]>> & AsyncIterable<unknown> {
  const load = (query: AnyQuery) =>
    send({ ...call, query, own: { prefer: query['count'] ? 'count=exact' : undefined } }, pageOf)
  const first = load(call.query)
  return Object.assign(first, {
    async * [Symbol.asyncIterator] () {
      let page = await first
      yield * page.items
      while (page.next) {
        page = await load({ ...call.query, ...page.next })
        yield * page.items
      }
    }
  })
}

/** The body of a page: its items, or an object around them where the API wraps pages. */
type Body = readonly unknown[] & {
  readonly items?: readonly unknown[]
  readonly page?: { readonly next?: string, readonly prev?: string, readonly total?: number }
}

async function pageOf (response: Response): Promise<Page<readonly unknown[]>> {
  const { headers, type } = response
  // Every page has a tag. Where a browser does not show it, it does not show the links either.
  if (type === 'cors' && !headers.get('etag')) throw new TypeError('CORS hides ETag')
  const body = readJson(await response.text(), response) as Body
  const { items = body, page } = body
  const total = page?.total ?? headers.get('x-total-count')
  const positionOf = (rel: 'next' | 'prev') =>
    positionIn(page?.[rel] ?? headers.get('link')?.match(`<([^>]*)>; rel="${rel}"`)?.[1])
  return { items, next: positionOf('next'), previous: positionOf('prev'), total: total === null ? total : +total }
}

/** Returns the position in a link, whose values need no decoding. */
function positionIn (link: string | undefined): PagePosition | undefined {
  if (!link) return undefined
  const names = ['page', 'offset', 'after', 'before']
  return Object.fromEntries(names.map(name => [name, link.match(`[?&]\\.?${name}=([^&]*)`)?.[1]]))
}
