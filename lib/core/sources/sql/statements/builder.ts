import { sql } from '../load-kysely.ts'
import { memoize } from '../../../scheduling/memoize.ts'
import type { Collection, DataField } from '../../../model/model.ts'
import { describeElements } from '../../../model/values.ts'
import { type FindTable, isReplaced } from '../catalog.ts'
import { sourceOf, tableOf } from '../source.ts'
import type { TableName } from '../table-name.ts'
import type { ColumnType, Dialect, Sql } from './dialect.ts'
import type { StatementShape } from './shape.ts'
import type { Slot } from './slots.ts'
import type { TableRef } from './table.ts'

/** The state that the parts of one statement share while it is built. */
export interface Builder {
  readonly dialect: Dialect
  columnType (collection: Collection, field: DataField): ColumnType
  /** Returns a new alias for a table. */
  alias (): string
  /** Returns the clause by which an insert of a duplicate does nothing. */
  onConflict (table: TableName): Sql
  /** Returns the clause by which a duplicate is refused, where the table itself says otherwise. */
  orAbort (table: TableName): Sql
  readonly findTable: FindTable
  /** Returns true for a view some of whose changes its triggers `instead of` make. */
  isReplaced (table: TableName): boolean
  /** Adds a clock to the conditions of a loop over rows of `ref` that visits each of them once (Dialect.clocked). */
  clockedScan (conditions: Sql, ref: TableRef): Sql
  /** Returns the slots of the values that a node of the plan holds, in the order of the values. */
  slotsOf (node: object): readonly Slot[]
}

export function makeBuilder (dialect: Dialect, findTable: FindTable, { slots }: StatementShape): Builder {
  let aliases = 0
  const isReplacedTable = (name: TableName) => {
    const table = findTable(name)
    return table !== undefined && isReplaced(table)
  }
  return {
    dialect,
    columnType (collection, field) {
      const types = field.kind === 'stored' ? findTable(tableOf(collection))?.types : undefined
      const type = types?.get(sourceOf(collection).column(field.property)) ?? ''
      const element = describeElements(field.schema)?.type.kind
      return { kind: field.type.kind, type, nullable: field.nullable, element }
    },
    // Aliases have parentheses, so that they hide no table: an inner name hides an outer one.
    alias: () => `(t${aliases++})`,
    onConflict (table) {
      const takesNone = findTable(table)?.isDeferrable === true || isReplacedTable(table)
      return takesNone ? sql`` : sql` on conflict do nothing`
    },
    orAbort: table => findTable(table)?.hasConflictClause === true ? sql` or abort` : sql``,
    findTable,
    isReplaced: isReplacedTable,
    clockedScan: (conditions, { collection, alias }) =>
      dialect.clocked(conditions, isNumbered(collection, findTable) ? alias : undefined),
    slotsOf: node => slots.get(node) ?? []
  }
}

/** Returns true if a collection is always read from a table itself, whose rows have numbers. */
function isNumbered (collection: Collection, findTable: FindTable): boolean {
  // Where expressions are read, the table is a derived one (table.ts).
  return findTable(tableOf(collection))?.hasRowNumbers === true && !hasExpressions(collection)
}

const hasExpressions = memoize(({ properties }: Collection) =>
  [...properties.values()].some(({ kind }) => kind === 'expression'))
