import { LruMap } from 'toad-cache'
import { DataApiError } from '../../../errors.ts'
import { beginStatement, endStatement } from '../../statement-events.ts'
import type { Values } from '../statements/read-code.ts'
import type { BoundRead } from '../statements/statements.ts'
import { type Clock, Overdue, patience, tolerance } from './clock.ts'
import type { ArrayStatement, SqliteDriver } from './driver.ts'
import { isBusy, toFault } from './faults.ts'

/** Runs a read for at most that many milliseconds (Connection.read). */
export type RunRead = <Result>(bound: BoundRead<Result>, limit: number) => Result

/** The parts of a connection that run its reads. `prepare`: returns a statement that gives rows as arrays. */
export interface Reading {
  readonly driver: SqliteDriver
  readonly clock: Clock
  prepare (text: string): ArrayStatement
}

/**
 * Returns a function that runs reads. A read runs in its fast form, and if that fails, in its exact form. The next
 * reads of that statement run in their exact form at once: a table that holds one unusual value may hold more.
 */
export function makeRunRead (reading: Reading): RunRead {
  const unusual = new LruMap<number>(mostUnusual)
  return (bound, limit) => {
    const { exact, text } = bound
    if (exact === undefined) return runExact(reading, bound, limit)
    const remaining = unusual.size === 0 ? 0 : unusual.get(text) ?? 0
    if (remaining > 0) {
      unusual.set(text, remaining - 1)
      return runExact(reading, exact(), limit)
    }
    try {
      return bound.decode(rowsOf(reading, bound, limit))
    } catch (error) {
      if (isBusy(error) || error instanceof Overdue || error instanceof DataApiError) throw error
      unusual.set(text, exactReads)
      return runExact(reading, exact(), limit)
    }
  }
}

// Texts.
const mostUnusual = 500

/** How many reads of a statement run in their exact form before the fast form is tried again. */
const exactReads = 100

function runExact<Result> (reading: Reading, bound: BoundRead<Result>, limit: number): Result {
  try {
    return bound.decode(rowsOf(reading, bound, limit))
  } catch (error) {
    throw isBusy(error) || error instanceof Overdue ? error : toFault(error)
  }
}

function rowsOf (reading: Reading, bound: BoundRead<unknown>, limit: number): readonly Values[] {
  const { text, collection, exact } = bound
  const begun = beginStatement()
  const about = { database: 'sqlite', kind: 'read', collection, text } as const
  try {
    const rows = runStatement(reading, bound, limit)
    if (begun !== 0) endStatement(about, begun, rows.length)
    return rows
  } catch (error) {
    // A read that begins again, in a thread (reader.ts) or in its exact form, tells of the other statement.
    const isRepeated = error instanceof Overdue ? limit === patience : exact !== undefined
    if (!isRepeated) endStatement(about, begun, undefined, error)
    throw error
  }
}

function runStatement (
  { driver, clock, prepare }: Reading, bound: BoundRead<unknown>, limit: number
): readonly Values[] {
  const { text, parameters, cardinality, longest } = bound
  const statement = prepare(text)
  // An index finds the row of an item, so no clock is needed.
  if (cardinality === 'item') return only(statement.get(...parameters))
  const run = () => cardinality === 'rows' ? statement.all(...parameters) : only(statement.get(...parameters))
  return clock.within(limit, longest, () => withinLength(driver, bound, run))
}

const only = (row: Values | undefined) => row === undefined ? [] : [row]

/**
 * Runs a statement of a fast form, which fails if its values become too long together for the answer. Exact forms count
 * the characters themselves (limits.ts).
 */
function withinLength<T> (
  { limits }: SqliteDriver, { exact, longest, longValues }: BoundRead<unknown>, run: () => T
): T {
  const most = Math.floor(tolerance(longest) / longValues)
  if (exact === undefined || limits === undefined || most >= limits.length) return run()
  const before = limits.length
  limits.length = most
  try {
    return run()
  } finally {
    limits.length = before
  }
}
