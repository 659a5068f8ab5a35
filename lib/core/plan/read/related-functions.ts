import type { SubCollectionField } from '../../model/model.ts'
import type { Invalid } from '../field-path.ts'
import type { Related } from '../plan.ts'
import { always } from '../predicates.ts'
import { GroupColumns } from './group-columns.ts'

// Functions of the elements of relations, which are those of groups (docs/http.md: Query strings).

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
