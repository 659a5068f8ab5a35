import { DataApiError } from '../errors/errors.ts'
import { afterRow, checkMoved, cursorValues } from '../plan/read/cursor.ts'
import { ownFields } from '../plan/order.ts'
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
  const extra = [...new Set([...plan.extra, ...ownFields(plan.listing.order)])]
  const carrying = { ...plan, extra }
  const read = (rest: ListPlan) => database.read(rest, noCache, isAbandoned)
  const first = await readWithin(carrying, Math.min(size, firstSize), read)
  return { first, rows: follow(first, carrying, (rest, rows) => readWithin(rest, sizeAfter(rows, size), read)) }
}

type Read = (plan: ListPlan) => ReadResult | Promise<ReadResult>

/** Reads at most `size` rows, and fewer where their text is too long for one batch. */
async function readWithin (plan: ListPlan, size: number, read: Read): Promise<ReadResult> {
  try {
    return await read(limitTo(plan, size))
  } catch (error) {
    const isTooLong = error instanceof DataApiError && error.code === 'answer_too_large'
    if (size === 1 || !isTooLong) throw error
    return readWithin(plan, Math.ceil(size / 4), read)
  }
}

// Rows, of which nothing is known before they are read.
const firstSize = 25

// Characters. A batch of rows of this length takes some megabytes.
const batchLength = 2 ** 21

/** Returns the size of the batch after these rows: at most `most`, and fewer if the texts in them are long. */
function sizeAfter (rows: readonly Row[], most: number): number {
  let length = 0
  for (const row of rows) for (const name in row) length += typeof row[name] === 'string' ? row[name].length : 0
  return Math.max(1, Math.min(most, Math.floor(batchLength * rows.length / Math.max(length, 1))))
}

async function * follow (
  first: ReadResult, plan: ListPlan, readBatch: (rest: ListPlan, rows: readonly Row[]) => Promise<ReadResult>
): AsyncGenerator<readonly Row[]> {
  let result: ReadResult = first
  let remaining = plan.listing.range.limit
  while (result.kind === 'rows') {
    yield result.rows
    remaining -= result.rows.length
    const last = result.rows.at(-1)
    if (!result.more || last === undefined || remaining <= 0) return
    result = await readBatch(limitTo(restAfter(plan, last), remaining), result.rows)
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
