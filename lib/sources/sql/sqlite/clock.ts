import { memoize } from '../../../memoize.ts'
import { clockFunction, lengthFunction, shortLength } from './dialect.ts'
import type { SqliteDriver } from './driver.ts'

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

// One short item of 64 tells its length, so the sum is an estimate. Of 16 million characters in items of 1,000, the
// standard deviation is one million.
const tolerance = 2

/** Returns the clock of a connection, and registers its functions there. A connection has one clock. */
export const clockOf = memoize((driver: SqliteDriver): Clock => {
  let limit = Infinity
  let end: number | undefined
  let most = Infinity
  let length = 0
  let error: Error | undefined
  // Most statements end before the first call, so the time is read at the first call instead of at the start.
  const look = () => {
    const now = performance.now()
    end ??= now + limit
    if (now > end) throw error = new Overdue(limit)
    return 1
  }
  driver.function(clockFunction, { deterministic: false }, look)
  driver.function(lengthFunction, { deterministic: false }, added => {
    const characters = Number(added)
    length += characters < shortLength ? 64 * characters : characters
    if (length > tolerance * most) throw error = new TooLong(most)
    // A page in the order of its key has no other clock.
    return look()
  })
  return {
    within (milliseconds, longest, work) {
      limit = milliseconds
      end = undefined
      most = longest
      length = 0
      error = undefined
      try {
        return work()
      } catch (thrown) {
        // Not every driver passes on the error that a function throws.
        throw error ?? thrown
      } finally {
        limit = Infinity
        end = undefined
        most = Infinity
      }
    }
  }
})
