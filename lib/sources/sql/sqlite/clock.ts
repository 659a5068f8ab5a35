import { memoize } from '../../../memoize.ts'
import { clockFunction } from './dialect.ts'
import type { SqliteDriver } from './driver.ts'

/**
 * A time limit for statements. The drivers cannot interrupt a statement, so the loops of our statements call a function
 * from time to time (Dialect.clocked), which throws when the time is over.
 */
export interface Clock {
  /** Runs statements. Throws Overdue if one of them takes longer than that many milliseconds. */
  within<T> (milliseconds: number, work: () => T): T
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

/** Returns the clock of a connection, and registers its function there. A connection has one clock. */
export const clockOf = memoize((driver: SqliteDriver): Clock => {
  let limit = Infinity
  let end: number | undefined
  let isOver = false
  // Most statements end before the first call, so the time is read at the first call instead of at the start.
  driver.function(clockFunction, { deterministic: false }, () => {
    const now = performance.now()
    end ??= now + limit
    isOver = now > end
    if (isOver) throw new Overdue(limit)
    return 1
  })
  return {
    within (milliseconds, work) {
      limit = milliseconds
      end = undefined
      isOver = false
      try {
        return work()
      } catch (error) {
        // Not every driver passes on the error that a function throws.
        throw isOver ? new Overdue(milliseconds) : error
      } finally {
        limit = Infinity
        end = undefined
      }
    }
  }
})
