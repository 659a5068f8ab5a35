import type { Collection, StoredField } from '../../model/model.ts'
import type { Scalar } from '../../model/values.ts'
import type { Named } from '../write/item-body.ts'
import type { ParentValue } from '../plan.ts'
import { findPathValue } from '../write/path-values.ts'

/** Returns the first readable identifier that the object, together with its parent, has values for. */
export function findIdentifier (
  value: Readonly<Record<string, unknown>>, { key, stored }: Collection, parent: readonly ParentValue[]
): Named | undefined {
  const others = stored.filter(field => field.identifier && !(key.length === 1 && field === key[0]))
  const values = key.map(field => takenFrom(value, field))
  const isGiven = key.map((field, index) => values[index] !== undefined || findPathValue(field, parent) !== undefined)
  if (values.some(one => one !== undefined) && isGiven.every(Boolean)) return { fields: key, values }
  for (const field of others) {
    const one = takenFrom(value, field)
    if (one !== undefined) return { fields: [field], values: [one] }
  }
  return undefined
}

/**
 * Returns the object's value of a field; undefined for a value of another type, and for an unreadable field. The fields
 * of a key and identifiers have scalars only (model/fields.ts).
 */
const takenFrom = (value: Readonly<Record<string, unknown>>, { readable, name, type }: StoredField) =>
  readable && Object.hasOwn(value, name) ? type.take(value[name]) as Scalar | undefined : undefined
