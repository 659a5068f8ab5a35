import { invalidSort } from '../../errors/errors.ts'
import { didYouMean, suggest } from '../../errors/suggest.ts'
import type { Collection, DataField, Field, ReadableField } from '../../model/model.ts'
import type { SortTerm } from '../../request/request.ts'
import { isSameValue } from '../order.ts'
import type { ItemValue, Order, OrderTerm, SubItemStep } from '../plan.ts'
import { always, isNotNull } from '../predicates.ts'
import { argumentsOf, isExtremeName, isFunction, relationOf } from './functions.ts'
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

/** Follows the path to the field, or the relation that is counted, at its end. Every other name is a sub-item. */
function planTerm (term: SortTerm, collection: Collection): OrderTerm {
  const last = term.path.at(-1) ?? ''
  const path: SubItemStep[] = []
  let holder = collection
  for (const name of term.path.slice(0, -1 - argumentsOf(last))) {
    const field = findStep(name, holder, term)
    path.push({ field, where: always })
    holder = field.target
  }
  return { ...planEnd(last, path, holder, term), descending: term.descending }
}

function planEnd (last: string, path: readonly SubItemStep[], holder: Collection, term: SortTerm): ItemValue {
  if (isFunction(last)) {
    const name = term.path.at(-1 - argumentsOf(last))
    const found = name === undefined || name === last ? undefined : find(name, holder, term.at)
    const field = relationOf(last, found, reason => invalidSort(reason, term.at))
    if (!field.sortable) throw invalidSort(`Items cannot be sorted by the field '${field.name}'.`, term.at)
    if (!isExtremeName(last)) return { path, related: { field, where: always } }
    const of = findSorted(term.path.at(-2) ?? '', field.target, term)
    if (!of.type.operators.has('greater')) {
      throw invalidSort(`The field '${of.name}' has no least or greatest value.`, term.at)
    }
    return { path, related: { field, of, greatest: last === 'max()', where: isNotNull(of) } }
  }
  const field = findSorted(last, holder, term)
  return path.length === 0 ? { field } : { path, field }
}

function findStep (name: string, collection: Collection, { at }: SortTerm): SubItemStep['field'] {
  const field = find(name, collection, at)
  if (field.kind === 'sub-collection') {
    const advice = `Sort by their number, or by one of them, as in '${name}.count()' and '${name}.id.max()'.`
    throw invalidSort(`Items cannot be sorted through '${name}', of which an item can have many. ${advice}`, at)
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
