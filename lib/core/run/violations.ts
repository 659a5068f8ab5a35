import { constraint, type DataApiError, duplicate, forbidden } from '../errors/errors.ts'
import { danglingReference, deferredReference, stillReferred } from '../errors/references.ts'
import { wireNames } from '../model/relations.ts'
import type { Collection } from '../model/model.ts'
import type { Changed, ConstraintViolation, RefusedAtCommit } from '../sources/source.ts'

/**
 * Returns a change that was made. Throws duplicate, reference or constraint for a change that the database refused,
 * with the wire names of the fields, and forbidden for one that a policy prevented (docs/http.md: Errors).
 */
export function expectChanged (
  changed: Changed, collection: Collection, pointer: string, deleting = false
): Extract<Changed, { kind: 'changed' }> {
  switch (changed.kind) {
    case 'changed': return changed
    // The item was read or locked a moment ago. Only a policy or a trigger can prevent the change.
    case 'unchanged':
      // The trigger decides what becomes of the row (docs/databases.md: Views and triggers).
      if (isReplaceable(collection)) return { kind: 'changed' }
      throw forbidden(new Error(
        `collection '${collection.property}': an item that was locked could not be changed; ` +
          'a policy or a trigger of the database prevents it'
      ))
    case 'refused': throw refusalOf(changed, collection, pointer, deleting)
  }
}

const isReplaceable = ({ source }: Collection) => source.isReplaced?.() === true

export function commitRefusal ({ refused, collection, cause }: RefusedAtCommit): DataApiError {
  return collection === undefined ? deferredReference(cause) : refusalOf(refused, collection, '', false)
}

function refusalOf (
  { by, fields, raised, cause }: ConstraintViolation, collection: Collection, pointer: string, deleting: boolean
): DataApiError {
  // The fields of one foreign key may be known by one name.
  const names = [...new Set(fields.flatMap(field => wireNames(field, collection)))]
  if (by === 'unique') return duplicate(names, pointer, cause)
  if (by === 'policy') return forbidden(cause)
  if (by === 'other') return constraint(names, pointer, raised === undefined ? { cause } : { cause, raised })
  return deleting || by === 'referred' ? stillReferred(pointer, cause) : danglingReference(names, pointer, cause)
}
