import type { Order } from '../../plan/plan.ts'
import { valueOf } from './values.ts'

/** The rows in the order, each value read once (docs/http.md: Query strings). */
export function sortRows (rows: readonly object[], order: Order): readonly object[] {
  const keyed = rows.map(row => ({ row, values: order.map(({ field }) => valueOf(row, field)) }))
  keyed.sort((one, other) => {
    for (const [index, { descending }] of order.entries()) {
      const sign = compareValues(one.values[index], other.values[index])
      if (sign !== 0) return descending ? -sign : sign
    }
    return 0
  })
  return keyed.map(({ row }) => row)
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
