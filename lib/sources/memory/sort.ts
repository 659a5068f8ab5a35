import type { Order } from '../../plan/plan.ts'
import { type Reader, readerOf } from './values.ts'

/** The first rows of the order, at most so many. Each value is read once (docs/http.md: Query strings). */
export function sortRows (rows: readonly object[], order: Order, most = Infinity): readonly object[] {
  // Where a small part is wanted, most rows are seen to lie behind it by their first value.
  const sorted = most < rows.length / 4 ? firstOf(rows, compareBy(order), most) : allOf(rows, order).slice(0, most)
  return sorted.map(({ row }) => row)
}

interface Keyed { row: object, readonly values: unknown[], known: number }

/** A row whose values are read when they are first needed: `known` counts them. */
const keyed = (row: object): Keyed => ({ row, values: [], known: 0 })

/** Values are read beforehand: a full sort compares each row so often that to ask whether they are known takes four times as long. */
function allOf (rows: readonly object[], order: Order): readonly Keyed[] {
  const readers = order.map(({ field }) => readerOf(field))
  const signs = order.map(({ descending }) => descending ? -1 : 1)
  const all = rows.map(row => ({ row, values: readers.map(read => read(row)), known: readers.length }))
  return all.sort((one, other) => {
    for (let index = 0; index < signs.length; index++) {
      const compared = compareValues(one.values[index], other.values[index])
      if (compared !== 0) return compared * (signs[index] ?? 1)
    }
    return 0
  })
}

type Compare = (one: Keyed, other: Keyed) => number

function compareBy (order: Order): Compare {
  const terms = order.map(({ field, descending }, index) => ({ index, read: readerOf(field), descending }))
  return (one, other) => {
    for (const { index, read, descending } of terms) {
      const compared = compareValues(valueAt(one, index, read), valueAt(other, index, read))
      if (compared !== 0) return descending ? -compared : compared
    }
    return 0
  }
}

function valueAt (keyed: Keyed, index: number, read: Reader): unknown {
  if (index >= keyed.known) {
    keyed.values[index] = read(keyed.row)
    keyed.known = index + 1
  }
  return keyed.values[index]
}

/** A heap of the first rows that were met, the last of them on top: whatever lies behind it is left out. */
function firstOf (rows: readonly object[], compare: Compare, most: number): readonly Keyed[] {
  const heap: Keyed[] = []
  let next = keyed({})
  for (const row of rows) {
    next.row = row
    next.known = 0
    if (heap.length >= most && (most === 0 || compare(next, heap[0] ?? next) >= 0)) continue
    if (heap.length < most) rise(heap, next, compare)
    else sink(heap, next, compare)
    next = keyed(row)
  }
  return heap.sort(compare)
}

function rise (heap: Keyed[], row: Keyed, compare: Compare): void {
  let at = heap.push(row) - 1
  while (at > 0) {
    const above = (at - 1) >> 1
    const parent = heap[above] ?? row
    if (compare(row, parent) <= 0) break
    heap[at] = parent
    at = above
  }
  heap[at] = row
}

/** Puts the row in the place of the top. */
function sink (heap: Keyed[], row: Keyed, compare: Compare): void {
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    const below = left + 1 < heap.length && compare(heap[left + 1] ?? row, heap[left] ?? row) > 0 ? left + 1 : left
    const child = heap[below]
    if (child === undefined || compare(row, child) >= 0) break
    heap[at] = child
    at = below
  }
  heap[at] = row
}

/** Ascending, nulls last. Values of one field are of one type. */
export function compareValues (one: unknown, other: unknown): number {
  if (one === other) return 0
  if (one === null) return 1
  if (other === null) return -1
  if (typeof one === 'string' && typeof other === 'string') return compareText(one, other)
  return (one as number) < (other as number) ? -1 : 1
}

/** By code point. JavaScript compares UTF-16 units, of which those of code points beyond U+FFFF lie below U+E000 to U+FFFF. */
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
