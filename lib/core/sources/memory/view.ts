import type { Collection, DataField, RelationField } from '../../model/model.ts'
import type { Predicate } from '../../plan/plan.ts'
import { memoize } from '../../scheduling/memoize.ts'
import { compileFilter } from './filter.ts'
import { memoryTable, relatedRows } from './relations.ts'
import { readerOf } from './values.ts'

/** The items of a collection over memory(), for tests, which ask without a plan. */
export interface MemoryView {
  /** Returns all rows, as they are at the moment. */
  rows (): readonly object[]
  /** Returns the rows that a relation of a row leads to, each once. */
  related (row: object, field: RelationField): readonly object[]
  /** Returns a value of a row as an item shows it. */
  value (row: object, field: DataField): unknown
  /** Returns the test of the rows for which a predicate holds. */
  test (where: Predicate): (row: object) => boolean
}

export const memoryView = memoize((collection: Collection): MemoryView => {
  const readers = memoize(readerOf)
  return {
    rows: () => memoryTable(collection).all(),
    related: relatedRows,
    value: (row, field) => readers(field)(row),
    test: where => compileFilter(where)
  }
})
