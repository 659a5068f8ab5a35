import { invalidSort } from '../../errors/errors.ts'
import { didYouMean, suggest } from '../../errors/suggest.ts'
import {
  type Collection, type DataField, type Field, isRelation, type ReadableField, type SubItemField
} from '../../model/model.ts'
import type { SortTerm } from '../../request/request.ts'
import { isSameValue } from '../order.ts'
import type { Order, OrderTerm, SubItemStep } from '../plan.ts'
import { always } from '../predicates.ts'
import { followsNone, isOfElements, planRelated } from './functions.ts'
import { isFunction } from './group-columns.ts'
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

const has = (order: Order, term: OrderTerm) => order.some(one => isSameValue(one, term))

/** Returns the opposite order, nulls included. A page with `before` is read in this order. */
export const reverse = (order: Order): Order =>
  order.map(term => ({ ...term, descending: !term.descending }))

/** Follows the path to the field at its end, or to the relation of a function. Every other name is a sub-item. */
function planTerm (term: SortTerm, collection: Collection): OrderTerm {
  const { at, descending } = term
  const invalid = (message: string, suggestion?: string) => invalidSort(message, at, suggestion)
  const path: SubItemStep[] = []
  const last = term.path.at(-1) ?? ''
  let holder = collection
  for (const [index, name] of term.path.slice(0, -1).entries()) {
    const field = find(name, holder, at)
    const names = term.path.slice(index + 1)
    if (isOfElements(field, names)) {
      return { path, related: planRelated(checkSortable(field, at), names, invalid), descending }
    }
    if (!isRelation(field) && names.some(isFunction)) throw invalid(followsNone(last, name))
    const step = checkStep(field, at)
    path.push({ field: step, where: always })
    holder = step.target
  }
  if (isFunction(last)) throw invalid(followsNone(last, term.path.at(-2)))
  const field = findSorted(last, holder, term)
  return path.length === 0 ? { field, descending } : { path, field, descending }
}

function checkStep (field: ReadableField, at: SortTerm['at']): SubItemField {
  const { name } = field
  if (field.kind === 'sub-collection') {
    const advice = `Sort by their number, or by one of them, as in '${name}.count()' and '${name}.id.max()'.`
    throw invalidSort(`Items cannot be sorted through '${name}', of which an item can have many. ${advice}`, at)
  }
  if (field.kind !== 'sub-item') {
    throw invalidSort(`The field '${name}' is a scalar and has no fields of its own.`, at)
  }
  return checkSortable(field, at)
}

function checkSortable<F extends ReadableField> (field: F, at: SortTerm['at']): F {
  if (!field.sortable) throw invalidSort(`Items cannot be sorted by the field '${field.name}'.`, at)
  return field
}

function findSorted (name: string, collection: Collection, { path, at }: SortTerm): DataField {
  const field = find(name, collection, at)
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

function find (name: string, collection: Collection, at: SortTerm['at']): ReadableField {
  const field = findReadable(collection, name)
  if (field !== undefined) return field
  const suggestion = suggest(name, readableNames(collection))
  throw invalidSort(`There is no field '${name}' to sort by.${didYouMean(suggestion)}`, at, suggestion)
}

/** Returns true for a readable field of scalars that an order may name. */
export const isSortable = (field: Field): field is DataField => field.readable && field.sortable &&
  (field.kind === 'stored' || field.kind === 'expression') && field.type.kind !== 'json'
