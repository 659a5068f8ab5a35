import { invalidFields } from '../errors.ts'
import type { TextPlace } from '../request/request.ts'
import type { Listing, Selection } from './plan.ts'

/**
 * Throws invalid_fields where a selection could show more items than the limit: nested listings multiply. `items` is how many items it is shown of.
 * A listing without a bound counts once, because whoever left it unbounded meant to.
 */
export function checkSize (select: Selection, items: number, limit: number, at: TextPlace | undefined): void {
  if (at === undefined) return
  const most = itemsIn(select, items)
  if (most <= limit) return
  throw invalidFields(`This selection could return ${most} items, more than the limit of ${limit}. Use smaller limits in the nested collections.`, at)
}

function itemsIn (select: Selection, items: number): number {
  let most = items
  for (const shown of select) {
    if (shown.kind === 'item') most += itemsIn(shown.select, items)
    if (shown.kind === 'list') most += itemsIn(shown.listing.select, items * bound(shown.listing.range))
  }
  return most
}

const bound = ({ limit }: Listing['range']) => limit === Infinity ? 1 : limit
