import { DeclarationError } from '../errors/errors.ts'
import { type Collection, isReadable, type ReadableField, type ScalarField, type StoredField } from './model.ts'

/**
 * Returns the fields of an item's listed form: the key, the identifiers and the fields flagged `listed` or, if no field
 * is flagged, all scalars (docs/http.md: What an item shows).
 */
export function listedFields (collection: Collection): readonly ReadableField[] {
  const visible = [...collection.fields.values()].filter(isReadable).filter(field => !field.hidden)
  if (!visible.some(field => field.listed)) return visible.filter(isScalarField)
  return visible.filter(field => field.listed || (field.kind === 'stored' && isIdentifying(field, collection)))
}

const isIdentifying = (field: StoredField, { key }: Collection) => field.identifier || key.includes(field)

/** Throws a DeclarationError if relations flagged `listed` form a cycle: the listed form would be infinite. */
export function checkListed (collection: Collection): void {
  follow(collection, [], [])
}

function follow (collection: Collection, ancestors: readonly Collection[], path: readonly string[]): void {
  const { property } = collection
  if (ancestors.includes(collection)) {
    const relations = `the relations flagged 'listed' (${path.join(', ')})`
    throw new DeclarationError(`collection '${property}': ${relations} form a cycle`)
  }
  for (const field of listedFields(collection)) {
    if (isScalarField(field)) continue
    follow(field.target, [...ancestors, collection], [...path, `${property}.${field.property}`])
  }
}

const isScalarField = (field: ReadableField): field is ScalarField =>
  field.kind !== 'sub-item' && field.kind !== 'sub-collection'
