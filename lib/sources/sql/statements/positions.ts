import type { DataField } from '../../../model/model.ts'
import { positionName } from '../../../plan/position.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { column, type TableRef } from './table.ts'

/** A position that rows carry besides a field's value, under its name in a row. */
export interface Position { readonly name: string, readonly sql: Sql }

/** Returns the positions of those fields whose values as shown do not tell where a row is in the order. */
export function positionsOf (
  fields: readonly DataField[], ref: TableRef, { dialect, columnType }: Builder
): readonly Position[] {
  return fields.flatMap(field => {
    const sql = dialect.position(column(ref, field), columnType(ref.collection, field))
    return sql === undefined ? [] : [{ name: positionName(field), sql }]
  })
}
