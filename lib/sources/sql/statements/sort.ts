import { sql } from '../load-kysely.ts'
import type { Order } from '../../../plan/plan.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { column, type TableRef } from './table.ts'

/**
 * Builds the terms of `order by`: nulls last ascending, first descending. Only the term of a nullable column places
 * nulls, so that a plain index serves the others.
 */
export function buildSort (order: Order, ref: TableRef, { dialect, columnType }: Builder): Sql {
  return sql.join(order.map(({ field, descending }) => {
    const term = dialect.comparable(column(ref, field), columnType(ref.collection, field))
    if (!field.nullable) return descending ? sql`${term} desc` : term
    return descending ? sql`${term} desc nulls first` : sql`${term} nulls last`
  }))
}
