import type { Order } from '../../plan/plan.ts'
import { tick } from './clock.ts'
import { firstRows } from './heap.ts'
import { sortLong } from './merge-sort.ts'
import { type SortEntry, type Sorter, sorterOf } from './sorter.ts'
import { inTurn, leaving, mapEach, resumed } from './suspension.ts'

/**
 * Returns the first `limit` rows in the order (docs/http.md: Query strings). Default Infinity. Can be suspended. Reads
 * each value at most once, after a look whether the rows are in the order already.
 */
export function sortRows (rows: readonly object[], order: Order, limit = Infinity): readonly object[] {
  const list = resumed<readonly object[]>() ?? rows
  const sorter = sorterOf(order)
  try {
    return inTurn(() => isSorted(list, sorter), sorted => {
      if (sorted) return list.slice(0, limit)
      // If the limit is small, the first term alone excludes most rows, and a heap of the limit's size is faster.
      const entries = limit < list.length / 4 ? firstRows(list, sorter, limit) : allRows(list, sorter).slice(0, limit)
      return entries.map(({ row }) => row)
    })
  } catch (error) {
    // The rows may be those of the application, which may change them before the read goes on.
    throw leaving(error, list === rows ? [...list] : list)
  }
}

/** Returns true if the rows are in the order, as those that an index finds often are. */
function isSorted (rows: readonly object[], { read, isBehind }: Sorter): boolean {
  if (rows.length < 2) return true
  let { index, value } = resumed<{ index: number, value: unknown }>() ?? { index: 1, value: read(rows[0] as object) }
  try {
    for (; index < rows.length; index++) {
      tick()
      const next = rows[index] as object
      const nextValue = read(next)
      if (isBehind(rows[index - 1] as object, value, next, nextValue)) return false
      value = nextValue
    }
    return true
  } catch (error) {
    throw leaving(error, { index, value })
  }
}

function allRows (rows: readonly object[], { read, rank, compare }: Sorter): readonly SortEntry[] {
  const entryOf = (row: object): SortEntry => {
    tick()
    const value = read(row)
    return { row, value, rank: rank(value), others: undefined }
  }
  return inTurn(() => mapEach(rows, entryOf), entries => sortLong(entries, compare))
}
