import { invalidFields } from '../../errors/errors.ts'
import { listedFields } from '../../model/listed-form.ts'
import {
  type Collection, isReadable, type ReadableField, type SubCollectionField, type SubItemField
} from '../../model/model.ts'
import { dottedName } from '../../request/select.ts'
import type { FieldAsked, Query } from '../../request/request.ts'
import { memoize } from '../../scheduling/memoize.ts'
import { findField, followsNone, isFunction, isOfElements, isOfItems, type Purpose } from '../field-path.ts'
import type { Listing, Selection, Shown } from '../plan.ts'
import { always } from '../predicates.ts'
import { unitNamed } from '../time-units.ts'
import { planFilters } from './filter.ts'
import { planRelated } from './related-functions.ts'
import { checkGroupColumns, GroupColumns } from './group-columns.ts'
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
  const functions: Functions = new Map()
  for (const field of asked) {
    const shown = isFunction(field.name) ? planFunction(field, collection, functions) : planField(field, collection)
    const other = selected.get(shown.name)
    if (other === undefined || (other.shown.kind === 'related' && shown.kind === 'related')) {
      selected.set(shown.name, { field, shown })
    } else if (other.shown.kind !== shown.kind) {
      const reason = 'of which either items or functions are shown'
      throw invalidFields(`The field '${shown.name}' is selected twice, ${reason}.`, field.at)
    } else if (other.field.query ?? field.query) {
      throw invalidFields(`The field '${field.name}' is selected twice; combine the two selections.`, field.at)
    }
  }
  return Object.freeze([...selected.values()].map(one => one.shown))
}

/** Returns the selection of an item in a listing. */
const listedForm = memoize((collection: Collection): Selection =>
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

export const selectKey = ({ key }: Pick<Collection, 'key'>): Selection => key.map(showPlainly)

/** The values of the functions of each relation that a selection names. */
type Functions = Map<SubCollectionField, GroupColumns>

/** Returns the functions of a relation that were named until now, and another one. */
function planFunction (asked: FieldAsked, collection: Collection, functions: Functions): Shown {
  const purpose = selecting(asked)
  const { invalid } = purpose
  const path = asked.name.split('.')
  const [name = '', ...names] = path
  const called = names.at(-1) ?? ''
  if (isOfItems(path, collection)) {
    const reason = 'makes groups, as a collection and a dictionary of groups show them'
    throw invalid(`'${asked.name}' ${reason}; a relation is counted by 'relation.count()'.`)
  }
  const field = findField(name, collection, purpose)
  if (isOfElements(field, names)) {
    const columns = functions.get(field) ?? new GroupColumns(field.target)
    functions.set(field, columns)
    const { where } = planRelated(field, names, invalid, columns)
    const values = columns.functions()
    checkGroupColumns(values, asked.at)
    return { kind: 'related', name, field, where, values }
  }
  if (unitNamed(called) !== undefined) {
    throw invalid(`'${called}' groups items; select a function of them too, such as 'count()'.`)
  }
  throw invalid(names.length > 1 ? dottedName(path) : followsNone(called, name))
}

const selecting = ({ at }: FieldAsked): Purpose => ({
  aim: 'to select', invalid: (message, suggestion) => invalidFields(message, at, suggestion)
})

function planField (asked: FieldAsked, collection: Collection): Shown {
  const field = findField(asked.name, collection, selecting(asked))
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
