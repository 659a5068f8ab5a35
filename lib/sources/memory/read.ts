import { decimalOfKey } from '../../model/decimals.ts'
import type { DataField } from '../../model/model.ts'
import type { Listing, Origin, ReadPlan, Selection, Step, ReadPlanOf, Row } from '../../plan/plan.ts'
import { always } from '../../plan/predicates.ts'
import type { Ends, Group, JsonResult, Missed, ReadResult } from '../source.ts'
import { candidateRows, matchesByIndex } from './candidates.ts'
import { tick } from './clock.ts'
import { compileFilter, filterRows } from './filter.ts'
import { sortLong } from './merge-sort.ts'
import { arrayOf, itemTextOf, memberTextsOf } from './item-texts.ts'
import { listerOf } from './nested.ts'
import { projectionOf } from './projections.ts'
import { relatedOf } from './relations.ts'
import { compareValues } from './compare-values.ts'
import { sortRows } from './sort.ts'
import { inTurn, leaving, mapEach, resumed } from './suspension.ts'
import { comparableReaderOf, readerOf } from './values.ts'

/** Runs a read on the objects in memory. Can be suspended. */
export const runRead = (plan: ReadPlan): ReadResult => inTurn(() => resolveSteps(plan.steps), resolved => {
  if (resolved.kind !== 'resolved') return resolved
  switch (plan.kind) {
    case 'item': return readItem(plan, resolved.row)
    case 'list': return readList(plan, resolved.row)
    case 'groups': return readGroups(plan, resolved.row)
  }
})

/** Runs a read, whose result is JSON text unless code of the application computes a part of it. Can be suspended. */
export const runJsonRead = (plan: ReadPlan): ReadResult | JsonResult =>
  inTurn(() => resolveSteps(plan.steps), resolved => {
    if (resolved.kind !== 'resolved') return resolved
    switch (plan.kind) {
      case 'item': return readItemTexts(plan, resolved.row)
      case 'list': return readListText(plan, resolved.row)
      case 'groups': return readGroups(plan, resolved.row)
    }
  })

/** The object of the last step; undefined if there are no steps. */
interface Resolved { readonly kind: 'resolved', readonly row: object | undefined }

/** Follows the steps. Each must lead to exactly one item. Can be suspended. */
export function resolveSteps (steps: readonly Step[]): Resolved | Missed {
  let { index, row } = resumed<{ index: number, row: object | undefined }>() ?? { index: 0, row: undefined }
  try {
    for (; index < steps.length; index++) {
      const step = steps[index] as Step
      const found = rowsOf(step, row, step.where)
      if (found.length === 0) return { kind: 'missing', step: index }
      if (found.length > 1) return { kind: 'ambiguous', step: index }
      row = found[0]
    }
    return { kind: 'resolved', row }
  } catch (error) {
    throw leaving(error, { index, row })
  }
}

/** Returns the matching objects of a collection, or of the parent's relation `via`. Can be suspended. */
function rowsOf (
  { collection, via }: Origin | Step, parent: object | undefined, where: Listing['where']
): readonly object[] {
  if (via === undefined || parent === undefined) {
    return matchesByIndex(collection, where) ?? matchingRows(candidateRows(collection, where), where)
  }
  return inTurn(() => relatedOf(via)(parent), rows => matchingRows(rows, where))
}

function matchingRows (rows: Iterable<object>, where: Listing['where']): readonly object[] {
  return where === always && Array.isArray(rows) ? rows : filterRows(rows, compileFilter(where))
}

function readItem ({ select }: ReadPlanOf<'item'>, row: object | undefined): ReadResult {
  return { kind: 'rows', rows: row === undefined ? [] : [projectionOf(select)(row)], more: false }
}

type ListPlan = ReadPlanOf<'list'>

const readList = (plan: ListPlan, parent: object | undefined): ReadResult =>
  inTurn(() => findPage(plan, parent), ({ page, more, total }) => {
    const { listing, extra, count } = plan
    return { kind: 'rows', rows: mapEach(page, projectionOf(listing.select, extra)), more, ...count && { total } }
  })

function readItemTexts (plan: ReadPlanOf<'item'>, row: object | undefined): ReadResult | JsonResult {
  const texts = memberTextsOf(plan.select)
  return texts === undefined || row === undefined ? readItem(plan, row) : { kind: 'values', values: texts(row) }
}

function readListText (plan: ListPlan, parent: object | undefined): ReadResult | JsonResult {
  const { listing, extra, count } = plan
  const write = itemTextOf(listing.select)
  if (write === undefined) return readList(plan, parent)
  return inTurn(() => findPage(plan, parent), ({ page, more, total }) =>
    inTurn(() => mapEach(page, write), texts => {
      return {
        kind: 'items',
        text: reversed => arrayOf(reversed ? texts.toReversed() : texts),
        ends: endsOf(page, projectionOf(none, extra)),
        more,
        ...count && { total }
      }
    }))
}

const none: Selection = Object.freeze([])

/** The rows are made at once: the application may change its objects before links are made of them. */
function endsOf (page: readonly object[], project: (row: object) => Row): Ends | undefined {
  const [first, last] = mapEach([...page.slice(0, 1), ...page.slice(-1)], project)
  return first && last && { first: () => first, last: () => last }
}

/** The objects of a listing, found and sorted. `project` makes the rows of a batch of them. Both can be suspended. */
export interface FoundListing {
  readonly first: Missed | Extract<ReadResult, { kind: 'rows' }>
  readonly page: readonly object[]
  project (batch: readonly object[]): readonly Row[]
}

/** Finds and sorts the objects of a listing once, and projects the first batch. */
export const findListing = (plan: ListPlan, size: number): FoundListing =>
  inTurn(() => resolveSteps(plan.steps), resolved => {
    const { listing, extra, count } = plan
    const project = projectionOf(listing.select, extra)
    if (resolved.kind !== 'resolved') return { first: resolved, page: [], project: () => [] }
    return inTurn(() => findPage(plan, resolved.row), ({ page, more, total }) => {
      const rows = mapEach(page.slice(0, size), project)
      const test = compileFilter(listing.where)
      return {
        first: { kind: 'rows', rows, more, ...count && { total } },
        page,
        // What was written since the objects were found may have taken them from the scope.
        project: batch => inTurn(() => filterRows(batch, test), found => mapEach(found, project))
      }
    })
  })

/** `more`: further objects follow the page. `total`: the number of objects before the plan's cursor is applied. */
interface FoundPage { readonly page: readonly object[], readonly more: boolean, readonly total: number }

function findPage ({ from, listing, cursorBound }: ListPlan, parent: object | undefined): FoundPage {
  const { where, order, range } = listing
  return inTurn(() => rowsOf(from, parent, where), rows =>
    inTurn(() => matchingRows(rows, cursorBound), following => {
      const { page, more } = cut(sortRows(following, order, limitOf(range)), range)
      return { page, more, total: rows.length }
    }))
}

/** Returns the number of rows to read: those of the range, and one more, which shows that further rows follow. */
const limitOf = ({ offset, limit }: Listing['range']) => offset + limit + 1

function cut<T> (
  rows: readonly T[], { offset, limit }: Listing['range']
): { readonly page: readonly T[], readonly more: boolean } {
  return { page: rows.slice(offset, offset + limit), more: rows.length > offset + limit }
}

const readGroups = (plan: ReadPlanOf<'groups'>, parent: object | undefined): ReadResult =>
  inTurn(() => inTurn(() => rowsOf(plan.from, parent, plan.members.where), rows => groupBy(rows, plan.by)), groups =>
    inTurn(() => sortValues(groups, plan.descending), values => pageOfGroups(plan, groups, values)))

type RowsByValue = ReadonlyMap<unknown, readonly object[]>

const sortValues = (groups: RowsByValue, descending: boolean): readonly unknown[] => sortLong([...groups.keys()],
  descending ? (one, other) => compareValues(other, one) : compareValues)

function pageOfGroups (plan: ReadPlanOf<'groups'>, rowsByValue: RowsByValue, values: readonly unknown[]): ReadResult {
  const { by, cursorBound, range, members, count } = plan
  const isAfterCursor = compileFilter(cursorBound)
  // All rows of a group have its value, so the first row decides.
  const isOnPage = (value: unknown) => {
    const [row] = rowsByValue.get(value) ?? []
    return row !== undefined && isAfterCursor(row)
  }
  const following = cursorBound === always ? values : values.filter(isOnPage)
  const { page, more } = cut(following, range)
  const list = listerOf(members, projectionOf(members.select))
  const groups = mapEach(page, (value): Group => {
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

interface Grouping { readonly groups: Map<unknown, object[]>, readonly index: number }

/** Rows whose value is null are in no group. */
function groupBy (rows: readonly object[], by: DataField): RowsByValue {
  const read = comparableReaderOf(by)
  let { groups, index } = resumed<Grouping>() ?? { groups: new Map(), index: 0 }
  try {
    for (; index < rows.length; index++) {
      tick()
      const row = rows[index] as object
      const value = read(row)
      const group = groups.get(value)
      if (group !== undefined) group.push(row)
      else if (value !== null) groups.set(value, [row])
    }
    return groups
  } catch (error) {
    throw leaving(error, { groups, index })
  }
}
