import { sql } from '../load-kysely.ts'
import type { Collection, DataField } from '../../../model/model.ts'
import { keyOfTable, type TableName } from '../table-name.ts'
import { type ColumnTypes, columnType, type ColumnType } from './columns.ts'
import type { Dialect, Sql } from './dialect.ts'
import type { Shape, Slot } from './shape.ts'

/** The state that the parts of one statement share while it is built. */
export interface Builder {
  readonly dialect: Dialect
  /** Returns the column type of a field. */
  columnType (collection: Collection, field: DataField): ColumnType
  /** Returns a new alias for a table. */
  alias (): string
  /** Returns the clause by which an insert of a duplicate does nothing. */
  onConflict (table: TableName): Sql
  /** Returns true for a view whose writes its `instead of` triggers carry out. */
  hasInsteadOf (table: TableName): boolean
  /** Returns the slots of the values that a node of the plan holds, in the order of the values. */
  slotsOf (node: object): readonly Slot[]
}

/**
 * The facts about a database's tables. `deferrable`: the tables with a deferrable unique constraint, which PostgreSQL
 * does not accept in `on conflict`, by their keys (keyOfTable).
 */
export interface Tables {
  readonly types: ColumnTypes
  readonly deferrable: ReadonlySet<string>
  /** Returns true for a view whose writes its `instead of` triggers carry out. */
  hasInsteadOf (table: TableName): boolean
}

/** Makes the builder of one statement. */
export function makeBuilder (
  dialect: Dialect, { types, deferrable, hasInsteadOf }: Tables, { slots }: Shape
): Builder {
  let aliases = 0
  return {
    dialect,
    columnType: (collection, field) => {
      return { kind: field.type.kind, type: field.kind === 'stored' ? columnType(types, collection, field) : '' }
    },
    // Aliases have parentheses, so that they hide no table: an inner name hides an outer one.
    alias: () => `(t${aliases++})`,
    onConflict: table =>
      deferrable.has(keyOfTable(table)) || hasInsteadOf(table) ? sql`` : sql` on conflict do nothing`,
    hasInsteadOf,
    slotsOf: node => slots.get(node) ?? []
  }
}
