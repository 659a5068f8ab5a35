import { tick } from './clock.ts'
import { sortLong } from './merge-sort.ts'
import type { SortEntry, Sorter } from './sorter.ts'
import { inTurn, leaving, resumed } from './suspension.ts'

type Compare = Sorter['compare']

/** Sorts the first `limit` rows, which it collects in a heap. The top is the last of them: later rows are skipped. */
export const firstRows = (rows: readonly object[], sorter: Sorter, limit: number): readonly SortEntry[] =>
  inTurn(() => heapOf(rows, sorter, limit), heap => sortLong(heap, sorter.compare))

function heapOf (rows: readonly object[], { read, rank, compare }: Sorter, limit: number): SortEntry[] {
  let { heap, index } = resumed<{ heap: SortEntry[], index: number }>() ?? { heap: [], index: 0 }
  if (limit === 0) return heap
  try {
    for (; index < rows.length; index++) {
      tick()
      const row = rows[index] as object
      const value = read(row)
      const ranked = rank(value)
      const top = heap.length < limit ? undefined : heap[0]
      // Most rows end here.
      if (top !== undefined && ranked > top.rank) continue
      const entry = { row, value, rank: ranked, others: undefined }
      if (top === undefined) push(heap, entry, compare)
      else if (compare(entry, top) < 0) replaceTop(heap, entry, compare)
    }
    return heap
  } catch (error) {
    throw leaving(error, { heap, index })
  }
}

function push (heap: SortEntry[], entry: SortEntry, compare: Compare): void {
  let index = heap.push(entry) - 1
  while (index > 0) {
    const above = (index - 1) >> 1
    const parent = heap[above] ?? entry
    if (compare(entry, parent) <= 0) break
    heap[index] = parent
    index = above
  }
  heap[index] = entry
}

function replaceTop (heap: SortEntry[], entry: SortEntry, compare: Compare): void {
  let index = 0
  for (;;) {
    const left = 2 * index + 1
    const hasLargerRight = left + 1 < heap.length && compare(heap[left + 1] ?? entry, heap[left] ?? entry) > 0
    const below = hasLargerRight ? left + 1 : left
    const child = heap[below]
    if (child === undefined || compare(entry, child) >= 0) break
    heap[index] = child
    index = below
  }
  heap[index] = entry
}
