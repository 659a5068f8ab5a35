import { sql } from '../load-kysely.ts'
import type { Operator } from '../../../model/values.ts'
import type { Sql } from '../statements/dialect.ts'

/**
 * A type whose values are finer than what a client sees, and filters by. An order, and so a cursor, goes by the column
 * itself. `type`: the type of the column. `shownType`: the type of what is shown. `toShown`: what is shown, in that
 * type. `bound`: what a comparison of it with `operand` implies for the column, so that an index serves it. `position`:
 * the text of a value by which a cursor finds its place, or null where that is the value as it is shown.
 */
export interface Inexact {
  readonly type: string
  readonly shownType: string
  toShown (column: Sql): Sql
  bound (column: Sql, operator: Operator, operand: Sql): Sql | undefined
  position? (column: Sql): Sql
}

/** The least and the greatest value that may be shown as another one. */
export interface Ends { readonly low: Sql, readonly high: Sql }

/** Returns the condition that a comparison with a value implies for the column. */
export function boundOf (column: Sql, operator: Operator, ends: Ends): Sql | undefined {
  const make = Object.hasOwn(bounds, operator) ? bounds[operator] : undefined
  return make?.(column, ends)
}

const bounds: Partial<Readonly<Record<Operator, (column: Sql, ends: Ends) => Sql>>> = {
  equals: (column, { low, high }) => sql`${column} between ${low} and ${high}`,
  greater: (column, { low }) => sql`${column} >= ${low}`,
  at_least: (column, { low }) => sql`${column} >= ${low}`,
  less: (column, { high }) => sql`${column} <= ${high}`,
  at_most: (column, { high }) => sql`${column} <= ${high}`
}
