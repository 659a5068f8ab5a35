import type { Order } from '../../plan/plan.ts'
import { tick } from './clock.ts'
import { sortLong } from './merge-sort.ts'
import { inTurn, leaving, mapEach, resumed } from './suspension.ts'
import { comparableReaderOf, type Reader } from './values.ts'

/**
 * Returns the first `limit` rows in the order (docs/http.md: Query strings). Default Infinity. Reads each value at most
 * once. Can be suspended.
 */
export function sortRows (rows: readonly object[], order: Order, limit = Infinity): readonly object[] {
  const list = resumed<readonly object[]>() ?? rows
  try {
    // If the limit is small, the first term alone excludes most rows, and a heap of the limit's size is faster.
    const sorted = limit < list.length / 4 ? firstOf(list, compareBy(order), limit) : allOf(list, order).slice(0, limit)
    return sorted.map(({ row }) => row)
  } catch (error) {
    // The rows may be those of the application, which may change them before the read goes on.
    throw leaving(error, list === rows ? [...list] : list)
  }
}

/** A row and its values of the order's terms, of which the first `readCount` have been read. */
interface SortEntry { row: object, readonly values: unknown[], readCount: number }

const entryOf = (row: object): SortEntry => ({ row, values: [], readCount: 0 })

/** Sorts all rows. Reads all values first: a check of `readCount` in each comparison takes four times as long. */
function allOf (rows: readonly object[], order: Order): readonly SortEntry[] {
  const readers = order.map(({ field }) => comparableReaderOf(field))
  const signs = order.map(({ descending }) => descending ? -1 : 1)
  const read = (row: object): SortEntry => {
    tick()
    return { row, values: readers.map(one => one(row)), readCount: readers.length }
  }
  return inTurn(() => mapEach(rows, read), entries => sortLong(entries, (one, other) => {
    for (let index = 0; index < signs.length; index++) {
      const compared = compareValues(one.values[index], other.values[index])
      if (compared !== 0) return compared * (signs[index] ?? 1)
    }
    return 0
  }))
}

type Compare = (one: SortEntry, other: SortEntry) => number

function compareBy (order: Order): Compare {
  const readers = order.map(({ field }) => comparableReaderOf(field))
  const signs = order.map(({ descending }) => descending ? -1 : 1)
  return (one, other) => {
    for (let index = 0; index < signs.length; index++) {
      const read = readers[index] as Reader
      const compared = compareValues(valueAt(one, index, read), valueAt(other, index, read))
      if (compared !== 0) return compared * (signs[index] ?? 1)
    }
    return 0
  }
}

/** Reads the values in the order of the terms, each when a comparison first needs it. */
function valueAt (entry: SortEntry, index: number, read: Reader): unknown {
  if (index >= entry.readCount) {
    entry.values[index] = read(entry.row)
    entry.readCount = index + 1
  }
  return entry.values[index]
}

/** Sorts the first `limit` rows, which it collects in a heap. The top is the last of them: later rows are skipped. */
const firstOf = (rows: readonly object[], compare: Compare, limit: number): readonly SortEntry[] =>
  inTurn(() => heapOf(rows, compare, limit), heap => sortLong(heap, compare))

function heapOf (rows: readonly object[], compare: Compare, limit: number): SortEntry[] {
  let { heap, index } = resumed<{ heap: SortEntry[], index: number }>() ?? { heap: [], index: 0 }
  let next = entryOf({})
  try {
    for (; index < rows.length; index++) {
      tick()
      const row = rows[index] as object
      next.row = row
      next.readCount = 0
      if (heap.length >= limit && (limit === 0 || compare(next, heap[0] ?? next) >= 0)) continue
      if (heap.length < limit) push(heap, next, compare)
      else replaceTop(heap, next, compare)
      next = entryOf(row)
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

/** Compares two values in ascending order: numbers and booleans, then texts, then nulls. */
export function compareValues (one: unknown, other: unknown): number {
  if (one === other) return 0
  if (one === null) return 1
  if (other === null) return -1
  if (typeof one === 'string' && typeof other === 'string') return compareText(one, other)
  if (typeof one === 'string') return 1
  return typeof other === 'string' || (one as number) < (other as number) ? -1 : 1
}

/**
 * Compares texts by code point. The operator `<` compares UTF-16 units, in which code points above U+FFFF sort before
 * U+E000 to U+FFFF.
 */
export function compareText (one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const unit = one.charCodeAt(index)
    const otherUnit = other.charCodeAt(index)
    if (unit !== otherUnit) return rank(unit) - rank(otherUnit)
  }
  return one.length - other.length
}

const rank = (unit: number) => unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
