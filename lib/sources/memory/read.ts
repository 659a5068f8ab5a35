import type { DataField } from '../../model/model.ts'
import type { Listing, Origin, ReadPlan, Selection, Step } from '../../plan/plan.ts'
import { everything } from '../../plan/predicates.ts'
import type { Batches, Group, ReadResult, Row } from '../source.ts'
import { candidateRows } from './candidates.ts'
import { compileFilter } from './filter.ts'
import { relatedRows } from './relations.ts'
import { compareValues, sortRows } from './sort.ts'
import { valueOf } from './values.ts'

type PlanOf<K extends ReadPlan['kind']> = Extract<ReadPlan, { kind: K }>

/** Runs a read on the objects in memory. */
export function runRead (plan: ReadPlan): ReadResult {
  const stand = walkSteps(plan.steps)
  if (stand.kind !== 'standing') return stand
  switch (plan.kind) {
    case 'item': return { kind: 'rows', rows: stand.row === undefined ? [] : [showRow(stand.row, plan.select, [])], more: false }
    case 'list': return readList(plan, stand.row)
    case 'groups': return readGroups(plan, stand.row)
  }
}

/** The object that the last step stands on; none where there are no steps. */
type Standing = { readonly kind: 'standing', readonly row: object | undefined } | Extract<ReadResult, { kind: 'missing' | 'ambiguous' }>

/** Follows the steps, each to the one item that it stands on. */
export function walkSteps (steps: readonly Step[]): Standing {
  let row: object | undefined
  for (const [index, step] of steps.entries()) {
    const [found, second] = rowsOf(step, row, step.where)
    if (found === undefined) return { kind: 'missing', step: index }
    if (second !== undefined) return { kind: 'ambiguous', step: index }
    row = found
  }
  return { kind: 'standing', row }
}

/** The objects of a collection, or of what leads to it from the parent, that the predicate holds for. */
function rowsOf ({ collection, via }: Origin | Step, parent: object | undefined, where: Listing['where']): readonly object[] {
  const rows = via === undefined || parent === undefined ? candidateRows(collection, where) : relatedRows(parent, via)
  return filterRows(rows, where)
}

function filterRows (rows: Iterable<object>, where: Listing['where']): readonly object[] {
  if (where === everything && Array.isArray(rows)) return rows
  const test = compileFilter(where)
  const kept: object[] = []
  for (const row of rows) if (test(row)) kept.push(row)
  return kept
}

function readList ({ from, listing, beyond, carry, count }: PlanOf<'list'>, parent: object | undefined): ReadResult {
  const rows = rowsOf(from, parent, listing.where)
  const { page, more } = cut(sortRows(filterRows(rows, beyond), listing.order, mostOf(listing.range)), listing.range)
  return { kind: 'rows', rows: page.map(row => showRow(row, listing.select, carry)), more, ...count && { total: rows.length } }
}

/** A listing whose objects are found and sorted once, and shown batch by batch. */
export function readInBatches (plan: PlanOf<'list'>, size: number): Batches {
  const { steps, from, listing, beyond, carry, count } = plan
  const stand = walkSteps(steps)
  if (stand.kind !== 'standing') return { first: stand, rows: showBatches([], plan, size) }
  const rows = rowsOf(from, stand.row, listing.where)
  const { page, more } = cut(sortRows(filterRows(rows, beyond), listing.order, mostOf(listing.range)), listing.range)
  const first = page.slice(0, size).map(row => showRow(row, listing.select, carry))
  return { first: { kind: 'rows', rows: first, more, ...count && { total: rows.length } }, rows: showBatches(page, plan, size) }
}

async function * showBatches (rows: readonly object[], { listing, carry }: PlanOf<'list'>, size: number): AsyncGenerator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size).map(row => showRow(row, listing.select, carry))
}

/** With the row more that tells that others follow. */
const mostOf = ({ offset, limit }: Listing['range']) => offset + limit + 1

function cut<T> (rows: readonly T[], { offset, limit }: Listing['range']): { readonly page: readonly T[], readonly more: boolean } {
  return { page: rows.slice(offset, offset + limit), more: rows.length > offset + limit }
}

function readGroups ({ from, by, beyond, descending, range, members, count }: PlanOf<'groups'>, parent: object | undefined): ReadResult {
  const rowsByValue = groupBy(rowsOf(from, parent, members.where), by)
  rowsByValue.delete(null)
  const isWanted = compileFilter(beyond)
  const values = [...rowsByValue.keys()].toSorted((one, other) => descending ? compareValues(other, one) : compareValues(one, other))
  // All rows of a group have its value, so any of them can be asked.
  const wanted = values.filter(value => rowsByValue.get(value)?.slice(0, 1).every(isWanted))
  const { page, more } = cut(wanted, range)
  const shown = page.map((value): Group => ({ value, rows: listRows(rowsByValue.get(value) ?? [], members) }))
  return { kind: 'groups', groups: shown, more, ...count && { total: values.length } }
}

function groupBy (rows: readonly object[], by: DataField): Map<unknown, object[]> {
  const groups = new Map<unknown, object[]>()
  for (const row of rows) {
    const value = valueOf(row, by)
    const group = groups.get(value)
    if (group === undefined) groups.set(value, [row])
    else group.push(row)
  }
  return groups
}

function listRows (rows: readonly object[], { order, range, select }: Listing): readonly Row[] {
  return cut(sortRows(rows, order, mostOf(range)), range).page.map(row => showRow(row, select, []))
}

/** What the selection needs of an object, by property. */
function showRow (row: object, select: Selection, carry: readonly DataField[]): Row {
  const shown: Record<string, unknown> = {}
  for (const field of carry) shown[field.property] = valueOf(row, field)
  for (const one of select) {
    if (one.kind === 'list') shown[one.field.property] = listRows(filterRows(relatedRows(row, one.field), one.listing.where), one.listing)
    else if (one.kind === 'item') shown[one.field.property] = showItem(row, one)
    else if (one.field.kind === 'computed') for (const field of one.field.from) shown[field.property] = valueOf(row, field)
    else shown[one.field.property] = valueOf(row, one.field)
  }
  return shown
}

function showItem (row: object, { field, where, select }: Extract<Selection[number], { kind: 'item' }>): Row | null {
  const [found] = filterRows(relatedRows(row, field), where)
  return found === undefined ? null : showRow(found, select, [])
}
