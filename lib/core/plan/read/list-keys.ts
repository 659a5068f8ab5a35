import type { Origin, Predicate, ReadPlanOf, Step } from '../plan.ts'
import { always } from '../predicates.ts'
import { selectKey } from './select.ts'

/** Returns the plan that reads the keys of all items that satisfy the predicate, in the order of the keys. */
export function listKeys (from: Origin, steps: readonly Step[], where: Predicate): ReadPlanOf<'list'> {
  const { collection } = from
  return {
    kind: 'list',
    steps,
    from,
    listing: {
      where,
      order: collection.key.map(field => ({ field, descending: false })),
      range: { offset: 0, limit: Infinity },
      select: selectKey(collection)
    },
    cursorBound: always,
    extra: [],
    count: false
  }
}
