import type { Listing, Shown } from '../../plan/plan.ts'
import { always } from '../../plan/predicates.ts'
import { hold } from './clock.ts'
import { compileFilter, filterRows } from './filter.ts'
import { relatedOf } from './relations.ts'
import { sortRows } from './sort.ts'
import { inTurn, mapEach } from './suspension.ts'

/** Makes a row, an item or its text of an object. Can be suspended. */
export type Make<Made> = (row: object) => Made

/** Returns a function that finds the related objects of an object's sub-collection, and makes of them what is shown. */
export function nestedList<Made> (
  { field, listing }: Extract<Shown, { kind: 'list' }>, make: Make<Made>
): (row: object) => readonly Made[] {
  const related = relatedOf(field)
  const list = listerOf(listing, make)
  if (listing.where === always) return row => inTurn(() => related(row), list)
  const matches = compileFilter(listing.where)
  const found = (row: object) => inTurn(() => related(row), rows => filterRows(rows, matches))
  return row => inTurn(() => found(row), list)
}

/** Returns a function that finds the object of an object's sub-item, and makes of it what is shown; null without it. */
export function nestedItem<Made> (
  { field, where }: Extract<Shown, { kind: 'item' }>, make: Make<Made>
): (row: object) => Made | null {
  const related = relatedOf(field)
  const matches = compileFilter(where)
  return row => inTurn(() => {
    const [found] = filterRows(related(row), matches)
    if (found !== undefined) hold(1)
    return found
  }, found => found === undefined ? null : make(found))
}

/** Returns a function that sorts and cuts objects, which must match the listing's `where`, and makes what is shown. */
export function listerOf<Made> (
  { order, range: { offset, limit } }: Listing, make: Make<Made>
): (rows: readonly object[]) => readonly Made[] {
  return rows => inTurn(() => {
    const listed = sortRows(rows, order, offset + limit).slice(offset)
    hold(listed.length)
    return listed
  }, listed => mapEach(listed, make))
}
