import { DataApiError } from '../../../errors/errors.ts'
import { beginStatement, endStatement } from '../../statement-events.ts'
import type { Values } from '../statements/compiled-read.ts'
import type { PreparedRead } from '../statements/statements.ts'
import { eventLoopBudget, Overdue } from './clock.ts'
import { isBusy, toFault, TooLong } from './faults.ts'
import { type Reading, readRows } from './rows.ts'

/** Runs a read for at most that many milliseconds (Connection.read). */
export type RunRead = <Result>(bound: PreparedRead<Result>, limit: number) => Result

/** Returns a function that runs reads: a page in its fast form, and if that fails, in its exact form. */
export const makeRunRead = (reading: Reading): RunRead => (bound, limit) => {
  const { exact } = bound
  if (exact === undefined) return runExact(reading, bound, limit)
  try {
    return bound.decode(rowsOf(reading, bound, limit))
  } catch (error) {
    if (isBusy(error) || error instanceof Overdue || error instanceof DataApiError) throw error
    if (error instanceof TooLong) throw toFault(error)
    return runExact(reading, exact(), limit)
  }
}

function runExact<Result> (reading: Reading, bound: PreparedRead<Result>, limit: number): Result {
  try {
    return bound.decode(rowsOf(reading, bound, limit))
  } catch (error) {
    throw isBusy(error) || error instanceof Overdue ? error : toFault(error)
  }
}

function rowsOf (reading: Reading, bound: PreparedRead<unknown>, limit: number): readonly Values[] {
  const { text, collection, exact } = bound
  const begun = beginStatement()
  const about = { database: 'sqlite', kind: 'read', collection, text } as const
  try {
    const rows = readRows(reading, bound, limit)
    if (begun !== 0) endStatement(about, begun, rows.length)
    return rows
  } catch (error) {
    // A read that begins again, in a thread (reader.ts) or in its exact form, tells of the other statement.
    const isRepeated = error instanceof Overdue ? limit === eventLoopBudget : exact !== undefined
    if (!isRepeated || error instanceof TooLong) endStatement(about, begun, undefined, error)
    throw error
  }
}
