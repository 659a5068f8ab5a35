import { invalidFields } from '../../errors/errors.ts'
import { didYouMean, suggest } from '../../errors/suggest.ts'
import { listedFields } from '../../model/identifiers.ts'
import {
  type Collection, type Field, isReadable, type ReadableField, type SubCollectionField, type SubItemField
} from '../../model/model.ts'
import { dottedName } from '../../request/select.ts'
import type { FieldAsked, Query } from '../../request/request.ts'
import { memoize } from '../../scheduling/memoize.ts'
import type { Listing, Row, Selection, Shown } from '../plan.ts'
import { always } from '../predicates.ts'
import { unitNamed } from '../time-units.ts'
import { planFilters } from './filter.ts'
import { countedBy, isFunction } from './functions.ts'
import { planPage } from './page.ts'
import { planSort } from './sort.ts'
import { refuse } from './unusable.ts'

/**
 * Returns the fields that the client names, in its order, without duplicates; if it names none (`asked` is undefined),
 * the fields of the `form` (docs/http.md: What an item shows). Throws invalid_fields for a name that is unknown or
 * unreadable, and for a field named twice if one of them has a query of its own.
 */
export function planSelection (
  asked: readonly FieldAsked[] | undefined, collection: Collection, form: 'full' | 'listed'
): Selection {
  if (asked === undefined) return form === 'full' ? fullForm(collection) : listedForm(collection)
  const selected = new Map<string, { field: FieldAsked, shown: Shown }>()
  for (const field of asked) {
    const shown = planField(field, collection)
    const other = selected.get(shown.name)
    if (other === undefined) selected.set(shown.name, { field, shown })
    else if (other.shown.kind !== shown.kind) {
      const reason = 'which is either shown or counted'
      throw invalidFields(`The field '${shown.name}' is selected twice, ${reason}.`, field.at)
    } else if (other.field.query ?? field.query) {
      throw invalidFields(`The field '${field.name}' is selected twice; combine the two selections.`, field.at)
    }
  }
  return Object.freeze([...selected.values()].map(one => one.shown))
}

/** Returns the fields of an item in a listing: identifiers and fields flagged `listed`; without flags, all scalars. */
export const listedForm = memoize((collection: Collection): Selection =>
  Object.freeze(listedFields(collection).map(showPlainly)))

const fullForm = memoize((collection: Collection): Selection =>
  Object.freeze([...collection.fields.values()].filter(isReadable).filter(field => !field.hidden).map(showPlainly)))

/**
 * Returns the selection of a field without a query of its own: nested items in their listed form. The recursion ends,
 * because checkListed refuses listed relations that form a circle.
 */
export function showPlainly (field: ReadableField): Shown {
  if (field.kind === 'sub-item') {
    return { kind: 'item', name: field.name, field, where: always, select: listedForm(field.target) }
  }
  if (field.kind === 'sub-collection') {
    return { kind: 'list', name: field.name, field, listing: planListing({}, field.target) }
  }
  return { kind: 'value', name: field.name, field }
}

/** Returns the selection of the fields of a key. */
export const selectKey = ({ key }: Pick<Collection, 'key'>): Selection => key.map(showPlainly)

function planField (asked: FieldAsked, collection: Collection): Shown {
  const path = isFunction(asked.name) ? asked.name.split('.') : [asked.name]
  const [name = '', called, more] = path
  if (name === 'count()') {
    const reason = 'makes groups, as a collection and a dictionary of groups show them'
    throw invalidFields(`'count()' ${reason}; a relation is counted by 'relation.count()'.`, asked.at)
  }
  if (more !== undefined) throw invalidFields(dottedName(path), asked.at)
  const field = findReadable(collection, name)
  if (field === undefined) {
    const suggestion = suggest(name, readableNames(collection))
    throw invalidFields(`There is no field '${name}' to select.${didYouMean(suggestion)}`, asked.at, suggestion)
  }
  if (called !== undefined && unitNamed(called) !== undefined) {
    throw invalidFields(`'${called}' groups items; select a function of them too, such as 'count()'.`, asked.at)
  }
  if (called !== undefined) {
    const counted = countedBy(called, field, reason => invalidFields(reason, asked.at))
    return { kind: 'count', name, field: counted, where: always }
  }
  if (asked.query === undefined) return showPlainly(field)
  if (field.kind === 'sub-item') return showSubItem(field, asked.query)
  if (field.kind === 'sub-collection') return showSubCollection(field, asked.query)
  throw invalidFields(`The field '${field.name}' is a scalar and has no fields to select.`, asked.at)
}

function showSubItem (field: SubItemField, query: Query): Shown {
  refuse(query, ['filter', 'sort', 'page'], `the single item '${field.name}'`)
  const select = planSelection(query.fields, field.target, 'listed')
  return { kind: 'item', name: field.name, field, where: always, select }
}

function showSubCollection (field: SubCollectionField, query: Query): Shown {
  return { kind: 'list', name: field.name, field, listing: planListing(query, field.target) }
}

/** A listing inside another item, with filters, order, selection and limits of its own. */
function planListing (query: Partial<Query>, collection: Collection): Listing {
  const order = planSort(query.sort ?? [], collection)
  const page = planPage(query.page ?? {}, collection.pages)
  return {
    where: planFilters(query.filters ?? [], collection),
    order,
    range: { offset: page.offset, limit: page.size },
    select: planSelection(query.fields, collection, 'listed')
  }
}

/**
 * Returns the field of that name on the wire if a client may read it, else undefined. Every name in a request that
 * reads must pass through this function, so that an unreadable field is the same as an unknown one.
 */
export function findReadable (collection: Collection, name: string): ReadableField | undefined {
  const field = collection.fields.get(name)
  return field?.readable === true ? field : undefined
}

/** Returns the field of that name on the wire if a client may read or write it, else undefined. For writes. */
export function findExposed (collection: Collection, name: string): Field | undefined {
  const field = collection.fields.get(name)
  return field?.readable === true || field?.writable === true ? field : undefined
}

/** Returns the names of the readable fields, in the order declared. */
export function readableNames (collection: Collection): readonly string[] {
  return [...collection.fields.values()].filter(field => field.readable).map(field => field.name)
}

export type Item = Readonly<Record<string, unknown>>

/** Converts a row to the item that a client sees: its selected members, by their names on the wire. */
export function showItem (row: Row, select: Selection): Item {
  const item: Record<string, unknown> = {}
  for (const shown of select) item[shown.name] = showField(row, shown)
  return item
}

/** Returns the value of one member of an item. An absent value is null. */
export function showField (row: Row, shown: Shown): unknown {
  switch (shown.kind) {
    case 'value': return showValue(row, shown)
    case 'item': return showNested(row[shown.field.property], shown.select)
    case 'count': return row[shown.field.property]
    case 'list': {
      const elements = row[shown.field.property] as readonly Row[]
      return elements.map(element => showItem(element, shown.listing.select))
    }
  }
}

const showValue = (row: Row, { field }: Extract<Shown, { kind: 'value' }>): unknown =>
  (field.kind === 'computed' ? field.get(row) : row[field.property]) ?? null

const showNested = (row: unknown, select: Selection) =>
  row === null || row === undefined ? null : showItem(row as Row, select)
