import { memoize, memoizeFrozen } from '../../memoize.ts'
import type { DataField } from '../../model/model.ts'
import type { Listing, Row, Selection, Shown } from '../../plan/plan.ts'
import { always } from '../../plan/predicates.ts'
import { hold, tick } from './clock.ts'
import { compileFilter, filterRows } from './filter.ts'
import { relatedOf } from './relations.ts'
import { sortRows } from './sort.ts'
import { inTurn, leaving, mapEach, resumed } from './suspension.ts'
import { type Reader, readerOf } from './values.ts'

/** Makes a row, or an item of an answer, of an object. */
export type Project = (row: object) => Row

/** Returns a function that makes a row of an object: the fields that the selection needs, by property. */
export const projectionOf = (select: Selection, extra: readonly DataField[] = none): Project =>
  rowProjections(select)(extra)

const none: readonly DataField[] = Object.freeze([])

const rowProjections = memoizeFrozen((select: Selection) => memoize((extra: readonly DataField[]): Project =>
  maker([...extra.map(member), ...membersOf(select, rows)])))

/**
 * Returns a function that makes an item of an object, as JSON.stringify() writes it: the members of the selection by
 * their names on the wire. Returns undefined if code of the application computes a part of the item.
 */
export const itemOf = memoizeFrozen((select: Selection): Project | undefined =>
  hasComputed(select) ? undefined : maker(membersOf(select, items)))

/** Returns true if code of the application computes a part of an item. */
export const hasComputed = (select: Selection): boolean => select.some(shown => {
  if (shown.kind === 'value') return shown.field.kind === 'computed'
  return hasComputed(shown.kind === 'item' ? shown.select : shown.listing.select)
})

interface Member { readonly name: string, readonly read: Reader }

/** How the members of a row, or of an item, are made. */
interface Form {
  nameOf (shown: Shown): string
  project (select: Selection): Project
}

const rows: Form = { nameOf: ({ field }) => field.property, project: projectionOf }
const items: Form = { nameOf: ({ name }) => name, project: select => maker(membersOf(select, items)) }

/** Returns a reader of one member of an item. Can be suspended. */
export const memberReaderOf = (shown: Shown): Reader => memberReader(shown, items)

const member = (field: DataField): Member => ({ name: field.property, read: readerOf(field) })

/** A computed field is made later from the fields that it needs. */
const membersOf = (select: Selection, form: Form): readonly Member[] => select.flatMap(shown =>
  shown.kind === 'value' && shown.field.kind === 'computed'
    ? shown.field.from.map(member)
    : [{ name: form.nameOf(shown), read: memberReader(shown, form) }])

function memberReader (shown: Shown, form: Form): Reader {
  switch (shown.kind) {
    case 'list': return listReader(shown, form)
    case 'item': return itemReader(shown, form)
    // membersOf() has taken the computed fields.
    case 'value': return readerOf(shown.field as DataField)
  }
}

/** An object that is being made. `index`: its next member. */
interface Making { readonly made: Record<string, unknown>, readonly index: number }

/**
 * All objects that the function makes are copies of one empty object, so that they share a hidden class. The function
 * can be suspended.
 */
function maker (members: readonly Member[]): Project {
  const empty: Readonly<Record<string, unknown>> = Object.fromEntries(members.map(({ name }) => [name, null]))
  return row => {
    let { made, index } = resumed<Making>() ?? { made: { ...empty }, index: 0 }
    try {
      tick()
      for (; index < members.length; index++) {
        const { name, read } = members[index] as Member
        made[name] = read(row)
      }
      return made
    } catch (error) {
      throw leaving(error, { made, index })
    }
  }
}

function listReader ({ field, listing }: Extract<Shown, { kind: 'list' }>, { project }: Form): Reader {
  const related = relatedOf(field)
  const list = listerOf(listing, project(listing.select))
  if (listing.where === always) return row => inTurn(() => related(row), list)
  const matches = compileFilter(listing.where)
  const found = (row: object) => inTurn(() => related(row), rows => filterRows(rows, matches))
  return row => inTurn(() => found(row), list)
}

function itemReader ({ field, where, select }: Extract<Shown, { kind: 'item' }>, form: Form): Reader {
  const related = relatedOf(field)
  const matches = compileFilter(where)
  const project = form.project(select)
  return row => inTurn(() => {
    const [found] = filterRows(related(row), matches)
    if (found !== undefined) hold(1)
    return found
  }, found => found === undefined ? null : project(found))
}

/** Returns a function that sorts, cuts and projects objects, which must match the listing's `where`. */
export function listerOf (
  { order, range: { offset, limit } }: Listing, project: Project
): (rows: readonly object[]) => readonly Row[] {
  return rows => inTurn(() => {
    const listed = sortRows(rows, order, offset + limit).slice(offset)
    hold(listed.length)
    return listed
  }, listed => mapEach(listed, project))
}
