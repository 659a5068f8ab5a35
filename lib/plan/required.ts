import { listOf } from '../errors.ts'
import { memoize } from '../memoize.ts'
import { singleKey } from '../model/keys.ts'
import type { Collection, Field, StoredField } from '../model/model.ts'
import type { Preset } from './plan.ts'

/**
 * A member that the body of a new item must have. `instead`: the fields of the foreign key, all of which the body may
 * have in its place; undefined if there are none that it may.
 */
export interface Requirement { readonly field: Field, readonly instead: readonly StoredField[] | undefined }

/**
 * Returns the members that a new item must have: writable fields that are neither optional nor have a default, a
 * generated key or a value from the URL (docs/http.md: Writing). A field of a foreign key is not among them if it may
 * stand in place of a sub-item that is.
 */
export const requirementsOf = (collection: Collection, presets: readonly Preset[]): readonly Requirement[] =>
  presets.length === 0 ? withoutPresets(collection) : requirementsWith(collection, presets)

const withoutPresets = memoize((collection: Collection) => requirementsWith(collection, []))

function requirementsWith (collection: Collection, presets: readonly Preset[]): readonly Requirement[] {
  const generated = singleKey(collection)
  const hasValue = (field: StoredField) =>
    field.schema.default !== undefined || presets.some(preset => preset.field === field)
  const requirements = [...collection.fields.values()].flatMap((field): readonly Requirement[] => {
    if (!field.writable || !field.demanded || (field === generated && isGenerated(generated))) return []
    if (field.kind === 'input') return field.optional ? [] : [{ field, instead: undefined }]
    if (field.kind === 'stored') return field.optional || hasValue(field) ? [] : [{ field, instead: undefined }]
    if (field.kind !== 'sub-item' || field.foreignKey.some(({ nullable }) => nullable)) return []
    const open = field.foreignKey.filter(part => !hasValue(part))
    if (open.length === 0) return []
    return [{ field, instead: open.every(({ writable }) => writable) ? open : undefined }]
  })
  const replaceable = new Set<Field>(requirements.flatMap(({ instead = [] }) => instead))
  return requirements.filter(({ field }) => !replaceable.has(field))
}

/** Returns the message of a violation for a member that is missing. */
export function missingMessage ({ instead }: Requirement): string {
  return instead === undefined ? 'is required' : `is required, or in its place ${listOf(instead.map(one => one.name))}`
}

const isGenerated = ({ type }: StoredField) => generatedKinds.has(type.kind)

/** The types of keys that are generated if the body has none: integers by the source, UUIDs at random. */
const generatedKinds: ReadonlySet<string> = new Set(['integer', 'int64', 'uuid'])
