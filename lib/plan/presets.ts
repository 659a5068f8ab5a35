import type { Field, StoredField, SubCollectionField } from '../model/model.ts'
import type { Preset } from './plan.ts'

/** Returns the foreign key that refers to the parent; empty without a parent, and for a many-to-many relation. */
export const parentKey = (via: SubCollectionField | undefined): readonly StoredField[] =>
  via?.link.kind === 'foreign-key' ? via.link.foreignKey : []

/** Returns the presets of the foreign key to the parent. Their values are unknown until the parent is read. */
export const parentPresets = (via: SubCollectionField | undefined): readonly Preset[] =>
  parentKey(via).map(field => ({ field, value: undefined }))

/** Returns the value that the path gives to a field of a new item, if it gives one. */
export const findPreset = (field: Field, presets: readonly Preset[]) => presets.find(preset => preset.field === field)

/** Returns true if a body repeats the value that the path gives to a field, which the client can read. */
export function equalsPreset (field: Field, value: unknown, presets: readonly Preset[]): boolean {
  if (field.kind !== 'stored' || !field.readable || value === null || value === undefined) return false
  const canonical = field.type.take(value)
  return canonical !== undefined && findPreset(field, presets)?.value === canonical
}
