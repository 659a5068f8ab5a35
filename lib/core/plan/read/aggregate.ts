import { invalidFields, invalidFilter, invalidPage, invalidSort } from '../../errors/errors.ts'
import { suggest } from '../../errors/suggest.ts'
import type { Collection, DataField } from '../../model/model.ts'
import type { ComparisonFilter, Filter, Query, SortAsked } from '../../request/request.ts'
import { memoize, memoizeThree } from '../../scheduling/memoize.ts'
import { type Invalid, isOfItems } from '../field-path.ts'
import { isSameValue } from '../order.ts'
import type { CollectionPart } from '../path/walk.ts'
import type { GroupColumn, Order, OrderTerm, Predicate, ReadPlanOf } from '../plan.ts'
import { all, always, any, both } from '../predicates.ts'
import { checkFilterCost, compareColumn, planFilters } from './filter.ts'
import { GroupColumns, planColumns } from './group-columns.ts'
import { type Paging, planPaging } from './link-style.ts'
import type { Read, ReadOptions } from './read.ts'

// Groups of items and their values (docs/http.md: Groups).

type AggregateRead = Extract<Read, { kind: 'aggregate' }>

/** `by`: the field of a dictionary of groups. */
type Grouped = CollectionPart & { readonly by: DataField | undefined }

/**
 * Plans the groups that a selection makes: a listing of them, or a dictionary by the values of one field. Throws
 * invalid_filter, invalid_sort, invalid_fields or invalid_page.
 */
export function planAggregate (
  { from, where, walked, by }: Grouped, query: Query, count: boolean, options: ReadOptions
): AggregateRead {
  const whole = cachedGroups(options, query, from.collection)(by ?? from.collection)
  if (where === always && walked.length === 0 && !count) return whole
  const { plan, ...read } = whole
  const steps = walked.map(({ step }) => step)
  return { ...read, walked, plan: { ...plan, steps, from, where: both(where, plan.where), count } }
}

/** The groups of a whole collection: one frozen plan for all requests with the same query. */
const cachedGroups = memoizeThree((options: ReadOptions, query: Query, collection: Collection) =>
  memoize((by: DataField | Collection) => planGroupsOf('kind' in by ? by : undefined, query, collection, options)))

function planGroupsOf (
  by: DataField | undefined, query: Query, collection: Collection, options: ReadOptions
): AggregateRead {
  const columns = new GroupColumns(collection)
  const { fields = [], at } = query
  if (!collection.strategies.aggregates) {
    throw invalidFields(`The items of '${collection.name}' cannot be grouped.`, at.fields ?? nowhere)
  }
  // The field of a dictionary is its first column.
  const name = by && columns.group([by.name], message => invalidFields(message, at.fields ?? nowhere))
  const show = planColumns(fields, columns)
  const other = by && show.find(({ call }) => call === undefined)
  if (other !== undefined) {
    const reason = `the groups of this dictionary are those of '${by?.name}'`
    throw invalidFields(`'${other.field.name}' cannot be selected here: ${reason}.`, at.fields ?? nowhere)
  }
  const { items, groups } = split(query.filters, collection)
  const having = all(groups.map(filter => planHaving(filter, columns)))
  const order = planOrder(query.sort ?? [], columns)
  const paging = offsetPaging(planPaging(query, order, collection, options), query)
  const where = planFilters(items, collection)
  const values = columns.all.flatMap(({ of }): readonly OrderTerm[] => of ? [{ ...of, descending: false }] : [])
  checkFilterCost({ where, order: values, select: [] }, options.mostCost, at.filter ?? at.fields)
  const plan: ReadPlanOf<'aggregate'> = {
    kind: 'aggregate',
    steps: [],
    from: { collection, via: undefined },
    where,
    columns: columns.all,
    named: by !== undefined,
    having,
    order,
    range: { offset: paging.page.offset, limit: paging.page.size },
    mostGroups: options.mostGroups,
    count: false,
    longest: options.length
  }
  return { kind: 'aggregate', plan: Object.freeze(plan), paging, show, name, walked: [] }
}

const nowhere = { parameter: 'fields', position: 1 }

/** Groups have no cursors: other groups may be made of the items when the next page is read. */
function offsetPaging (paging: Paging, { at }: Query): Paging {
  if (paging.page.style === 'keyset') {
    throw invalidPage("Groups have no cursors; use 'offset' or 'page'.", at.page ?? nowhere)
  }
  return paging.style === 'keyset' ? { ...paging, style: 'offset' } : paging
}

/** Separates the conditions of groups from those of items. Throws invalid_filter for a group that mixes them. */
function split (filters: readonly Filter[], collection: Collection) {
  const all = filters.flatMap(conditionsOf)
  const ofGroups = new Set(all.filter(filter => isHaving(filter, collection)))
  return { items: all.filter(filter => !ofGroups.has(filter)), groups: [...ofGroups] }
}

/** Returns the conditions that must all hold. */
const conditionsOf = (filter: Filter): readonly Filter[] =>
  filter.kind === 'all' ? filter.of.flatMap(conditionsOf) : [filter]

function isHaving (filter: Filter, collection: Collection): boolean {
  switch (filter.kind) {
    case 'some': return false
    case 'compare': return isOfItems(filter.path, collection)
    case 'not': return isHaving(filter.of, collection)
    default: {
      const [first, ...others] = filter.of.map(one => isHaving(one, collection))
      if (others.every(one => one === first)) return first === true
      const advice = 'Write them as filters of their own.'
      throw invalidFilter(`A filter of items and one of groups cannot share parentheses. ${advice}`, placeOf(filter))
    }
  }
}

function placeOf (filter: Filter): ComparisonFilter['at'] {
  switch (filter.kind) {
    case 'some':
    case 'compare': return filter.at
    case 'not': return placeOf(filter.of)
    default: return filter.of[0] === undefined ? nowhere : placeOf(filter.of[0])
  }
}

function planHaving (filter: Filter, columns: GroupColumns): Predicate {
  switch (filter.kind) {
    case 'all': return all(filter.of.map(one => planHaving(one, columns)))
    case 'any': return any(filter.of.map(one => planHaving(one, columns)))
    case 'not': return { kind: 'not', of: planHaving(filter.of, columns) }
    case 'some': throw new TypeError('the elements of a relation are no group')
    case 'compare': {
      const invalid: Invalid = (message, suggestion) => invalidFilter(message, filter.at, suggestion)
      return compareColumn(filter, columns.aggregate(filter.path, invalid).field)
    }
  }
}

/** Returns a total order: the client's terms, then the values by which items are grouped, ascending. */
function planOrder (terms: readonly SortAsked[], columns: GroupColumns): Order {
  const order: OrderTerm[] = []
  const add = (term: OrderTerm) => {
    if (!order.some(one => isSameValue(one, term))) order.push(term)
  }
  for (const term of terms) add({ field: sortedBy(term, columns).field, descending: term.descending })
  for (const { field, call } of columns.all) if (call === undefined) add({ field, descending: false })
  return order
}

function sortedBy ({ path, at }: SortAsked, columns: GroupColumns): GroupColumn {
  const invalid: Invalid = (message, suggestion) => invalidSort(message, at, suggestion)
  const name = path.join('.')
  const known = columns.find(name)
  if (known !== undefined) return known
  if (isOfItems(path, columns.collection)) return columns.aggregate(path, invalid)
  const names = columns.all.map(({ field }) => field.name)
  throw invalid(`Groups cannot be sorted by '${name}'. They have ${names.join(', ')}.`, suggest(name, names))
}
