import type { KeyValues } from '../../model/identifiers.ts'
import type { Field, StoredField, SubCollectionField } from '../../model/model.ts'
import type { PathValue } from '../plan.ts'

/** A value of the key of the parent, which a new item gets from its path. It is known when the parent was read. */
export interface ParentValue { readonly kind: 'parent', readonly field: StoredField }

/** Returns the values that a segment of a path gives to the fields of an identifier. Every request for an item asks. */
export function pathValuesOf (fields: readonly StoredField[], values: KeyValues): readonly PathValue[] {
  const given: PathValue[] = []
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index]
    const value = values[index]
    if (field !== undefined && value !== undefined) given.push({ kind: 'value', field, value })
  }
  return given
}

/** Returns the foreign key that refers to the parent; empty without a parent, and for a many-to-many relation. */
export const parentKey = (via: SubCollectionField | undefined): readonly StoredField[] =>
  via?.link.kind === 'foreign-key' ? via.link.foreignKey : []

/** Returns the values of the foreign key to the parent, and the constants beside it. */
export const parentValues = (via: SubCollectionField | undefined): ReadonlyArray<ParentValue | PathValue> => [
  ...parentKey(via).map(field => ({ kind: 'parent', field } as const)),
  ...(via?.constants ?? []).map(one => ({ kind: 'value', ...one } as const))
]

/** Returns the value that the path gives to a field of a new item, if it gives one. */
export const findPathValue = <V extends PathValue | ParentValue>(field: Field, values: readonly V[]): V | undefined =>
  values.find(one => one.field === field)

/** Returns true if a body repeats the value that the path gives to a field, which the client can read. */
export function repeatsPathValue (
  field: Field, value: unknown, pathValues: ReadonlyArray<PathValue | ParentValue>
): boolean {
  if (field.kind !== 'stored' || !field.readable || value === null || value === undefined) return false
  const given = findPathValue(field, pathValues)
  return given?.kind === 'value' && given.value === field.type.take(value)
}
