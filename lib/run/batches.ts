import type { Scalar } from '../model/values.ts'
import { afterCursor } from '../plan/cursor.ts'
import type { Row } from '../plan/plan.ts'
import type { ScopedDatabase } from '../rules/scoped-database.ts'
import type { Batches, ListPlan, ReadResult } from '../sources/source.ts'

/**
 * Reads a listing in batches of `size` rows, each its own statement that starts after the last row of the one before. No more than one batch is
 * ever held, no cursor stays open while a client is slow, and rows that come and go meanwhile disturb no others (docs/http.md: Pages and links).
 */
export async function readBatches (plan: ListPlan, database: ScopedDatabase, size: number, fresh = false): Promise<Batches> {
  if (database.readBatches !== undefined) return database.readBatches(plan, size, fresh)
  const carry = [...new Set([...plan.carry, ...plan.listing.order.map(term => term.field)])]
  const carrying = { ...plan, carry }
  const first = await database.read(limitTo(carrying, size), fresh)
  return { first, rows: follow(first, carrying, batch => database.read(limitTo(batch, size), fresh)) }
}

async function * follow (first: ReadResult, plan: ListPlan, read: (plan: ListPlan) => ReadResult | Promise<ReadResult>): AsyncGenerator<readonly Row[]> {
  let result: ReadResult = first
  let remaining = plan.listing.range.limit
  while (result.kind === 'rows') {
    yield result.rows
    remaining -= result.rows.length
    const last = result.rows.at(-1)
    if (!result.more || last === undefined || remaining <= 0) return
    result = await read(limitTo(after(plan, last), remaining))
  }
}

function limitTo (plan: ListPlan, size: number): ListPlan {
  const { range } = plan.listing
  return { ...plan, listing: { ...plan.listing, range: { ...range, limit: Math.min(range.limit, size) } } }
}

/** The rest of the listing. What was skipped before the first batch is not skipped again, and what was counted is not counted again. */
function after (plan: ListPlan, last: Row): ListPlan {
  const { listing } = plan
  // Sources give a Scalar or null for every field of an order.
  const values = listing.order.map(({ field }) => (last[field.property] ?? null) as Scalar | null)
  return { ...plan, count: false, beyond: afterCursor(listing.order, values), listing: { ...listing, range: { offset: 0, limit: listing.range.limit } } }
}
