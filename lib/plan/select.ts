import { didYouMean, invalidFields } from '../errors.ts'
import { listedFields } from '../model/listed.ts'
import type { Collection, Field, SubCollectionField, SubItemField } from '../model/model.ts'
import { memoize } from '../memoize.ts'
import type { FieldAsked, Query } from '../request/request.ts'
import { planListing } from './listing.ts'
import type { Selection, Shown } from './plan.ts'
import { always } from './predicates.ts'
import { suggest } from './suggest.ts'
import { refuse } from './unusable.ts'
import { findReadable, readableNames } from './visible.ts'

/** Exactly the named fields, in the order named, duplicates once; without names the given form (docs/http.md: What an item shows). Throws invalid_fields. */
export function planSelection (asked: readonly FieldAsked[] | undefined, collection: Collection, form: 'full' | 'listed'): Selection {
  if (asked === undefined) return form === 'full' ? fullForm(collection) : listedForm(collection)
  const shown = new Map<string, { field: FieldAsked, shown: Shown }>()
  for (const field of asked) {
    const other = shown.get(field.name)
    if (other === undefined) shown.set(field.name, { field, shown: planField(field, collection) })
    else if (other.field.query ?? field.query) throw invalidFields(`The field '${field.name}' is selected twice; combine the two selections.`, field.at)
  }
  return [...shown.values()].map(one => one.shown)
}

/** The identifiers and what is marked `listed`, or all scalars. */
export const listedForm = memoize((collection: Collection): Selection => listedFields(collection).map(showPlainly))

const fullForm = memoize((collection: Collection): Selection => [...collection.fields.values()].filter(field => field.readable && !field.hidden).map(showPlainly))

/** A field without a query of its own. Ends, because listed relations do not lead in a circle. */
export function showPlainly (field: Field): Shown {
  if (field.kind === 'sub-item') return { kind: 'item', name: field.name, field, where: always, select: listedForm(field.target) }
  if (field.kind === 'sub-collection') return { kind: 'list', name: field.name, field, listing: planListing({}, field.target) }
  return { kind: 'value', name: field.name, field }
}

function planField (asked: FieldAsked, collection: Collection): Shown {
  const field = findReadable(collection, asked.name)
  if (field === undefined) {
    const suggestion = suggest(asked.name, readableNames(collection))
    throw invalidFields(`There is no field '${asked.name}' to select.${didYouMean(suggestion)}`, asked.at, suggestion)
  }
  if (asked.query === undefined) return showPlainly(field)
  if (field.kind === 'sub-item') return showItem(field, asked.query)
  if (field.kind === 'sub-collection') return showList(field, asked.query)
  throw invalidFields(`The field '${field.name}' is a scalar and has no fields to select.`, asked.at)
}

function showItem (field: SubItemField, query: Query): Shown {
  refuse(query, ['filter', 'sort', 'page'], `the single item '${field.name}'`)
  return { kind: 'item', name: field.name, field, where: always, select: planSelection(query.fields, field.target, 'listed') }
}

function showList (field: SubCollectionField, query: Query): Shown {
  return { kind: 'list', name: field.name, field, listing: planListing(query, field.target) }
}
