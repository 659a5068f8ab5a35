import { didYouMean, invalidSort } from '../errors.ts'
import type { Collection } from '../model/model.ts'
import type { SortTerm } from '../request/request.ts'
import type { Order, OrderTerm } from './plan.ts'
import { suggest } from './suggest.ts'
import { findReadable, readableNames } from './visible.ts'

/**
 * Returns a total order: the client's terms, then the key as tie-breaker (docs/http.md: Query strings). Throws
 * invalid_sort for a field that is unknown, unreadable or not sortable.
 */
export function planSort (terms: readonly SortTerm[], collection: Collection): Order {
  const order: OrderTerm[] = []
  for (const term of terms) {
    const planned = planTerm(term, collection)
    // A second term of the same field has no effect, and neither has any term after the key, which is unique.
    if (order.some(({ field }) => field === planned.field || field === collection.key)) continue
    order.push(planned)
  }
  if (!order.some(({ field }) => field === collection.key)) order.push({ field: collection.key, descending: false })
  return order
}

/** Returns the opposite order, nulls included. A page with `before` is read in this order. */
export const reverse = (order: Order): Order =>
  order.map(({ field, descending }) => ({ field, descending: !descending }))

function planTerm ({ name, descending, at }: SortTerm, collection: Collection): OrderTerm {
  const field = findReadable(collection, name)
  if (field === undefined) {
    const suggestion = suggest(name, readableNames(collection))
    throw invalidSort(`There is no field '${name}' to sort by.${didYouMean(suggestion)}`, at, suggestion)
  }
  if (field.kind === 'computed') {
    throw invalidSort(`Items cannot be sorted by the field '${name}', which is computed.`, at)
  }
  if (field.kind === 'sub-item' || field.kind === 'sub-collection') {
    throw invalidSort(`Items cannot be sorted by the field '${name}', which is not a scalar.`, at)
  }
  if (!field.sortable || field.type.kind === 'json') {
    throw invalidSort(`Items cannot be sorted by the field '${name}'.`, at)
  }
  return { field, descending }
}
