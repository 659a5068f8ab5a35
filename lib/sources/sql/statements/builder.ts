import { sql } from '../load-kysely.ts'
import { memoize } from '../../../memoize.ts'
import type { Collection, DataField } from '../../../model/model.ts'
import { describeElements } from '../../../model/values.ts'
import { tableOf } from '../source.ts'
import { keyOfTable, type TableName } from '../table-name.ts'
import { type ColumnTypes, columnType, type ColumnType } from './columns.ts'
import type { Dialect, Sql } from './dialect.ts'
import type { Shape, Slot } from './shape.ts'
import type { TableRef } from './table.ts'

/** The state that the parts of one statement share while it is built. */
export interface Builder {
  readonly dialect: Dialect
  /** Returns the column type of a field. */
  columnType (collection: Collection, field: DataField): ColumnType
  /** Returns a new alias for a table. */
  alias (): string
  /** Returns the clause by which an insert of a duplicate does nothing. */
  onConflict (table: TableName): Sql
  /** Returns the clause by which a duplicate is refused, where the table itself says otherwise. */
  orAbort (table: TableName): Sql
  /** Returns true for a view whose writes its `instead of` triggers carry out. */
  hasInsteadOf (table: TableName): boolean
  /** Returns true for a table whose rows are not sure to have keys of their own. */
  mayRepeatKeys (table: TableName): boolean
  /** Returns the column of a table's key if nothing fills it where an insert leaves it out, but its next number may. */
  unnumberedKey (table: TableName): string | undefined
  /** Adds a clock to the conditions of a loop over rows of `ref` that visits each of them once (Dialect.clocked). */
  clockedScan (conditions: Sql, ref: TableRef): Sql
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
  /** See Builder. */
  mayRepeatKeys (table: TableName): boolean
  /** Returns true for a table whose rows have numbers, which Dialect.clocked needs. */
  hasRowNumbers (table: TableName): boolean
  /** See Builder. */
  unnumberedKey (table: TableName): string | undefined
  /** Returns true for a table that says what becomes of duplicates. */
  hasConflictClause (table: TableName): boolean
}

/** Makes the builder of one statement. */
export function makeBuilder (dialect: Dialect, tables: Tables, { slots }: Shape): Builder {
  const { types, deferrable, hasInsteadOf, mayRepeatKeys, hasRowNumbers, unnumberedKey, hasConflictClause } = tables
  let aliases = 0
  return {
    dialect,
    columnType (collection, field) {
      const type = field.kind === 'stored' ? columnType(types, collection, field) : ''
      const element = field.type.kind === 'json' ? describeElements(field.schema)?.type.kind : undefined
      return { kind: field.type.kind, type, nullable: field.nullable, element }
    },
    // Aliases have parentheses, so that they hide no table: an inner name hides an outer one.
    alias: () => `(t${aliases++})`,
    onConflict: table =>
      deferrable.has(keyOfTable(table)) || hasInsteadOf(table) ? sql`` : sql` on conflict do nothing`,
    orAbort: table => hasConflictClause(table) ? sql` or abort` : sql``,
    hasInsteadOf,
    mayRepeatKeys,
    unnumberedKey,
    clockedScan: (conditions, { collection, alias }) =>
      dialect.clocked(conditions, isNumbered(collection, hasRowNumbers) ? alias : undefined),
    slotsOf: node => slots.get(node) ?? []
  }
}

/** Returns true if a collection is always read from a table itself, whose rows have numbers. */
function isNumbered (collection: Collection, hasRowNumbers: Tables['hasRowNumbers']): boolean {
  // Where expressions are read, the table is a derived one (table.ts).
  return hasRowNumbers(tableOf(collection)) && !hasExpressions(collection)
}

const hasExpressions = memoize(({ properties }: Collection) =>
  [...properties.values()].some(({ kind }) => kind === 'expression'))
