import type { Field, SubCollectionField } from '../../model/model.ts'
import type { Related } from '../plan.ts'
import { always } from '../predicates.ts'
import { GroupColumns, type Invalid, isOfItems } from './group-columns.ts'

// Functions of the elements of relations, which are those of groups (docs/http.md: Query strings).

/** Returns true if the names that follow a field are a function of the elements that it leads to. */
export const isOfElements = (field: Field, names: readonly string[]): field is SubCollectionField =>
  field.kind === 'sub-collection' && isOfItems(names, field.target, true)

/**
 * Plans the function of elements that `names` end with. `columns`: those that hold its value beside others. Throws what
 * `invalid` makes.
 */
export function planRelated (
  field: SubCollectionField, names: readonly string[], invalid: Invalid,
  columns = new GroupColumns(field.target)
): Related {
  const isCount = names.length === 1
  if (!isCount && !field.target.strategies.aggregates) {
    throw invalid(`The items of '${field.name}' have no functions but 'count()'.`)
  }
  return { field, where: always, value: columns.aggregate(names, invalid) }
}

/** Returns the message for a function that follows no relation to many. `name`: what it follows. */
export function followsNone (called: string, name?: string): string {
  const found = name === undefined ? 'there is none before it' : `'${name}' is none`
  return `'${called}' follows a relation to many items, or a field of them; ${found}.`
}
