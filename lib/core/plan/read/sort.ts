import { invalidSort } from '../../errors/errors.ts'
import { type Collection, type DataField, type Field, isRelation, type ReadableField } from '../../model/model.ts'
import type { SortAsked } from '../../request/request.ts'
import { followPath, followsNone, isFunction, isOfElements, type Purpose, stepsThrough } from '../field-path.ts'
import { isSameValue } from '../order.ts'
import type { Order, OrderTerm } from '../plan.ts'
import { planRelated } from './related-functions.ts'

/**
 * Returns a total order: the client's terms, then the fields of the key as tie-breakers (docs/http.md: Query strings).
 * Throws invalid_sort for a field that is unknown, unreadable or not sortable.
 */
export function planSort (terms: readonly SortAsked[], collection: Collection): Order {
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

const has = (order: Order, term: OrderTerm) => order.some(one => isSameValue(one, term))

/** Returns the opposite order, nulls included. A page with `before` is read in this order. */
export const reverse = (order: Order): Order =>
  order.map(term => ({ ...term, descending: !term.descending }))

/** Follows the path to the field at its end, or to the relation of a function. Every other name is a sub-item. */
function planTerm ({ path: names, descending, at }: SortAsked, collection: Collection): OrderTerm {
  const purpose = sorting(at)
  const { steps, field, called } = followPath(names, collection, purpose)
  const path = stepsThrough(steps)
  if (isOfElements(field, called)) {
    checkSortable(field, at)
    return { path, related: planRelated(field, called, purpose.invalid), descending }
  }
  const [last] = called
  if (last !== undefined) {
    purpose.enter(field, called)
    throw purpose.invalid(followsNone(last, field.name))
  }
  const sorted = checkSorted(field, names, at)
  return path.length === 0 ? { field: sorted, descending } : { path, field: sorted, descending }
}

const sorting = (at: SortAsked['at']): Purpose & Required<Pick<Purpose, 'enter'>> => ({
  aim: 'to sort by',
  invalid: (message, suggestion) => invalidSort(message, at, suggestion),
  enter (field, names) {
    const { name } = field
    const last = names.at(-1) ?? ''
    if (!isRelation(field) && isFunction(last)) throw invalidSort(followsNone(last, name), at)
    if (field.kind === 'sub-collection') {
      const advice = `Sort by their number, or by one of them, as in '${name}.count()' and '${name}.id.max()'.`
      throw invalidSort(`Items cannot be sorted through '${name}', of which an item can have many. ${advice}`, at)
    }
    if (field.kind === 'sub-item') checkSortable(field, at)
  }
})

function checkSortable ({ name, sortable }: ReadableField, at: SortAsked['at']): void {
  if (!sortable) throw invalidSort(`Items cannot be sorted by the field '${name}'.`, at)
}

function checkSorted (field: ReadableField, path: readonly string[], at: SortAsked['at']): DataField {
  const { name } = field
  if (field.kind === 'computed') {
    throw invalidSort(`Items cannot be sorted by the field '${name}', which is computed.`, at)
  }
  if (field.kind === 'sub-collection') {
    const reason = `which is not a scalar; sort by the number of its items, as in '${[...path, 'count()'].join('.')}'`
    throw invalidSort(`Items cannot be sorted by the field '${name}', ${reason}.`, at)
  }
  if (field.kind === 'sub-item') {
    const known = [...field.target.fields.values()].find(isSortable)
    const example = known && `; sort by one of its fields, as in '${[...path, known.name].join('.')}'`
    throw invalidSort(`Items cannot be sorted by the field '${name}', which is not a scalar${example ?? ''}.`, at)
  }
  if (!isSortable(field)) throw invalidSort(`Items cannot be sorted by the field '${name}'.`, at)
  return field
}

/** Returns true for a readable field of scalars that an order may name. */
export const isSortable = (field: Field): field is DataField => field.readable && field.sortable &&
  (field.kind === 'stored' || field.kind === 'expression') && field.type.kind !== 'json'
