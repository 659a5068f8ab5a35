import { sql } from 'kysely'
import type { Collection, DataField } from '../../../model/model.ts'
import { type ColumnTypes, columnType, type ColumnType } from './columns.ts'
import type { Dialect, Sql } from './dialect.ts'
import type { Shape, Slot } from './shape.ts'

/** What the parts of one statement share while it is built. */
export interface Builder {
  readonly dialect: Dialect
  /** How the database holds a field. */
  columnType (collection: Collection, field: DataField): ColumnType
  /** A new alias for a table. */
  alias (): string
  /** Has an insert do nothing where the row would be a duplicate. */
  onConflict (table: string): Sql
  /** Where the values of a node of the plan are bound. */
  slotsOf (node: object): readonly Slot[]
}

/** What is known of a database's tables. `deferrable`: those with a unique constraint that may be deferred, which no `on conflict` takes. */
export interface Tables { readonly types: ColumnTypes, readonly deferrable: ReadonlySet<string> }

export function makeBuilder (dialect: Dialect, { types, deferrable }: Tables, { slots }: Shape): Builder {
  let aliases = 0
  return {
    dialect,
    columnType: (collection, field) => ({ kind: field.type.kind, type: field.kind === 'stored' ? columnType(types, collection, field) : '' }),
    // Named as no table is likely to be, since a name inside hides the same name outside.
    alias: () => `(t${aliases++})`,
    onConflict: table => deferrable.has(table) ? sql`` : sql` on conflict do nothing`,
    slotsOf: node => slots.get(node) ?? []
  }
}
