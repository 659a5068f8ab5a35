import { DataApiError, invalidParameter, validation } from '../../errors/errors.ts'
import { isObject } from '../../errors/is-object.ts'
import { toKeyValues } from '../../model/identifiers.ts'
import { type Collection, isRelation, type StoredField } from '../../model/model.ts'
import { isExact } from '../../model/operators.ts'
import { refersToItself } from '../../model/relations.ts'
import { takenStrategies } from '../../model/strategies.ts'
import { isScalar } from '../../model/values.ts'
import type { Filter, Query } from '../../request/request.ts'
import { findIdentifier } from '../path/identify.ts'
import { itemOf, type ResourceOf } from '../path/walk.ts'
import { comparableKey } from '../needs.ts'
import type { ReadPlanOf } from '../plan.ts'
import { both, equalsKey } from '../predicates.ts'
import { listKeys } from '../read/list-keys.ts'
import { stepsOf } from '../read/read.ts'
import { showPlainly } from '../read/select.ts'
import { tokenOf } from '../../errors/place.ts'
import { findPathValue, pathValuesOf } from './path-values.ts'
import type { WriteRequest } from './write.ts'

/** What an import does with the items that exist: it updates them, or leaves them. */
export type Resolution = 'merge' | 'ignore'

/** How the lines of an import name items. */
interface Naming {
  /** Returns the item that a line names by an identifier. Throws validation for other lines. */
  itemOf (value: unknown): ResourceOf<'item'>
  /** Plans to read the names of those items that exist. Undefined for names of several values. */
  planNamed (values: readonly unknown[]): NamedLines | undefined
  /** Returns what equal names have in common; '' where an item may refer to one that stands before it. */
  orderOf (value: unknown): string
}

/** The read of the names that several lines have, whose rows hold them by `property`. `nameOf`: that of a line. */
export interface NamedLines {
  readonly plan: ReadPlanOf<'list'>
  readonly property: string
  nameOf (value: unknown): unknown
}

/**
 * Returns how a line names an existing item: by its key, or by the identifier of the parameter `by`. Throws
 * invalid_preference where items cannot be upserted, and invalid_parameter for an unknown identifier.
 */
export function planNaming (
  resource: ResourceOf<'collection'>, resolution: Resolution, { query }: WriteRequest
): Naming {
  const { from: { collection }, pathValues = [] } = resource
  const { upsert, update } = takenStrategies(collection)
  if (!upsert || (resolution === 'merge' && update.length === 0)) {
    throw new DataApiError('invalid_preference', "Items that exist cannot be resolved here. Leave out 'resolution'.")
  }
  const fields = fieldsOf(query.filters, collection)
  const namesIn = (value: unknown) => fields.map(field => isObject(value) && Object.hasOwn(value, field.name)
    ? field.type.take(value[field.name])
    : findPathValue(field, pathValues)?.value)
  const nameItem = (value: unknown) => {
    const values = namesIn(value)
    const absent = fields.filter((_, index) => values[index] === undefined)
    const known = toKeyValues(values)
    if (absent.length > 0 || known === undefined) {
      const message = 'must name the item, which may exist'
      throw validation((absent.length > 0 ? absent : fields).map(({ name }) => ({ pointer: tokenOf(name), message })))
    }
    const given = pathValuesOf(fields, known)
    const where = equalsKey(fields, known)
    const segment = known.join(',')
    return itemOf(resource, { where, alternatives: [], special: false, pathValues: given }, segment, 0)
  }
  const [field, other] = fields
  const isOrdered = !linksItself(collection)
  return {
    itemOf: nameItem,
    orderOf: value => isOrdered ? JSON.stringify(namesIn(value).map(comparableKey)) : '',
    planNamed (values) {
      if (field === undefined || other !== undefined) return undefined
      const nameOf = (value: unknown) => namesIn(value)[0]
      const names = values.map(nameOf).filter(isScalar)
      const where = both(resource.where, { kind: 'compare', field, operator: 'in', value: names })
      const plan = listKeys(resource.from, stepsOf(resource.walked), where)
      const listing = { ...plan.listing, select: [showPlainly(field)] }
      return { plan: { ...plan, listing }, property: field.property, nameOf }
    }
  }
}

const linksItself = (collection: Collection) => refersToItself(collection) ||
  [...collection.fields.values()].some(field => isRelation(field) && field.target === collection)

/** Returns true for an import that names items which may exist. */
export const namesItems = (
  { resolution, query: { filters } }: { readonly resolution: string | undefined, readonly query: Query }
): boolean => resolution !== undefined || filters.some(isBy)

const isBy = (filter: Filter) => filter.kind === 'compare' && filter.path.join('.') === 'by'

function fieldsOf (filters: readonly Filter[], collection: Collection): readonly StoredField[] {
  const [by] = filters
  if (by === undefined) return collection.key
  const isName = by.kind === 'compare' && isBy(by) && isExact(by.operator) && by.values.length === 1
  const [value] = isName ? by.values : []
  const at = { parameter: 'by', position: 1 }
  if (value === undefined || filters.length > 1) {
    throw invalidParameter("An import takes no other parameter than 'by'.", at)
  }
  const identifier = findIdentifier(collection, value.text)
  if (identifier === undefined || identifier.kind === 'lookup') {
    throw invalidParameter(`'${value.text}' is no identifier whose values are stored.`, at)
  }
  return identifier.kind === 'key' ? identifier.fields : [identifier.field]
}
