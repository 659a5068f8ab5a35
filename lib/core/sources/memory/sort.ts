import type { DataField } from '../../model/model.ts'
import type { ItemValue, Order, Related } from '../../plan/plan.ts'
import { relatedReducer } from './aggregate.ts'
import { compareValues } from './compare.ts'
import { compileFilter } from './filter.ts'
import { relatedOf } from './relations.ts'
import type { Tick } from './tick.ts'
import { comparableReaderOf, type Reader } from './values.ts'

/** Returns the rows in the order (docs/http.md: Query strings). Reads each value once. */
export function sortRows (rows: readonly object[], order: Order, tick: Tick): readonly object[] {
  const terms = order.map(term =>
    ({ values: rows.map(valueReader(term, comparableReaderOf, tick)), sign: term.descending ? -1 : 1 }))
  const positions = [...rows.keys()].sort((one, other) => {
    tick(1)
    for (const { values, sign } of terms) {
      const compared = compareValues(values[one], values[other]) * sign
      if (compared !== 0) return compared
    }
    return 0
  })
  return positions.map(position => rows[position] as object)
}

/** Returns the reader of a value. `readerOf` returns that of a field, of the item at the end of the value's path. */
export function valueReader (
  { path = [], field, related }: ItemValue, readerOf: (field: DataField) => Reader, tick: Tick
): Reader {
  const last = field === undefined ? relatedReader(related, readerOf, tick) : readerOf(field)
  // Many rows lead to one item.
  return path.reduceRight<Reader>((read, step) => {
    const related = relatedOf(step.field, tick)
    const exists = compileFilter(step.where, tick)
    return row => {
      const found = related(row).find(exists)
      return found === undefined ? null : read(found)
    }
  }, field === undefined && path.length > 0 ? readOnce(last) : last)
}

function readOnce (read: Reader): Reader {
  const values = new Map<object, unknown>()
  return row => {
    if (!values.has(row)) values.set(row, read(row))
    return values.get(row)
  }
}

function relatedReader (related: Related, readerOf: (field: DataField) => Reader, tick: Tick): Reader {
  const reduce = relatedReducer(related, [related.value], tick)
  const read = readerOf(related.value.field)
  return row => read(reduce(row))
}
