import { sql } from 'kysely'
import type { Order } from '../../../plan/plan.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { column, type TableRef } from './table.ts'

/** The terms of `order by`. Where nulls go is said only of columns that have them: an index serves the others as they are. */
export function buildSort (order: Order, use: TableRef, { dialect, columnType: held }: Builder): Sql {
  return sql.join(order.map(({ field, descending }) => {
    const term = dialect.comparable(column(use, field), held(use.collection, field))
    if (!field.nullable) return descending ? sql`${term} desc` : term
    return descending ? sql`${term} desc nulls first` : sql`${term} nulls last`
  }))
}
