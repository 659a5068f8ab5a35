import { DeclarationError } from '../../errors.ts'
import type { Row } from '../../plan/plan.ts'
import type { Batches, Database, DataSource, Session } from '../source.ts'
import { openSession, withinLimit } from '../transaction-limit.ts'
import { describeTransaction, type Hold, makeWriteLock } from '../write-lock.ts'
import { readInBatches, runRead } from './read.ts'
import { type Rows, type Table, tableOf, type Undo } from './table.ts'
import { runChange } from './write.ts'

/** A source over objects that the application holds. */
export interface MemorySource extends DataSource {
  readonly table: Table
  readonly joins: ReadonlyMap<string, Table>
  /**
   * Forgets the indexes. They follow every write, and see changes by the application where the number of rows or the
   * last row of an array is another, and where a row that they find was replaced or has another value. Call this after
   * other changes: an identifier or foreign key that was changed in place or by replacing an object, and as many items
   * removed from a Map as were added to it. Items added or removed at the end of an array cost in proportion to their
   * number; any other change costs a pass over all rows, and a changed value building the indexes again.
   */
  refresh (): void
}

export interface MemoryOptions {
  /** The join rows of many-to-many relations, by the name that `through` gives: objects with the properties `foreignKey` and `otherKey`. */
  joins?: Record<string, Rows>
}

// In milliseconds, as sqlite() has them: a hook that never ends must not hold up everybody for good.
const transactionLimit = 10_000
const lock = makeWriteLock(5000)

/**
 * All memory sources are of one database, so that relations lead from any to any. Nobody sees what a transaction has
 * not finished: reads and writes wait for it up to 5 seconds, and then are `unavailable`. A transaction that lasts 10
 * seconds is undone.
 */
const database: Database = {
  kind: 'memory',
  read: plan => lock.runShared(() => runRead(plan)),
  async readBatches (plan, size) {
    const { first, rows } = await lock.runShared(() => readInBatches(plan, size))
    return { first, rows: passing(rows) }
  },
  change: change => lock.runShort(() => runChange(change, [])),
  transaction: work => lock.runExclusive(hold => undoing(work, hold))
}

async function * passing (rows: Batches['rows']): AsyncGenerator<readonly Row[]> {
  const batches = rows[Symbol.asyncIterator]()
  for (;;) {
    const batch = await lock.runShared(() => batches.next())
    if (batch.done === true) return
    yield batch.value
  }
}

async function undoing<T> (work: (session: Session) => Promise<T>, hold: Hold): Promise<T> {
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
  async query (): Promise<never> { throw new TypeError('memory() cannot run statements; change the objects themselves.') }
}

/**
 * Serves an array or Map of the application's own objects. An item is found by an identifier in constant time; filters and sorts look at every item.
 * Throws a DeclarationError for anything else.
 */
export function memory (rows: Rows, options: MemoryOptions = {}): MemorySource {
  if (!isObject(options) || !(options.joins === undefined || isObject(options.joins))) throw new DeclarationError('memory(rows, { joins }): expected an object of join rows by name')
  const { joins = {} } = options
  const table = checked(rows, 'memory(rows)')
  const joinTables = new Map(Object.entries(joins).map(([name, join]) => [name, checked(join, `memory(rows, { joins: { ${name} } })`)]))
  return {
    database,
    table,
    joins: joinTables,
    joinNames: new Set(joinTables.keys()),
    refresh () { for (const one of [table, ...joinTables.values()]) one.refresh() }
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null

function checked (rows: Rows, place: string): Table {
  if (!Array.isArray(rows) && !(rows instanceof Map)) throw new DeclarationError(`${place}: expected an array or a Map of objects`)
  return tableOf(rows)
}
