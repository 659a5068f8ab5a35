import type { Scalar } from '../model/values.ts'
import { afterCursor } from '../plan/cursor.ts'
import type { Row } from '../plan/plan.ts'
import type { ScopedDatabase } from '../rules/scoped-database.ts'
import type { Batches, ListPlan, ReadResult } from '../sources/source.ts'

/**
 * Reads a listing in batches of at most `size` rows, each with a statement that starts after the last row of the batch
 * before (docs/http.md: Pages and links). Holds one batch at a time, and keeps no database cursor open for a slow
 * client. Rows that other requests add or remove meanwhile do not shift the batches.
 */
export async function readBatches (
  plan: ListPlan, database: ScopedDatabase, size: number, noCache = false
): Promise<Batches> {
  if (database.readBatches !== undefined) return database.readBatches(plan, size, noCache)
  const extra = [...new Set([...plan.extra, ...plan.listing.order.map(term => term.field)])]
  const carrying = { ...plan, extra }
  const readBatch = (rest: ListPlan) => database.read(limitTo(rest, size), noCache)
  const first = await readBatch(carrying)
  return { first, rows: follow(first, carrying, readBatch) }
}

async function * follow (
  first: ReadResult, plan: ListPlan, readBatch: (rest: ListPlan) => ReadResult | Promise<ReadResult>
): AsyncGenerator<readonly Row[]> {
  let result: ReadResult = first
  let remaining = plan.listing.range.limit
  while (result.kind === 'rows') {
    yield result.rows
    remaining -= result.rows.length
    const last = result.rows.at(-1)
    if (!result.more || last === undefined || remaining <= 0) return
    result = await readBatch(limitTo(restAfter(plan, last), remaining))
  }
}

function limitTo (plan: ListPlan, size: number): ListPlan {
  const { range } = plan.listing
  return { ...plan, listing: { ...plan.listing, range: { ...range, limit: Math.min(range.limit, size) } } }
}

/** Returns the plan of the rows after `last`, without the offset and the count, which the first batch has served. */
function restAfter (plan: ListPlan, last: Row): ListPlan {
  const { listing } = plan
  // Sources return a Scalar or null for every field of an order.
  const values = listing.order.map(({ field }) => (last[field.property] ?? null) as Scalar | null)
  const range = { offset: 0, limit: listing.range.limit }
  return { ...plan, count: false, cursorBound: afterCursor(listing.order, values), listing: { ...listing, range } }
}
