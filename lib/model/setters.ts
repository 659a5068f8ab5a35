import type { Declared } from '../collection.ts'
import { DeclarationError } from '../errors.ts'
import { type Scalars, placeOf } from './fields.ts'
import type { Collection } from './model.ts'

/**
 * Returns the setters by property. Throws a DeclarationError for a setter that no client can cause to run. With
 * `denying`, a field that is not writable is no error: it may be writable for other callers.
 */
export function compileSetters (
  collection: string, { setters }: Declared, scalars: Scalars, denying: boolean
): Collection['setters'] {
  for (const property of Object.keys(setters)) {
    const field = scalars.get(property)
    const place = placeOf(collection, property)
    if (field?.kind !== 'stored') throw new DeclarationError(`${place}: has a setter, but is not a stored field`)
    if (!field.writable && !denying) {
      throw new DeclarationError(`${place}: has a setter, but is not flagged 'writable'`)
    }
  }
  return new Map(Object.entries(setters).filter(([, setter]) => setter !== undefined))
}
