import { Type } from '@sinclair/typebox'
import { DeclarationError } from '../../errors.ts'
import type { ReadPlan, Row } from '../../plan/plan.ts'
import { compileOptions, milliseconds } from '../source-options.ts'
import type { Database, DataSource, IsAbandoned, Session } from '../source.ts'
import { openSession, withinLimit } from '../transaction-limit.ts'
import { describeTransaction, type Hold, makeWriteLock } from '../write-lock.ts'
import { type ReadLimits } from './clock.ts'
import { findListing, type FoundListing, runJsonRead, runRead } from './read.ts'
import { readInSlices } from './slices.ts'
import { type Rows, type Table, tableOf, type Undo } from './table.ts'
import { runChange } from './write.ts'

/** A source over objects of the application. */
export interface MemorySource extends DataSource {
  readonly table: Table
  readonly statementTimeout: number
  readonly joins: ReadonlyMap<string, Table>
  /**
   * Drops the indexes; the next read builds them again. The indexes follow every write through the API. They also
   * notice a change by the application if it changes the number of rows, the last row of an array, or a row that they
   * find. Call this after any other change: an identifier or foreign key changed in place or in a replaced object, or
   * as many items removed from a Map as added to it. Noticing items added or removed at the end of an array costs time
   * in proportion to their number. Any other change costs a pass over all rows, and a changed value a new index.
   */
  refresh (): void
}

export interface MemoryOptions {
  /**
   * The join rows of many-to-many relations, by the name in `through`: objects with the properties that the relation
   * names as `foreignKey` and `otherKey`.
   */
  joins?: Record<string, Rows>
  /**
   * How long a read of this source may take, in milliseconds, before it is 503. A long read gives up the event loop
   * every 10 ms; the time of the requests that are answered meanwhile does not count. Default 1000; 0 is no limit.
   */
  statementTimeout?: number
}

// In milliseconds, the defaults of sqlite(). Without a limit, a hook that never ends would block all requests.
const transactionLimit = 10_000
const lock = makeWriteLock(5000)

/**
 * The one database of all memory sources, so relations can lead from any source to any other. Reads and writes wait for
 * a running transaction, and writes for a read of several slices; they are `unavailable` after 5 seconds. A transaction
 * is rolled back after 10 seconds.
 */
const database: Database = {
  kind: 'memory',
  ping: async () => {},
  read: (plan, _noCache, isAbandoned) => readShared(limitsOf(plan), () => runRead(plan), isAbandoned),
  readJson: (plan, _noCache, isAbandoned) => readShared(limitsOf(plan), () => runJsonRead(plan), isAbandoned),
  async readBatches (plan, size) {
    const limits = limitsOf(plan)
    const listing = await readShared(limits, () => findListing(plan, size))
    return { first: listing.first, rows: batchesOf(listing, size, limits) }
  },
  change: change => lock.runShort(() => runChange(change, [])),
  transaction: work => lock.runExclusive(hold => runTransaction(work, hold))
}

/** Returns the limits of a read. Its time is that of the source whose items it returns. */
function limitsOf (plan: ReadPlan): ReadLimits {
  const collection = plan.kind === 'item' ? plan.steps.at(-1)?.collection : plan.from.collection
  const limit = collection === undefined ? 0 : (collection.source as MemorySource).statementTimeout
  return { limit, length: plan.longest ?? Infinity }
}

const readShared = <Result>(limits: ReadLimits, read: () => Result, isAbandoned?: IsAbandoned) =>
  lock.runInParts(() => readInSlices(limits, read, isAbandoned))

/** Waits with each batch for a running transaction. */
async function * batchesOf (
  { page, project }: FoundListing, size: number, limits: ReadLimits
): AsyncGenerator<readonly Row[]> {
  for (let start = 0; start < page.length; start += size) {
    const batch = page.slice(start, start + size)
    yield await readShared(limits, () => project(batch))
  }
}

async function runTransaction<T> (work: (session: Session) => Promise<T>, hold: Hold): Promise<T> {
  const undo: Undo[] = []
  try {
    const open = openSession({ transaction, read: runRead, lock: runRead, change: change => runChange(change, undo) })
    hold.holder = describeTransaction(open)
    return await withinLimit(open, work, transactionLimit)
  } catch (error) {
    for (const one of undo.toReversed()) one()
    throw error
  }
}

const transaction = {
  kind: 'memory',
  async query (): Promise<never> {
    throw new TypeError('memory() cannot run statements; change the objects themselves.')
  }
}

const checkOptions = compileOptions<MemoryOptions>('memory(rows)', Type.Object({
  joins: Type.Object({}), statementTimeout: milliseconds
}))

/**
 * Returns a source over an array or Map of the application's own objects. Finds an item by an identifier in constant
 * time; filters and sorts read every item. Throws a DeclarationError for any other argument.
 */
export function memory (rows: Rows, options: MemoryOptions = {}): MemorySource {
  checkOptions(options)
  const { joins = {}, statementTimeout = 1000 } = options
  const table = checkedTable(rows, 'memory(rows)')
  const joinTables = new Map(Object.entries(joins).map(([name, join]) =>
    [name, checkedTable(join, `memory(rows, { joins: { ${name} } })`)]))
  return {
    database,
    table,
    statementTimeout,
    joins: joinTables,
    joinNames: new Set(joinTables.keys()),
    refresh () { for (const one of [table, ...joinTables.values()]) one.refresh() }
  }
}

function checkedTable (rows: Rows, place: string): Table {
  if (!Array.isArray(rows) && !(rows instanceof Map)) {
    throw new DeclarationError(`${place}: expected an array or a Map of objects`)
  }
  return tableOf(rows)
}
