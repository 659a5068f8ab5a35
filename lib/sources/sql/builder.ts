import type { Collection, DataField } from '../../model/model.ts'
import { type ColumnTypes, columnType, type Held } from './columns.ts'
import type { Dialect } from './dialect.ts'
import type { Shape, Slot } from './shape.ts'

/** What the parts of one statement share while it is built. */
export interface Builder {
  readonly dialect: Dialect
  /** How the database holds a field. */
  held (collection: Collection, field: DataField): Held
  /** A new alias for a table. */
  alias (): string
  /** Where the values of a node of the plan are bound. */
  slotsOf (node: object): readonly Slot[]
}

export function makeBuilder (dialect: Dialect, types: ColumnTypes, { slots }: Shape): Builder {
  let aliases = 0
  return {
    dialect,
    held: (collection, field) => ({ kind: field.type.kind, type: field.kind === 'stored' ? columnType(types, collection, field) : '' }),
    // Named as no table is likely to be, since a name inside hides the same name outside.
    alias: () => `(t${aliases++})`,
    slotsOf: node => slots.get(node) ?? []
  }
}
