import { DataApiError, invalidParameter, validation } from '../../errors/errors.ts'
import { isObject } from '../../errors/is-object.ts'
import { toKeyValues } from '../../model/identifiers.ts'
import type { Collection, StoredField } from '../../model/model.ts'
import { isExact } from '../../model/operators.ts'
import { takenStrategies } from '../../model/strategies.ts'
import type { Filter } from '../../request/request.ts'
import { findIdentifier } from '../path/identify.ts'
import { itemOf, type ResourceOf } from '../path/walk.ts'
import { equalsKey } from '../predicates.ts'
import { tokenOf } from './body.ts'
import { findPathValue, pathValuesOf } from './path-values.ts'
import type { WriteRequest } from './write.ts'

/** What an import does with the items that exist: it updates them, or leaves them. */
export type Resolution = 'merge' | 'ignore'

/** Returns the item that a line of an import names by an identifier. Throws validation for other lines. */
export type NameItem = (value: unknown) => ResourceOf<'item'>

/**
 * Returns how a line names an existing item: by its key, or by the identifier of the parameter `by`. Throws
 * invalid_preference where items cannot be upserted, and invalid_parameter for an unknown identifier.
 */
export function planNaming (
  resource: ResourceOf<'collection'>, resolution: Resolution, { query }: WriteRequest
): NameItem {
  const { from: { collection }, pathValues = [] } = resource
  const { upsert, update } = takenStrategies(collection)
  if (!upsert || (resolution === 'merge' && update.length === 0)) {
    throw new DataApiError('invalid_preference', "Items that exist cannot be resolved here. Leave out 'resolution'.")
  }
  const fields = fieldsOf(query.filters, collection)
  return value => {
    const values = fields.map(field => isObject(value) && Object.hasOwn(value, field.name)
      ? field.type.take(value[field.name])
      : findPathValue(field, pathValues)?.value)
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
}

function fieldsOf (filters: readonly Filter[], collection: Collection): readonly StoredField[] {
  const [by] = filters
  if (by === undefined) return collection.key
  const isBy = by.kind === 'compare' && by.path.join('.') === 'by' && isExact(by.operator) && by.values.length === 1
  const [value] = isBy ? by.values : []
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
