import { invalidPage } from '../errors.ts'
import type { PageLimits } from '../model/model.ts'
import type { PageAsked, ValueText } from '../request/request.ts'
import type { Order, Predicate } from './plan.ts'
import { parseCursor, planCursor, type Cursor } from './cursor.ts'

/** How a client pages: links keep its style (docs/http.md: Pages and links). */
export type PageStyle = 'page' | 'offset' | 'keyset'

/** One page of a listing, its bounds checked against the limits. */
export interface Page {
  /** Nothing where the request says nothing of pages but perhaps a size. */
  readonly style: PageStyle | undefined
  readonly size: number
  readonly offset: number
  readonly cursor: Cursor | undefined
}

/** What the page parameters mean together. Throws invalid_page. */
export function planPage (asked: PageAsked, limits: PageLimits): Page {
  const { page, offset, after, before } = asked
  const given = [page, offset, after, before].filter(value => value !== undefined)
  const [, second] = given
  if (second !== undefined) throw invalidPage("Use only one of 'page', 'offset', 'after' and 'before'.", second.at)
  const size = asked.size === undefined ? limits.defaultSize : Math.min(wholeNumber(asked.size, 0), limits.maxSize)
  if (page !== undefined) return { style: 'page', size, offset: startOf(page, size), cursor: undefined }
  if (offset !== undefined) return { style: 'offset', size, offset: wholeNumber(offset, 0), cursor: undefined }
  if (after !== undefined) return { style: 'keyset', size, offset: 0, cursor: parseCursor(after, 'after') }
  if (before !== undefined) return { style: 'keyset', size, offset: 0, cursor: parseCursor(before, 'before') }
  return { style: undefined, size, offset: 0, cursor: undefined }
}

/** What holds for the items on the far side of the page's position; everything where it has none. */
export const afterPage = (page: Page, order: Order): Predicate => planCursor(page.cursor, order)

function startOf (page: ValueText, size: number): number {
  const number = wholeNumber(page, 1)
  // The first page of an endless one is all there is.
  if (number === 1) return 0
  const offset = (number - 1) * size
  if (Number.isSafeInteger(offset)) return offset
  throw invalidPage(`There is no page ${page.text} of size ${size}.`, page.at)
}

function wholeNumber (value: ValueText, least: number): number {
  const number = /^\d{1,16}$/.test(value.text) ? Number(value.text) : NaN
  if (Number.isSafeInteger(number) && number >= least) return number
  throw invalidPage(`The parameter '${value.at.parameter}' takes an integer of at least ${least}, not '${value.text}'.`, value.at)
}
