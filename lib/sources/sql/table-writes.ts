import type { RowChange, SourceWrites } from '../../declare/source.ts'
import { memoize } from '../../scheduling/memoize.ts'
import type { TableName } from './table-name.ts'

/** The writes that a table or view does not take as they are, as its database tells. */
export interface TableWrites {
  readonly refused: ReadonlySet<RowChange>
  readonly replaced: ReadonlySet<RowChange>
  /** The columns that the database computes. */
  readonly generated: ReadonlySet<string>
  /** The columns whose update changes nothing else, by a trigger or a foreign key (isolatedIn). */
  readonly isolated: ReadonlySet<string>
  /** The columns that nothing fills where an insert leaves them out; on SQLite the key alone. */
  readonly unfilled: ReadonlySet<string>
  /** True for a view whose writes its `instead of` triggers carry out. */
  readonly hasInsteadOf: boolean
  /** True if no index makes sure that every row has a key of its own: in a view, or in a table that others inherit. */
  readonly mayRepeatKeys: boolean
}

const none: ReadonlySet<never> = new Set()

/** The writes of a table that takes all as they are. */
export const plainWrites: TableWrites = {
  refused: none,
  replaced: none,
  generated: none,
  isolated: none,
  unfilled: none,
  hasInsteadOf: false,
  mayRepeatKeys: false
}

/** Returns what is known of the writes of a table; undefined if it takes all as they are, or nothing is known yet. */
type FindWrites = (table: TableName) => TableWrites | undefined

/** Returns a function that gives the writes of one table as the plans of requests need them. */
export function sourceWrites (
  find: FindWrites, table: TableName, column: (property: string) => string
): () => SourceWrites | undefined {
  const toSource = memoize(({ refused, replaced, generated, isolated, unfilled }: TableWrites): SourceWrites => ({
    refused,
    replaced,
    isGenerated: property => generated.has(column(property)),
    isIsolated: property => isolated.has(column(property)),
    isUnfilled: property => unfilled.has(column(property))
  }))
  return () => {
    const found = find(table)
    return found && toSource(found)
  }
}
