import { invalidSort } from '../../errors/errors.ts'
import { didYouMean, suggest } from '../../errors/suggest.ts'
import type { Collection, DataField } from '../../model/model.ts'
import type { SortTerm } from '../../request/request.ts'
import type { Order, OrderTerm } from '../plan.ts'
import { findReadable, readableNames } from './select.ts'

/**
 * Returns a total order: the client's terms, then the fields of the key as tie-breakers (docs/http.md: Query strings).
 * Throws invalid_sort for a field that is unknown, unreadable or not sortable.
 */
export function planSort (terms: readonly SortTerm[], collection: Collection): Order {
  const order: OrderTerm[] = []
  for (const term of terms) {
    const planned = planTerm(term, collection)
    // A second term of the same field has no effect, and neither has any term after the key, which is unique.
    if (!has(order, planned.field) && !collection.key.every(field => has(order, field))) order.push(planned)
  }
  for (const field of collection.key) if (!has(order, field)) order.push({ field, descending: false })
  return order
}

const has = (order: Order, field: DataField) => order.some(term => term.field === field)

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
