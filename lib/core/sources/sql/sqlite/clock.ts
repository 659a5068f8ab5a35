import { memoize } from '../../../scheduling/memoize.ts'
import { sql } from '../load-kysely.ts'
import type { Dialect } from '../statements/dialect.ts'
import type { SqliteDriver } from './driver.ts'

/**
 * A limit for the time of statements. The drivers cannot interrupt a statement, so the loops of our statements call a
 * function from time to time (Dialect.clocked), which throws when the time is over.
 */
export interface Clock {
  /** Runs a statement. Throws Overdue if it takes longer than that many milliseconds. */
  within<T> (milliseconds: number, work: () => T): T
}

/**
 * Milliseconds for which a read may hold up the event loop, before it begins again in a reading thread. To begin again
 * costs what the read has taken so far.
 */
export const eventLoopBudget = 10

/** The error of a statement that took too long. Nothing of it is done. */
export class Overdue extends Error {
  readonly milliseconds: number
  constructor (milliseconds: number) {
    super(`a statement took longer than ${milliseconds} ms, and was interrupted`)
    this.milliseconds = milliseconds
  }
}

/** The name of the SQL function that throws in a statement that takes too long. */
const clockFunction = 'data_api_clock'

/**
 * Calls the clock for one of many rows: a call takes more time than a row. random() takes half the time of a plain row,
 * and the number of the row a fourth. The numbers of rows may have a common factor, so the divisor is a prime. A loop
 * over fewer rows may end without a call, so a loop that is repeated needs random().
 */
export const clocked: Dialect['clocked'] = (conditions, numbered) => {
  const isSkipped = numbered === undefined ? sql`random() & 63` : sql`${sql.id(numbered, '_rowid_')} % 127`
  return sql`(${isSkipped} or ${sql.id(clockFunction)}()) and ${conditions}`
}

/** Returns the clock of a connection of this thread, and registers its function there. A connection has one clock. */
export const clockOf = memoize((driver: SqliteDriver): Clock => makeClock(driver, () => false))

/**
 * Makes the clock of a connection, and registers its function there. A statement ends with an error once
 * `isInterrupted` returns true.
 */
export function makeClock (driver: SqliteDriver, isInterrupted: () => boolean): Clock {
  const state: State = { limit: Infinity, end: undefined, error: undefined }
  driver.function(clockFunction, { deterministic: false }, () => {
    // Most statements end before the first call, so the time is read at the first call instead of at the start.
    const now = performance.now()
    state.end ??= now + state.limit
    if (now > state.end) throw state.error = new Overdue(state.limit)
    if (isInterrupted()) throw state.error = new Error('the database is being closed')
    return 1
  })
  return {
    within (milliseconds, work) {
      start(state, milliseconds)
      try {
        return work()
      } catch (thrown) {
        // Not every driver passes on the error that a function throws.
        throw state.error ?? thrown
      } finally {
        start(state, Infinity)
      }
    }
  }
}

function start (state: State, limit: number): void {
  state.limit = limit
  state.end = undefined
  state.error = undefined
}

/** The limit of the statement that runs. */
interface State {
  /** In milliseconds. */
  limit: number
  /** The time at which the limit is exceeded; undefined until the first call. */
  end: number | undefined
  error: Error | undefined
}
