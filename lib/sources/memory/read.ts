import type { DataField } from '../../model/model.ts'
import type { Listing, Origin, ReadPlan, Selection, Step, ReadPlanOf, Row } from '../../plan/plan.ts'
import { always } from '../../plan/predicates.ts'
import type { Batches, Group, ReadResult } from '../source.ts'
import { candidateRows } from './candidates.ts'
import { compileFilter } from './filter.ts'
import { relatedRows } from './relations.ts'
import { compareValues, sortRows } from './sort.ts'
import { type Reader, readerOf } from './values.ts'

/** Runs a read on the objects in memory. */
export function runRead (plan: ReadPlan): ReadResult {
  const stand = walkSteps(plan.steps)
  if (stand.kind !== 'standing') return stand
  switch (plan.kind) {
    case 'item': return { kind: 'rows', rows: stand.row === undefined ? [] : [showing(plan.select)(stand.row)], more: false }
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
  if (where === always && Array.isArray(rows)) return rows
  const test = compileFilter(where)
  const kept: object[] = []
  for (const row of rows) if (test(row)) kept.push(row)
  return kept
}

function readList ({ from, listing, beyond, carry, count }: ReadPlanOf<'list'>, parent: object | undefined): ReadResult {
  const rows = rowsOf(from, parent, listing.where)
  const { page, more } = cut(sortRows(filterRows(rows, beyond), listing.order, mostOf(listing.range)), listing.range)
  return { kind: 'rows', rows: page.map(showing(listing.select, carry)), more, ...count && { total: rows.length } }
}

/** A listing whose objects are found and sorted once, and shown batch by batch. */
export function readInBatches (plan: ReadPlanOf<'list'>, size: number): Batches {
  const { steps, from, listing, beyond, carry, count } = plan
  const stand = walkSteps(steps)
  if (stand.kind !== 'standing') return { first: stand, rows: showBatches([], plan, size) }
  const rows = rowsOf(from, stand.row, listing.where)
  const { page, more } = cut(sortRows(filterRows(rows, beyond), listing.order, mostOf(listing.range)), listing.range)
  const first = page.slice(0, size).map(showing(listing.select, carry))
  return { first: { kind: 'rows', rows: first, more, ...count && { total: rows.length } }, rows: showBatches(page, plan, size) }
}

async function * showBatches (rows: readonly object[], { listing, carry }: ReadPlanOf<'list'>, size: number): AsyncGenerator<readonly Row[]> {
  const show = showing(listing.select, carry)
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size).map(show)
}

/** With the row more that tells that others follow. */
const mostOf = ({ offset, limit }: Listing['range']) => offset + limit + 1

function cut<T> (rows: readonly T[], { offset, limit }: Listing['range']): { readonly page: readonly T[], readonly more: boolean } {
  return { page: rows.slice(offset, offset + limit), more: rows.length > offset + limit }
}

function readGroups ({ from, by, beyond, descending, range, members, count }: ReadPlanOf<'groups'>, parent: object | undefined): ReadResult {
  const rowsByValue = groupBy(rowsOf(from, parent, members.where), by)
  rowsByValue.delete(null)
  const isWanted = compileFilter(beyond)
  const values = [...rowsByValue.keys()].toSorted((one, other) => descending ? compareValues(other, one) : compareValues(one, other))
  // All rows of a group have its value, so any of them can be asked.
  const wanted = values.filter(value => rowsByValue.get(value)?.slice(0, 1).every(isWanted))
  const { page, more } = cut(wanted, range)
  const list = listing(members)
  const shown = page.map((value): Group => ({ value, rows: list(rowsByValue.get(value) ?? []) }))
  return { kind: 'groups', groups: shown, more, ...count && { total: values.length } }
}

function groupBy (rows: readonly object[], by: DataField): Map<unknown, object[]> {
  const groups = new Map<unknown, object[]>()
  const read = readerOf(by)
  for (const row of rows) {
    const value = read(row)
    const group = groups.get(value)
    if (group === undefined) groups.set(value, [row])
    else group.push(row)
  }
  return groups
}

type List = (rows: readonly object[]) => readonly Row[]

/** Makes what lists objects for which the listing's condition holds. */
function listing ({ order, range, select }: Listing): List {
  const show = showing(select)
  return rows => cut(sortRows(rows, order, mostOf(range)), range).page.map(show)
}

type Show = (row: object) => Row

/** Makes what shows of an object what the selection needs, by property. */
function showing (select: Selection, carry: readonly DataField[] = []): Show {
  const members = [...carry.map(member), ...select.flatMap(shownMembers)]
  return row => {
    const shown: Record<string, unknown> = {}
    for (const { property, read } of members) shown[property] = read(row)
    return shown
  }
}

interface FieldReader { readonly property: string, readonly read: Reader }

const member = (field: DataField): FieldReader => ({ property: field.property, read: readerOf(field) })

function shownMembers (shown: Selection[number]): readonly FieldReader[] {
  switch (shown.kind) {
    case 'list': return [{ property: shown.field.property, read: listReader(shown) }]
    case 'item': return [{ property: shown.field.property, read: itemReader(shown) }]
    case 'value': return shown.field.kind === 'computed' ? shown.field.from.map(member) : [member(shown.field)]
  }
}

function listReader ({ field, listing: listed }: Extract<Selection[number], { kind: 'list' }>): Reader {
  const isListed = compileFilter(listed.where)
  const list = listing(listed)
  return row => list(relatedRows(row, field).filter(isListed))
}

function itemReader ({ field, where, select }: Extract<Selection[number], { kind: 'item' }>): Reader {
  const isShown = compileFilter(where)
  const show = showing(select)
  return row => {
    const found = relatedRows(row, field).find(isShown)
    return found === undefined ? null : show(found)
  }
}
