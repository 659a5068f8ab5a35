import { readTimedOut } from '../../errors/errors.ts'

/** Counts the rows that a read has visited. Throws `unavailable` once the read has taken longer than its limit. */
export type Tick = (rows: number) => void

export const untimed: Tick = () => {}

// The rows between two looks at the clock.
const interval = 1000

/**
 * Returns the time, in milliseconds, of which a read may take so much: that which the thread has worked, where Node.js
 * has it (23.9 and later), so that no read fails because other processes work, too.
 */
const { threadCpuUsage } = process as { threadCpuUsage?: () => { readonly user: number, readonly system: number } }
const now = threadCpuUsage === undefined
  ? () => performance.now()
  : () => {
      const { user, system } = threadCpuUsage()
      return (user + system) / 1000
    }

/**
 * Returns the tick of one read. `limit`: in milliseconds, from the first look at the clock on; 0 is no limit. By then
 * the indexes that the read needs are built, whose time is that of all later reads too.
 */
export function makeTick (limit: number): Tick {
  if (limit === 0) return untimed
  let visited = 0
  let next = interval
  let end: number | undefined
  return rows => {
    visited += rows
    if (visited < next) return
    next = visited + interval
    const time = now()
    end ??= time + limit
    if (time > end) throw readTimedOut(limit, new Error(`a read of memory() took longer than ${limit} ms`))
  }
}
