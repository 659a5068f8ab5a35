import { sql } from '../load-kysely.ts'
import type { Origin, Predicate } from '../../../plan/plan.ts'
import { always } from '../../../plan/predicates.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { startingAt } from './steps.ts'
import { table, tableRef, type TableRef } from './table.ts'

/** Builds a subquery that counts the items of a listing, whatever its page (docs/http.md: Query strings). */
export function buildTotal (
  from: Origin, parent: TableRef | undefined, where: Predicate, builder: Builder
): Sql {
  const ref = tableRef(from.collection, builder.alias())
  const condition = startingAt(from, ref, parent, where, builder)
  // A database counts all rows faster than it loops over them.
  const isLoop = from.via !== undefined || where !== always
  return sql`(select count(*) from ${table(ref)} where ${isLoop ? builder.clockedScan(condition, ref) : condition})`
}

/** Decodes the value of a total column: `null` is the total of a plan that does not count. */
export function decodeTotal (total: unknown): { readonly total?: number } {
  return total === null ? {} : { total: Number(total) }
}
