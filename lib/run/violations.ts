import { constraint, type DataApiError, danglingReference, deferredReference, duplicate, stillReferred, unavailable } from '../errors.ts'
import type { Collection, StoredField } from '../model/model.ts'
import type { Changed, ConstraintViolation, RefusedAtCommit } from '../sources/source.ts'

/** What a change that was made gives. Throws duplicate, reference or constraint for one that was refused, naming fields as the wire does (docs/http.md: Errors). */
export function expectChanged (changed: Changed, collection: Collection, pointer: string, deleting = false): Extract<Changed, { kind: 'changed' }> {
  switch (changed.kind) {
    case 'changed': return changed
    // Locked a moment ago, it cannot be gone; a view or trigger of the database may do as it likes.
    case 'unchanged': throw unavailable(new Error(`collection '${collection.property}': an item that was locked could not be changed; a view or trigger of the database may prevent it`))
    case 'refused': throw refusalOf(changed, collection, pointer, deleting)
  }
}

/** The error for a transaction that the database refused at its commit. */
export function commitRefusal ({ refused, collection, cause }: RefusedAtCommit): DataApiError {
  return collection === undefined ? deferredReference(cause) : refusalOf(refused, collection, '', false)
}

/** The error for a change that the database refused. */
function refusalOf ({ by, fields }: ConstraintViolation, collection: Collection, pointer: string, deleting: boolean): DataApiError {
  const names = fields.flatMap(field => wireNames(field, collection))
  if (by === 'unique') return duplicate(names, pointer)
  if (by === 'other') return constraint(names, pointer)
  return deleting || fields.length === 0 ? stillReferred(pointer) : danglingReference(names, pointer)
}

/** How a client knows a stored field: by its own name, or by those of the sub-items that it refers to. */
function wireNames (field: StoredField, { fields }: Collection): readonly string[] {
  const known = [...fields.values()].filter(one => one.readable || one.writable)
  if (known.includes(field)) return [field.name]
  return known.filter(one => one.kind === 'sub-item' && one.foreignKey === field).map(one => one.name)
}
