import type { Order } from '../../../plan/plan.ts'
import { isNullable } from '../../../plan/order.ts'
import { sql } from '../load-kysely.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { valueColumn } from './item-values.ts'
import type { TableRef } from './table.ts'

/**
 * Builds the terms of `order by`: nulls last ascending, first descending. Only the term of a nullable column places
 * nulls, so that a plain index serves the others. Call it before `table(ref)`: sub-items are joined to the table.
 */
export function buildSort (order: Order, ref: TableRef, builder: Builder): Sql {
  return sql.join(order.map(one => {
    const { sql: value, type } = valueColumn(one, ref, builder)
    // What a function makes is compared as it is.
    const term = one.related === undefined ? builder.dialect.comparable(value, type) : value
    if (!isNullable(one)) return one.descending ? sql`${term} desc` : term
    return one.descending ? sql`${term} desc nulls first` : sql`${term} nulls last`
  }))
}
