import { memoize } from '../../../memoize.ts'
import type { SqliteDriver } from './driver.ts'
import { clockFunction, itemFunction, lengthFunction, listFunction, longList } from './limits.ts'

/**
 * A limit for the time and the result of statements. The drivers cannot interrupt a statement, so the loops of our
 * statements call functions from time to time (Dialect.clocked, Dialect.sized), which throw when a limit is exceeded.
 */
export interface Clock {
  /**
   * Runs statements. Throws Overdue if one of them takes longer than that many milliseconds, and TooLong if its JSON
   * has far more characters than `longest`.
   */
  within<T> (milliseconds: number, longest: number, work: () => T): T
}

/**
 * Milliseconds for which a read may hold up the event loop, before it begins again in a reading thread. To begin again
 * costs what the read has taken so far.
 */
export const patience = 10

/** The error of a statement that took too long. Nothing of it is done. */
export class Overdue extends Error {
  readonly milliseconds: number
  constructor (milliseconds: number) {
    super(`a statement took longer than ${milliseconds} ms, and was interrupted`)
    this.milliseconds = milliseconds
  }
}

/** The error of a statement whose JSON became too long. */
export class TooLong extends Error {
  readonly longest: number
  constructor (longest: number) {
    super(`the JSON of a statement became longer than ${longest} characters, and the statement was interrupted`)
    this.longest = longest
  }
}

// One short item or list of 64 tells its length for all 64, so the sum is an estimate. Of 16 million characters in
// lists of 4,000, the standard deviation is two million. Of a short answer, a few lists may tell a million.
export const tolerance = (longest: number) => 2 * longest + 2_000_000

/** Returns the clock of a connection of this thread, and registers its functions there. A connection has one clock. */
export const clockOf = memoize((driver: SqliteDriver): Clock => makeClock(driver, () => false))

/**
 * Makes the clock of a connection, and registers its functions there. A statement ends with an error once
 * `isInterrupted` returns true.
 */
export function makeClock (driver: SqliteDriver, isInterrupted: () => boolean): Clock {
  const state: State = { limit: Infinity, end: undefined, most: Infinity, length: 0, ofItems: 0, error: undefined }
  register(driver, state, isInterrupted)
  return {
    within (milliseconds, longest, work) {
      start(state, milliseconds, longest)
      try {
        return work()
      } catch (thrown) {
        // Not every driver passes on the error that a function throws.
        throw state.error ?? thrown
      } finally {
        start(state, Infinity, Infinity)
      }
    }
  }
}

function start (state: State, limit: number, most: number): void {
  state.limit = limit
  state.end = undefined
  state.most = most
  state.length = 0
  state.ofItems = 0
  state.error = undefined
}

/** The limits of the statement that runs, and what is known of it. */
interface State {
  /** In milliseconds. */
  limit: number
  /** The time at which the limit is exceeded; undefined until the first call. */
  end: number | undefined
  /** In characters, as the lengths are. */
  most: number
  length: number
  /** The length of the items of a list whose own length was not told yet. */
  ofItems: number
  error: Error | undefined
}

function register (driver: SqliteDriver, state: State, isInterrupted: () => boolean): void {
  // Most statements end before the first call, so the time is read at the first call instead of at the start.
  const look = () => {
    const now = performance.now()
    state.end ??= now + state.limit
    if (now > state.end) throw state.error = new Overdue(state.limit)
    if (isInterrupted()) throw state.error = new Error('the database is being closed')
    return 1
  }
  const measure = () => {
    if (state.length + state.ofItems > tolerance(state.most)) throw state.error = new TooLong(state.most)
    // A page in the order of its key has no other clock.
    return look()
  }
  const options = { deterministic: false }
  driver.function(clockFunction, options, look)
  driver.function(lengthFunction, options, length => {
    state.length += Number(length)
    return measure()
  })
  driver.function(itemFunction, options, length => {
    state.ofItems += Number(length)
    return measure()
  })
  driver.function(listFunction, options, (length, bytes) => {
    // The length of a long list includes those of its items, which were told just before.
    state.ofItems = 0
    state.length += Number(bytes) < longList ? 64 * Number(length) : Number(length)
    return measure()
  })
}
