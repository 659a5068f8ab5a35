import { invalidSort } from '../../errors/errors.ts'
import { didYouMean, suggest } from '../../errors/suggest.ts'
import type { Collection, DataField, Field, ReadableField } from '../../model/model.ts'
import type { SortTerm } from '../../request/request.ts'
import { isSameTerm } from '../order.ts'
import type { Order, OrderTerm, SubItemStep } from '../plan.ts'
import { always } from '../predicates.ts'
import { findReadable, readableNames } from './select.ts'

/**
 * Returns a total order: the client's terms, then the fields of the key as tie-breakers (docs/http.md: Query strings).
 * Throws invalid_sort for a field that is unknown, unreadable or not sortable.
 */
export function planSort (terms: readonly SortTerm[], collection: Collection): Order {
  const order: OrderTerm[] = []
  const keyTerms = collection.key.map(field => ({ field, descending: false }))
  for (const term of terms) {
    const planned = planTerm(term, collection)
    // A second term of the same field has no effect, and neither has any term after the key, which is unique.
    if (!has(order, planned) && !keyTerms.every(one => has(order, one))) order.push(planned)
  }
  for (const term of keyTerms) if (!has(order, term)) order.push(term)
  return order
}

const has = (order: Order, term: OrderTerm) => order.some(one => isSameTerm(one, term))

/** Returns the opposite order, nulls included. A page with `before` is read in this order. */
export const reverse = (order: Order): Order =>
  order.map(term => ({ ...term, descending: !term.descending }))

/** Follows the path to the field at its end. Every name but the last is a sub-item. */
function planTerm (term: SortTerm, collection: Collection): OrderTerm {
  const { descending } = term
  const path: SubItemStep[] = []
  let holder = collection
  for (const name of term.path.slice(0, -1)) {
    const field = findStep(name, holder, term)
    path.push({ field, where: always })
    holder = field.target
  }
  const field = findSorted(term.path.at(-1) ?? '', holder, term)
  return path.length === 0 ? { field, descending } : { path, field, descending }
}

function findStep (name: string, collection: Collection, { at }: SortTerm): SubItemStep['field'] {
  const field = find(name, collection, at)
  if (field.kind === 'sub-collection') {
    throw invalidSort(`Items cannot be sorted through '${name}', of which an item can have many.`, at)
  }
  if (field.kind !== 'sub-item') {
    throw invalidSort(`The field '${name}' is a scalar and has no fields of its own.`, at)
  }
  if (!field.sortable) throw invalidSort(`Items cannot be sorted by the field '${name}'.`, at)
  return field
}

function findSorted (name: string, collection: Collection, { path, at }: SortTerm): DataField {
  const field = find(name, collection, at)
  if (field.kind === 'computed') {
    throw invalidSort(`Items cannot be sorted by the field '${name}', which is computed.`, at)
  }
  if (field.kind === 'sub-collection') {
    throw invalidSort(`Items cannot be sorted by the field '${name}', which is not a scalar.`, at)
  }
  if (field.kind === 'sub-item') {
    const known = [...field.target.fields.values()].find(isSortable)
    const example = known && `; sort by one of its fields, as in '${[...path, known.name].join('.')}'`
    throw invalidSort(`Items cannot be sorted by the field '${name}', which is not a scalar${example ?? ''}.`, at)
  }
  if (!isSortable(field)) throw invalidSort(`Items cannot be sorted by the field '${name}'.`, at)
  return field
}

function find (name: string, collection: Collection, at: SortTerm['at']): ReadableField {
  const field = findReadable(collection, name)
  if (field !== undefined) return field
  const suggestion = suggest(name, readableNames(collection))
  throw invalidSort(`There is no field '${name}' to sort by.${didYouMean(suggestion)}`, at, suggestion)
}

/** Returns true for a readable field of scalars that an order may name. */
export const isSortable = (field: Field): field is DataField => field.readable && field.sortable &&
  (field.kind === 'stored' || field.kind === 'expression') && field.type.kind !== 'json'
