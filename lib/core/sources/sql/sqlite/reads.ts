import { beginStatement, endStatement } from '../../statement-events.ts'
import type { RowValues } from '../statements/compiled-read.ts'
import type { PreparedRead } from '../statements/statements.ts'
import { eventLoopBudget, Overdue } from './clock.ts'
import { isBusy, toFault } from './faults.ts'
import { type Reading, readRows } from './rows.ts'

/** Runs a read for at most that many milliseconds (Connection.read). */
export type RunRead = <Result>(prepared: PreparedRead<Result>, limit: number) => Result

/** Returns a function that runs reads. */
export const makeRunRead = (reading: Reading): RunRead => (prepared, limit) => {
  try {
    return prepared.decode(rowsOf(reading, prepared, limit))
  } catch (error) {
    throw isBusy(error) || error instanceof Overdue ? error : toFault(error)
  }
}

function rowsOf (reading: Reading, prepared: PreparedRead<unknown>, limit: number): readonly RowValues[] {
  const { text, collection } = prepared
  const begun = beginStatement()
  const about = { database: 'sqlite', kind: 'read', collection, text } as const
  try {
    const rows = readRows(reading, prepared, limit)
    if (begun !== 0) endStatement(about, begun, rows.length)
    return rows
  } catch (error) {
    // A read that begins again in a thread (reader.ts) tells of that statement.
    const isRepeated = error instanceof Overdue && limit === eventLoopBudget
    if (!isRepeated) endStatement(about, begun, undefined, error)
    throw error
  }
}
