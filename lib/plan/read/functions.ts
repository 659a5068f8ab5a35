import type { DataApiError } from '../../errors/errors.ts'
import type { Field, SubCollectionField } from '../../model/model.ts'

// Functions: names with parentheses at the end of a path (docs/http.md: Query strings). No field has such a name.

/** Returns true for the name of a function. */
export const isFunction = (name: string): boolean => name.endsWith('()')

/** Returns true for the name of a function that gives the least or greatest value of a field. */
export const isExtremeName = (name: string): boolean => name === 'min()' || name === 'max()'

/** Returns how many names before a function belong to it: a relation, and the field of `min()` and `max()`. */
export const argumentsOf = (name: string): number => isExtremeName(name) ? 2 : isFunction(name) ? 1 : 0

/**
 * Returns the relation to many that a function is of. `field`: what stands before the function; undefined for nothing.
 * Throws what `invalid` makes for another function, and for what is no such relation.
 */
export function relationOf (
  name: string, field: Field | undefined, invalid: (message: string) => DataApiError
): SubCollectionField {
  if (name !== 'count()' && !isExtremeName(name)) {
    throw invalid(`There is no function '${name}'; 'count()' counts the items of a relation.`)
  }
  if (field?.kind === 'sub-collection') return field
  const found = field === undefined ? 'there is none before it' : `the field '${field.name}' is none`
  const place = isExtremeName(name) ? 'a field of a relation to many items' : 'the name of a relation to many items'
  throw invalid(`'${name}' follows ${place}; ${found}.`)
}

/** Returns the relation whose elements a function counts. Throws what `invalid` makes. */
export function countedBy (
  name: string, field: Field | undefined, invalid: (message: string) => DataApiError
): SubCollectionField {
  if (isExtremeName(name)) throw invalid(`'${name}' of a relation follows one of its fields, in sorts and filters.`)
  return relationOf(name, field, invalid)
}
