import type { DataField } from '../../model/model.ts'
import { rowName } from '../../plan/order.ts'
import type { ItemValue, Listing, Row, Selection, Shown } from '../../plan/plan.ts'
import { notNull, withKeys } from '../not-null.ts'
import { relatedReducer } from './aggregate.ts'
import { filterRows } from './filter.ts'
import { relatedOf } from './relations.ts'
import { sortRows, valueReader } from './sort.ts'
import type { Tick } from './tick.ts'
import { type Reader, readerOf } from './values.ts'

/** Makes a row of an object: the values that a selection needs, by property. */
type Project = (row: object) => Row

/** Returns the function that makes the rows of a selection. `extra`: further values that the rows hold. */
export function projectorOf (select: Selection, tick: Tick, extra: readonly ItemValue[] = []): Project {
  const fields = withKeys(dataFieldsOf(select))
  const check = notNull(fields)
  const members: readonly Member[] = [
    ...extra.map((one): Member => [rowName(one), valueReader(one, readerOf, tick)]),
    ...fields.map((field): Member => [field.property, readerOf(field)]),
    ...select.flatMap(shown => shown.kind === 'value' ? [] : [relatedMember(shown, tick)])
  ]
  return row => {
    tick(1)
    const made: Record<string, unknown> = {}
    for (const [property, read] of members) made[property] = read(row)
    return check(made)
  }
}

type Member = readonly [property: string, read: Reader]

/** The response computes a computed field, from the fields that it needs. */
const dataFieldsOf = (select: Selection): readonly DataField[] => select.flatMap((shown): readonly DataField[] => {
  if (shown.kind !== 'value') return []
  return shown.field.kind === 'computed' ? shown.field.from : [shown.field]
})

function relatedMember (shown: Exclude<Shown, { kind: 'value' }>, tick: Tick): Member {
  switch (shown.kind) {
    case 'item': return [shown.field.property, itemReader(shown, tick)]
    case 'list': return [shown.field.property, listReader(shown, tick)]
    case 'related': return [shown.field.property, relatedReducer(shown, shown.values, tick)]
  }
}

function itemReader ({ field, where, select }: Extract<Shown, { kind: 'item' }>, tick: Tick): Reader {
  const related = relatedOf(field, tick)
  const project = projectorOf(select, tick)
  return row => {
    const [found] = filterRows(related(row), where, tick)
    return found === undefined ? null : project(found)
  }
}

function listReader ({ field, listing }: Extract<Shown, { kind: 'list' }>, tick: Tick): Reader {
  const related = relatedOf(field, tick)
  const list = listerOf(listing, tick)
  return row => list(filterRows(related(row), listing.where, tick))
}

/** Returns a function that sorts and cuts objects, which match the listing's `where`, and makes their rows. */
export function listerOf ({ order, range: { offset, limit }, select }: Listing, tick: Tick) {
  const project = projectorOf(select, tick)
  return (rows: readonly object[]): readonly Row[] =>
    sortRows(rows, order, tick).slice(offset, offset + limit).map(project)
}
