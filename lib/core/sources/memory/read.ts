import { decimalOfKey } from '../../model/numbers.ts'
import type { Collection, DataField } from '../../model/model.ts'
import { isExact } from '../../model/values.ts'
import { carriedTerms } from '../../plan/order.ts'
import type { Origin, Predicate, Range, ReadPlan, ReadPlanOf, Row, Step } from '../../plan/plan.ts'
import { keyValuesIn } from '../../plan/predicates.ts'
import type { FoundRows, Missed, ReadResult } from '../source.ts'
import { notNullGroup } from '../not-null.ts'
import { groupRows } from './aggregate.ts'
import { compareValues } from './compare.ts'
import { compileFilter, filterRows } from './filter.ts'
import { relatedOf, memoryTable } from './relations.ts'
import { listerOf, projectorOf } from './select.ts'
import { sortRows } from './sort.ts'
import { type Tick, untimed } from './tick.ts'
import { columnsOf, comparableReaderOf, readerOf } from './values.ts'

type ListPlan = ReadPlanOf<'list'>
type GroupsPlan = ReadPlanOf<'groups'>

export function runRead (plan: ReadPlan, tick: Tick = untimed): ReadResult {
  const resolved = resolveSteps(plan.steps, tick)
  if (resolved.kind !== 'resolved') return resolved
  switch (plan.kind) {
    case 'item': {
      const rows = resolved.row === undefined ? [] : [projectorOf(plan.select, tick)(resolved.row)]
      return { kind: 'rows', rows, more: false }
    }
    case 'list': {
      const { page, more, total } = findPage(plan, resolved.row, tick)
      const rows = page.map(carryingProjection(plan, tick))
      return { kind: 'rows', rows, more, ...plan.count && { total } }
    }
    case 'groups': return readGroups(plan, resolved.row, tick)
    case 'aggregate': return readAggregate(plan, resolved.row, tick)
  }
}

/** A listing whose objects are found and sorted. `rowsOf` returns the rows of a part of them that still match. */
interface FoundListing {
  readonly kind: 'listing'
  readonly page: readonly object[]
  readonly more: boolean
  readonly total: number
  rowsOf (start: number, size: number, tick: Tick): readonly Row[]
}

/** Finds and sorts the objects of a listing once. */
export function findListing (plan: ListPlan, tick: Tick): FoundListing | Missed {
  const resolved = resolveSteps(plan.steps, tick)
  if (resolved.kind !== 'resolved') return resolved
  const { where } = plan.listing
  const found = findPage(plan, resolved.row, tick)
  return {
    kind: 'listing',
    ...found,
    // What was written since the objects were found may have taken them from the scope.
    rowsOf: (start, size, tick) =>
      filterRows(found.page.slice(start, start + size), where, tick).map(carryingProjection(plan, tick))
  }
}

const carryingProjection = (plan: ListPlan, tick: Tick) =>
  projectorOf(plan.listing.select, tick, [...plan.extra.map(field => ({ field })), ...carriedTerms(plan)])

/** The object of the last step; undefined if there are no steps. */
interface Resolved { readonly kind: 'resolved', readonly row: object | undefined }

/** Follows the steps. Each must lead to exactly one item. */
export function resolveSteps (steps: readonly Step[], tick: Tick = untimed): Resolved | Missed {
  let row: object | undefined
  for (const [index, step] of steps.entries()) {
    const [found, second] = matchingRows(step, row, step.where, tick)
    if (found === undefined) return { kind: 'missing', step: index }
    if (second !== undefined) return { kind: 'ambiguous', step: index }
    row = found
  }
  return { kind: 'resolved', row }
}

/** Returns the objects of a step that begins a path. */
export const objectsOf = (step: Step): readonly object[] => matchingRows(step, undefined, step.where, untimed)

/** Returns the matching objects of a collection, or of the parent's relation `via`. */
function matchingRows (
  { collection, via }: Origin | Step, parent: object | undefined, where: Predicate, tick: Tick
): readonly object[] {
  const rows = via === undefined || parent === undefined
    ? indexed(where, collection) ?? memoryTable(collection).all()
    : relatedOf(via, tick)(parent)
  return filterRows(rows, where, tick)
}

/** Returns rows that include all matches, where an index finds them by an identifier; otherwise undefined. */
function indexed (where: Predicate, collection: Collection): readonly object[] | undefined {
  switch (where.kind) {
    case 'compare': return indexedCompare(where, collection)
    case 'any': {
      const found = where.of.map(one => indexed(one, collection))
      return found.every(rows => rows !== undefined) ? [...new Set(found.flat())] : undefined
    }
    case 'all': {
      const key = keyValuesIn(where, collection.key)
      if (key !== undefined) return memoryTable(collection).finder(columnsOf(collection.key))(key)
      for (const one of where.of) {
        const rows = indexed(one, collection)
        if (rows !== undefined) return rows
      }
      return undefined
    }
    default: return undefined
  }
}

function indexedCompare (
  { field, operator, value }: Extract<Predicate, { kind: 'compare' }>, collection: Collection
): readonly object[] | undefined {
  if (field.kind !== 'stored' || !field.identifier || !isExact(operator)) return undefined
  const values = Array.isArray(value) ? value as readonly unknown[] : [value]
  const find = memoryTable(collection).finder(columnsOf([field]))
  return [...new Set(values.flatMap(one => find([one])))]
}

/** `more`: further objects follow the page. `total`: the number of objects before the plan's cursor is applied. */
interface FoundPage { readonly page: readonly object[], readonly more: boolean, readonly total: number }

function findPage ({ from, listing, cursorBound }: ListPlan, parent: object | undefined, tick: Tick): FoundPage {
  const rows = matchingRows(from, parent, listing.where, tick)
  const following = sortRows(filterRows(rows, cursorBound, tick), listing.order, tick)
  return { ...cut(following, listing.range), total: rows.length }
}

const cut = <T>(rows: readonly T[], { offset, limit }: Range) =>
  ({ page: rows.slice(offset, offset + limit), more: rows.length > offset + limit })

function readGroups (plan: GroupsPlan, parent: object | undefined, tick: Tick): FoundRows {
  const { from, by, cursorBound, descending, range, members, count } = plan
  const groups = groupBy(matchingRows(from, parent, members.where, tick), by, tick)
  const sign = descending ? -1 : 1
  const values = [...groups.keys()].sort((one, other) => {
    tick(1)
    return compareValues(one, other) * sign
  })
  const isAfterCursor = compileFilter(cursorBound, tick)
  // All rows of a group have its value, so the first row decides.
  const following = values.filter(value => groups.get(value)?.slice(0, 1).every(isAfterCursor))
  const { page, more } = cut(following, range)
  const list = listerOf(members, tick)
  return {
    kind: 'groups',
    groups: page.map(value => {
      const rows = groups.get(value) ?? []
      return { value: labelOf(by, value, rows), rows: list(rows) }
    }),
    more,
    ...count && { total: values.length }
  }
}

function readAggregate (plan: ReadPlanOf<'aggregate'>, parent: object | undefined, tick: Tick): FoundRows {
  const { from, where, having, order, range, count } = plan
  const groups = filterRows(groupRows(matchingRows(from, parent, where, tick), plan, tick), having, tick)
  const { page, more } = cut(sortRows(groups, order, tick) as readonly Row[], range)
  return { kind: 'rows', rows: page.map(notNullGroup(plan.columns)), more, ...count && { total: groups.length } }
}

/** Returns the rows by the value of a field as it is compared. Rows whose value is null are in no group. */
function groupBy (rows: readonly object[], by: DataField, tick: Tick): ReadonlyMap<unknown, readonly object[]> {
  const read = comparableReaderOf(by)
  const groups = new Map<unknown, object[]>()
  for (const row of rows) {
    tick(1)
    const value = read(row)
    const group = groups.get(value)
    if (group !== undefined) group.push(row)
    else if (value !== null) groups.set(value, [row])
  }
  return groups
}

/** Returns the value of a group as it is shown: that of its first row, or the text of all spellings of a decimal. */
function labelOf (by: DataField, comparable: unknown, [row]: readonly object[]): unknown {
  if (by.type.kind === 'decimal') return decimalOfKey(String(comparable))
  return row === undefined ? comparable : readerOf(by)(row)
}
