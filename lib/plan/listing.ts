import type { Collection } from '../model/model.ts'
import type { Query } from '../request/request.ts'
import { planFilters } from './filter.ts'
import { planPage } from './page.ts'
import type { Listing } from './plan.ts'
import { planSelection } from './select.ts'
import { planSort } from './sort.ts'

/** A listing inside another item: its own filters, order, selection and bounds, held to the same limits as one of its own. */
export function planListing (query: Partial<Query>, collection: Collection): Listing {
  const order = planSort(query.sort ?? [], collection)
  const page = planPage(query.page ?? {}, collection.pages)
  return {
    where: planFilters(query.filters ?? [], collection),
    order,
    range: { offset: page.offset, limit: page.size },
    select: planSelection(query.fields, collection, 'listed')
  }
}
