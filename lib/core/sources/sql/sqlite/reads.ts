import { DataApiError } from '../../../errors/errors.ts'
import { beginStatement, endStatement } from '../../statement-events.ts'
import type { Values } from '../statements/compiled-read.ts'
import type { PreparedRead } from '../statements/statements.ts'
import { eventLoopBudget, Overdue } from './clock.ts'
import { isBusy, toFault, TooLong } from './faults.ts'
import { type Reading, readRows } from './rows.ts'

/** Runs a read for at most that many milliseconds (Connection.read). */
export type RunRead = <Result>(prepared: PreparedRead<Result>, limit: number) => Result

/** Returns a function that runs reads: a page in its fast form, and if that fails, in its exact form. */
export const makeRunRead = (reading: Reading): RunRead => (prepared, limit) => {
  const { exact } = prepared
  if (exact === undefined) return runExact(reading, prepared, limit)
  try {
    return prepared.decode(rowsOf(reading, prepared, limit))
  } catch (error) {
    if (isBusy(error) || error instanceof Overdue || error instanceof DataApiError) throw error
    if (error instanceof TooLong) throw toFault(error)
    return runExact(reading, exact(), limit)
  }
}

function runExact<Result> (reading: Reading, prepared: PreparedRead<Result>, limit: number): Result {
  try {
    return prepared.decode(rowsOf(reading, prepared, limit))
  } catch (error) {
    throw isBusy(error) || error instanceof Overdue ? error : toFault(error)
  }
}

function rowsOf (reading: Reading, prepared: PreparedRead<unknown>, limit: number): readonly Values[] {
  const { text, collection, exact } = prepared
  const begun = beginStatement()
  const about = { database: 'sqlite', kind: 'read', collection, text } as const
  try {
    const rows = readRows(reading, prepared, limit)
    if (begun !== 0) endStatement(about, begun, rows.length)
    return rows
  } catch (error) {
    // A read that begins again, in a thread (reader.ts) or in its exact form, tells of the other statement.
    const isRepeated = error instanceof Overdue ? limit === eventLoopBudget : exact !== undefined
    if (!isRepeated || error instanceof TooLong) endStatement(about, begun, undefined, error)
    throw error
  }
}
