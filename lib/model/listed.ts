import { DeclarationError } from '../errors.ts'
import type { Collection, Field, ScalarField } from './model.ts'

/** The fields of an item's listed form: identifiers and those marked `listed`; where none is marked, all scalars (docs/http.md: What an item shows). */
export function listedFields (collection: Collection): readonly Field[] {
  const shown = [...collection.fields.values()].filter(field => field.readable && !field.hidden)
  if (!shown.some(field => field.listed)) return shown.filter(isScalar)
  return shown.filter(field => field.listed || (field.kind === 'stored' && field.identifier))
}

/** Throws where listed relations lead back to where they came from: the listed form would have no end. */
export function checkListed (collection: Collection): void {
  follow(collection, [], [])
}

function follow (collection: Collection, above: readonly Collection[], path: readonly string[]): void {
  if (above.includes(collection)) throw new DeclarationError(`collection '${collection.property}': the relations flagged 'listed' (${path.join(', ')}) form a cycle`)
  for (const field of listedFields(collection)) {
    if (!isScalar(field)) follow(field.target, [...above, collection], [...path, `${collection.property}.${field.property}`])
  }
}

const isScalar = (field: Field): field is ScalarField => field.kind !== 'sub-item' && field.kind !== 'sub-collection'
