import { memoize } from '../../memoize.ts'
import type { Order } from '../../plan/plan.ts'
import { compareValues, rankOf } from './compare-values.ts'
import { comparableReaderOf, type Reader } from './values.ts'

/**
 * A row that is sorted, with its value of the first term. `rank`: a number that rises with that value, and so decides
 * most comparisons. `others`: the values of the further terms, each read when a comparison first needs it.
 */
export interface SortEntry {
  readonly row: object
  readonly value: unknown
  readonly rank: number
  others: unknown[] | undefined
}

/** The code of an order. */
export interface Sorter {
  /** Reads the value of the first term. */
  read (row: object): unknown
  /** Returns the rank of a value of the first term. */
  rank (value: unknown): number
  compare (one: SortEntry, other: SortEntry): number
  /** Returns true if the row sorts after the next one. The values are those of the first term. */
  isBehind (row: object, value: unknown, next: object, nextValue: unknown): boolean
}

/** A term of an order. `sign`: -1 if it is descending. */
interface Term { readonly read: Reader, readonly sign: number }

export const sorterOf = memoize((order: Order): Sorter => {
  const [first = unordered, ...others] = order.map(({ field, descending }): Term =>
    ({ read: comparableReaderOf(field), sign: descending ? -1 : 1 }))
  const { read, sign } = first
  const compareOthers = comparerOf(others)
  return {
    read,
    rank: value => rankOf(value) * sign,
    compare (one, other) {
      if (one.rank < other.rank) return -1
      if (one.rank > other.rank) return 1
      return compareValues(one.value, other.value) * sign || compareOthers(one, other)
    },
    isBehind (row, value, next, nextValue) {
      const compared = compareValues(value, nextValue) * sign
      return compared === 0 ? isBehindBy(others, row, next) : compared > 0
    }
  }
})

// The order of a collection without a key.
const unordered: Term = { read: () => null, sign: 1 }

function comparerOf (terms: readonly Term[]): Sorter['compare'] {
  return (one, other) => {
    for (let index = 0; index < terms.length; index++) {
      const { read, sign } = terms[index] as Term
      const compared = compareValues(valueAt(one, index, read), valueAt(other, index, read)) * sign
      if (compared !== 0) return compared
    }
    return 0
  }
}

/** Reads the values in the order of the terms. */
function valueAt (entry: SortEntry, index: number, read: Reader): unknown {
  const values = entry.others ??= []
  if (index >= values.length) values.push(read(entry.row))
  return values[index]
}

function isBehindBy (terms: readonly Term[], row: object, next: object): boolean {
  for (const { read, sign } of terms) {
    const compared = compareValues(read(row), read(next)) * sign
    if (compared !== 0) return compared > 0
  }
  return false
}
