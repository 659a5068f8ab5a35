import type { SqliteDriver } from './driver.ts'

/** Commits a transaction that changed that many rows. */
export type Commit = (rows: number, commit: () => void) => void

/** Commits, and leaves the log to SQLite. */
export const plainly: Commit = (_rows, commit) => { commit() }

/**
 * Returns how transactions are committed: after a large one, `checkpoint` writes the log to the main file, in a thread.
 * SQLite would do so in the commit and hold up the event loop for that: of a million rows, 0.2 s of 0.4 in all.
 */
export function checkpointAfter (driver: SqliteDriver, checkpoint: () => Promise<unknown>): Commit {
  let running = 0
  let pages: unknown
  const begin = () => {
    // Another one that runs has set it to 0.
    if (running++ === 0) pages = pagesOf(driver)
    driver.exec('pragma wal_autocheckpoint = 0')
  }
  const end = () => {
    if (--running === 0) driver.exec(`pragma wal_autocheckpoint = ${Number(pages)}`)
  }
  return (rows, commit) => {
    if (rows < manyRows) return commit()
    begin()
    try {
      commit()
    } catch (error) {
      end()
      throw error
    }
    // If it fails, such as at the end of the process, a later commit writes the log.
    checkpoint().catch(() => {}).then(end).catch(() => {})
  }
}

// The log of fewer rows is written in some milliseconds.
const manyRows = 5000

/** Returns the pages of the log from which on a commit writes them to the main file, which the application may set. */
const pagesOf = (driver: SqliteDriver): unknown =>
  Object.values(driver.prepare('pragma wal_autocheckpoint').get() as object)[0]
