import type { Collection } from '../../model/model.ts'
import type { Query } from '../../request/request.ts'
import type { Order } from '../plan.ts'
import { type PageRange, type PageStyle, planPage } from './page.ts'

/** The page of a listing and its order, from which links to other pages are made. */
export interface Paging {
  readonly page: PageRange
  /** The style of the links. */
  readonly style: PageStyle
  /** The order that the client asked for, also if the rows are read in the opposite order. */
  readonly order: Order
  /** True if the rows are read in the opposite order, for a page with `before`. */
  readonly reversed: boolean
}

/** The options of pages. `linkStyle`: of a request that names no page. `whole`: see ReadOptions. */
export interface PagingOptions {
  readonly linkStyle: 'auto' | PageStyle
  readonly whole: boolean
  /** The most items on a page, whatever the request asks for. Default: no limit. */
  readonly mostOnPage?: number
}

/** Throws invalid_page. */
export function planPaging (
  query: Query, order: Order, collection: Collection, { linkStyle, whole, mostOnPage }: PagingOptions
): Paging {
  const limits = whole ? { defaultSize: Infinity, maxSize: Infinity } : collection.pages
  const page = planPage(query.page, limits, mostOnPage)
  return { page, style: styleOf(page, order, linkStyle), order, reversed: page.cursor?.direction === 'before' }
}

function styleOf (page: PageRange, order: Order, linkStyle: PagingOptions['linkStyle']): PageStyle {
  // A page named by a cursor has no number and no offset, so its links carry cursors as well.
  const style = page.style === 'keyset' || linkStyle === 'auto' ? page.style ?? 'keyset' : linkStyle
  // A cursor would reveal the value of an unreadable key.
  return style === 'keyset' && !order.every(({ field }) => field?.readable !== false) ? 'offset' : style
}
