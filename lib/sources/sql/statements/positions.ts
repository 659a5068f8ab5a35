import { sql } from '../load-kysely.ts'
import type { DataField } from '../../../model/model.ts'
import { positionName } from '../../../plan/position.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { column, type TableRef } from './table.ts'

/**
 * A position that rows carry besides a field's value, under its name in a row. `isNone`: a condition for values without
 * a position, which need not hold for all of them.
 */
export interface Position { readonly name: string, readonly sql: Sql, readonly isNone: Sql }

/** Returns the positions of those fields whose values as shown do not tell where a row is in the order. */
export function positionsOf (
  fields: readonly DataField[], ref: TableRef, { dialect, columnType }: Builder
): readonly Position[] {
  return fields.flatMap(field => {
    const value = column(ref, field)
    const type = columnType(ref.collection, field)
    const position = dialect.position(value, type)
    if (position === undefined) return []
    const isNone = dialect.hasNoPosition(value, type) ?? sql`${position} is null`
    return [{ name: positionName(field), sql: position, isNone }]
  })
}
