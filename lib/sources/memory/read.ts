import { decimalOfKey } from '../../model/decimals.ts'
import type { DataField } from '../../model/model.ts'
import type { Listing, Origin, ReadPlan, Selection, Step, ReadPlanOf, Row } from '../../plan/plan.ts'
import { always } from '../../plan/predicates.ts'
import type { Batches, Ends, Group, JsonResult, Missed, ReadResult } from '../source.ts'
import { writeInParts } from '../json-text.ts'
import { candidateRows } from './candidates.ts'
import { tick } from './clock.ts'
import { compileFilter } from './filter.ts'
import { itemOf, listerOf, projectionOf, textsOf } from './projections.ts'
import { relatedOf } from './relations.ts'
import { compareValues, sortRows } from './sort.ts'
import { comparableReaderOf, readerOf } from './values.ts'

/** Runs a read on the objects in memory. */
export function runRead (plan: ReadPlan): ReadResult {
  const resolved = resolveSteps(plan.steps)
  if (resolved.kind !== 'resolved') return resolved
  switch (plan.kind) {
    case 'item': return readItem(plan, resolved.row)
    case 'list': return readList(plan, resolved.row)
    case 'groups': return readGroups(plan, resolved.row)
  }
}

/** Runs a read, whose result is JSON text unless code of the application computes a part of it. */
export function runJsonRead (plan: ReadPlan): ReadResult | JsonResult {
  const resolved = resolveSteps(plan.steps)
  if (resolved.kind !== 'resolved') return resolved
  switch (plan.kind) {
    case 'item': return readItemTexts(plan, resolved.row)
    case 'list': return readListText(plan, resolved.row)
    case 'groups': return readGroups(plan, resolved.row)
  }
}

/** The object of the last step; undefined if there are no steps. */
interface Resolved { readonly kind: 'resolved', readonly row: object | undefined }

/** Follows the steps. Each must lead to exactly one item. */
export function resolveSteps (steps: readonly Step[]): Resolved | Missed {
  let row: object | undefined
  let index = 0
  for (const step of steps) {
    const found = rowsOf(step, row, step.where)
    if (found.length === 0) return { kind: 'missing', step: index }
    if (found.length > 1) return { kind: 'ambiguous', step: index }
    row = found[0]
    index++
  }
  return { kind: 'resolved', row }
}

/** Returns the matching objects of a collection, or of the parent's relation `via`. */
function rowsOf (
  { collection, via }: Origin | Step, parent: object | undefined, where: Listing['where']
): readonly object[] {
  const rows = via === undefined || parent === undefined ? candidateRows(collection, where) : relatedOf(via)(parent)
  return filterRows(rows, where)
}

function filterRows (rows: Iterable<object>, where: Listing['where']): readonly object[] {
  if (where === always && Array.isArray(rows)) return rows
  const test = compileFilter(where)
  const matching: object[] = []
  for (const row of rows) {
    tick()
    if (test(row)) matching.push(row)
  }
  return matching
}

function readItem ({ select }: ReadPlanOf<'item'>, row: object | undefined): ReadResult {
  return { kind: 'rows', rows: row === undefined ? [] : [projectionOf(select)(row)], more: false }
}

type ListPlan = ReadPlanOf<'list'>

function readList (plan: ListPlan, parent: object | undefined): ReadResult {
  const { listing, extra, count } = plan
  const { page, more, total } = findPage(plan, parent)
  return { kind: 'rows', rows: page.map(projectionOf(listing.select, extra)), more, ...count && { total } }
}

function readItemTexts (plan: ReadPlanOf<'item'>, row: object | undefined): ReadResult | JsonResult {
  const texts = textsOf(plan.select)
  return texts === undefined || row === undefined ? readItem(plan, row) : { kind: 'values', values: texts(row) }
}

function readListText (plan: ListPlan, parent: object | undefined): ReadResult | JsonResult {
  const { listing, extra, count, longest = Infinity } = plan
  const make = itemOf(listing.select)
  if (make === undefined) return readList(plan, parent)
  const { page, more, total } = findPage(plan, parent)
  const items = page.map(make)
  return {
    kind: 'items',
    text: reversed => `[${writeInParts(reversed ? items.toReversed() : items, longest, JSON.stringify)}]`,
    ends: endsOf(page, projectionOf(none, extra)),
    more,
    ...count && { total }
  }
}

const none: Selection = Object.freeze([])

/** The rows are made at once: the application may change its objects before links are made of them. */
function endsOf (page: readonly object[], project: (row: object) => Row): Ends | undefined {
  const [first] = page
  const last = page.at(-1)
  if (first === undefined || last === undefined) return undefined
  const rows = { first: project(first), last: project(last) }
  return { first: () => rows.first, last: () => rows.last }
}

/** Finds and sorts the objects of a listing once, and projects them batch by batch. */
export function readInBatches (plan: ListPlan, size: number): Batches {
  const { steps, listing, extra, count } = plan
  const resolved = resolveSteps(steps)
  if (resolved.kind !== 'resolved') return { first: resolved, rows: projectBatches([], plan, size) }
  const { page, more, total } = findPage(plan, resolved.row)
  const rows = page.slice(0, size).map(projectionOf(listing.select, extra))
  const first = { kind: 'rows', rows, more, ...count && { total } } as const
  return { first, rows: projectBatches(page, plan, size) }
}

/** Each object is tested again: what was written since they were found may have taken it from the scope. */
async function * projectBatches (
  rows: readonly object[], { listing, extra }: ListPlan, size: number
): AsyncGenerator<readonly Row[]> {
  const project = projectionOf(listing.select, extra)
  const test = compileFilter(listing.where)
  for (let start = 0; start < rows.length; start += size) {
    yield rows.slice(start, start + size).filter(row => test(row)).map(project)
  }
}

/** `more`: further objects follow the page. `total`: the number of objects before the plan's cursor is applied. */
interface FoundPage { readonly page: readonly object[], readonly more: boolean, readonly total: number }

function findPage ({ from, listing, cursorBound }: ListPlan, parent: object | undefined): FoundPage {
  const { where, order, range } = listing
  const rows = rowsOf(from, parent, where)
  return { ...cut(sortRows(filterRows(rows, cursorBound), order, limitOf(range)), range), total: rows.length }
}

/** Returns the number of rows to read: those of the range, and one more, which shows that further rows follow. */
const limitOf = ({ offset, limit }: Listing['range']) => offset + limit + 1

function cut<T> (
  rows: readonly T[], { offset, limit }: Listing['range']
): { readonly page: readonly T[], readonly more: boolean } {
  return { page: rows.slice(offset, offset + limit), more: rows.length > offset + limit }
}

function readGroups (plan: ReadPlanOf<'groups'>, parent: object | undefined): ReadResult {
  const { from, by, cursorBound, descending, range, members, count } = plan
  const rowsByValue = groupBy(rowsOf(from, parent, members.where), by)
  rowsByValue.delete(null)
  const compare = (one: unknown, other: unknown) => {
    tick()
    return descending ? compareValues(other, one) : compareValues(one, other)
  }
  const values = [...rowsByValue.keys()].toSorted(compare)
  const isAfterCursor = compileFilter(cursorBound)
  // All rows of a group have its value, so the first row decides.
  const following = values.filter(value => {
    tick()
    return rowsByValue.get(value)?.slice(0, 1).every(isAfterCursor)
  })
  const { page, more } = cut(following, range)
  const list = listerOf(members, projectionOf(members.select))
  const groups = page.map((value): Group => {
    const rows = rowsByValue.get(value) ?? []
    return { value: labelOf(by, value, rows), rows: list(rows) }
  })
  return { kind: 'groups', groups, more, ...count && { total: values.length } }
}

/** Returns the value of a group as it is shown: that of its first row, or the text of all spellings of a decimal. */
function labelOf (by: DataField, comparable: unknown, [row]: readonly object[]): unknown {
  if (by.type.kind === 'decimal') return decimalOfKey(String(comparable))
  return row === undefined ? comparable : readerOf(by)(row)
}

function groupBy (rows: readonly object[], by: DataField): Map<unknown, object[]> {
  const groups = new Map<unknown, object[]>()
  const read = comparableReaderOf(by)
  for (const row of rows) {
    tick()
    const value = read(row)
    const group = groups.get(value)
    if (group === undefined) groups.set(value, [row])
    else group.push(row)
  }
  return groups
}
