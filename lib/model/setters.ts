import type { Declared } from '../declare/collection.ts'
import { DeclarationError } from '../errors/errors.ts'
import { orNearest } from '../errors/suggest.ts'
import { placeOf, type Scalars, storedNames } from './fields.ts'
import type { Collection } from './model.ts'

/** Returns the setters by property. Throws a DeclarationError for a setter of a field that is not stored. */
export function compileSetters (collection: string, { setters }: Declared, scalars: Scalars): Collection['setters'] {
  for (const property of Object.keys(setters)) {
    if (scalars.get(property)?.kind === 'stored') continue
    const advice = orNearest(property, storedNames(scalars))
    throw new DeclarationError(`${placeOf(collection, property)}: has a setter, but is not a stored field${advice}`)
  }
  return new Map(Object.entries(setters).filter(([, setter]) => setter !== undefined))
}

/**
 * Throws a DeclarationError for a setter that no client can cause to run: its field is neither writable nor the foreign
 * key of a relation.
 */
export function checkSetters ({ setters, properties, referring, property: name }: Collection): void {
  const fields = [...properties.values()]
  for (const property of setters.keys()) {
    const field = properties.get(property)
    const foreignKeys = [...referring, ...fields.filter(one => one.kind === 'sub-item')]
    const isLinked = foreignKeys.some(({ foreignKey }) => foreignKey.some(part => part === field))
    if (field?.writable === true || isLinked) continue
    const advice = 'flag it, or remove the setter'
    throw new DeclarationError(`${placeOf(name, property)}: has a setter, but is not flagged 'writable'; ${advice}`)
  }
}
