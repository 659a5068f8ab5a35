import type { Declared } from '../collection.ts'
import { DeclarationError } from '../errors.ts'
import { type Scalars, placeOf } from './fields.ts'
import type { Collection } from './model.ts'

/** Setters by property. Throws a DeclarationError for one that no client could ever call; a caller who is denied the field could, as another. */
export function compileSetters (collection: string, { setters }: Declared, scalars: Scalars, denying: boolean): Collection['setters'] {
  for (const property of Object.keys(setters)) {
    const field = scalars.get(property)
    if (field?.kind !== 'stored') throw new DeclarationError(`${placeOf(collection, property)}: has a setter, but is not a stored field`)
    if (!field.writable && !denying) throw new DeclarationError(`${placeOf(collection, property)}: has a setter, but is not flagged 'writable'`)
  }
  return new Map(Object.entries(setters).filter(([, setter]) => setter !== undefined))
}
