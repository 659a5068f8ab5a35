import { sql } from '../load-kysely.ts'
import type { DataField } from '../../../model/model.ts'
import { positionName } from '../../../plan/order.ts'
import type { Builder } from './builder.ts'
import type { ColumnType, FastForms, Sql } from './dialect.ts'
import { NeedsExactForm } from './compiled-read.ts'
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
    const isNone = position.isNone ?? sql`${position.sql} is null`
    return [{ name: positionName({ field }), sql: position.sql, isNone }]
  })
}

/** Returns those fields with a position whose reads fail for values that have one (Dialect.fast). */
export function guardedAmong (fields: readonly DataField[], ref: TableRef, { dialect, columnType }: Builder) {
  const { fast } = dialect
  if (fast === undefined) return new Set<DataField>()
  return new Set(fields.filter(field => {
    const type = columnType(ref.collection, field)
    return fast.isGuarded(type) && dialect.position(column(ref, field), type) !== undefined
  }))
}

/** Throws NeedsExactForm if a value at the end of a page, as it was fetched, may have a position. */
export function checkEnd (value: unknown, type: ColumnType, { isUsual }: FastForms): void {
  if (!isUsual(value, type) || (typeof value === 'string' && mayBeMistyped.test(value))) throw new NeedsExactForm()
}

// U+0001 begins positions; U+FFFD stands for bytes that are no text.
// eslint-disable-next-line no-control-regex
const mayBeMistyped = /^\u0001|\u0000|\ufffd/

/** Throws NeedsExactForm if JSON contains such a text. It may throw for others that contain control characters. */
export function checkJson (text: string): void {
  if (text.includes('\\u000') || text.includes('\ufffd')) throw new NeedsExactForm()
}
