import { afterRow, checkMoved, cursorValues } from '../plan/cursor.ts'
import type { Row } from '../plan/plan.ts'
import type { ScopedDatabase } from '../rules/scoped-database.ts'
import type { Batches, IsAbandoned, ListPlan, ReadResult } from '../sources/source.ts'

/**
 * Reads a listing in batches of at most `size` rows, each with a statement that starts after the last row of the batch
 * before (docs/http.md: Pages and links). Holds one batch at a time, and keeps no database cursor open for a slow
 * client. Rows that other requests add or remove meanwhile do not shift the batches.
 */
export async function readBatches (
  plan: ListPlan, database: ScopedDatabase, size: number, noCache = false, isAbandoned?: IsAbandoned
): Promise<Batches> {
  if (database.readBatches !== undefined) return database.readBatches(plan, size, noCache)
  const extra = [...new Set([...plan.extra, ...plan.listing.order.map(term => term.field)])]
  const carrying = { ...plan, extra }
  const readBatch = (rest: ListPlan) => database.read(limitTo(rest, size), noCache, isAbandoned)
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
    if (result.kind === 'rows') checkBatch(plan, last, result.rows)
  }
}

/** Throws an Error if the batch after `last` begins or ends where `last` is: the stream would not come to an end. */
function checkBatch ({ listing: { order } }: ListPlan, last: Row, rows: readonly Row[]): void {
  for (const row of [rows[0], rows.at(-1)]) if (row !== undefined) checkMoved(order, row, cursorValues(order, last))
}

function limitTo (plan: ListPlan, size: number): ListPlan {
  const { range } = plan.listing
  return { ...plan, listing: { ...plan.listing, range: { ...range, limit: Math.min(range.limit, size) } } }
}

/** Returns the plan of the rows after `last`, without the offset and the count, which the first batch has served. */
function restAfter (plan: ListPlan, last: Row): ListPlan {
  const { listing } = plan
  const range = { offset: 0, limit: listing.range.limit }
  return { ...plan, count: false, cursorBound: afterRow(listing.order, last), listing: { ...listing, range } }
}
