import type { DataApiError } from '../../errors/errors.ts'
import type { Field, SubCollectionField } from '../../model/model.ts'

// Functions: names with parentheses at the end of a path (docs/http.md: Query strings). No field has such a name.

/** Returns true for the name of a function. */
export const isFunction = (name: string): boolean => name.endsWith('()')

/**
 * Returns the relation whose elements a function counts. `field`: what stands before the function; undefined for
 * nothing. Throws what `invalid` makes for another function, and for what cannot be counted.
 */
export function countedBy (
  name: string, field: Field | undefined, invalid: (message: string) => DataApiError
): SubCollectionField {
  if (name !== 'count()') throw invalid(`There is no function '${name}'; 'count()' counts the items of a relation.`)
  if (field?.kind === 'sub-collection') return field
  const found = field === undefined ? "'count()' stands alone" : `the field '${field.name}' is none`
  throw invalid(`'count()' follows the name of a relation to many items; ${found}.`)
}
