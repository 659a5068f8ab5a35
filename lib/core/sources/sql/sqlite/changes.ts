import type { ReadPlan } from '../../../plan/plan.ts'
import { Changes, type Made, makeAndLook, type Tell } from '../../changes.ts'
import type { Change, Changed, ReadResult } from '../../source.ts'
import { isTransactionOpen, type SqliteDriver } from './driver.ts'

/** Makes a change, and may read around it. */
export type FollowChange = (change: Change, read: (plan: ReadPlan) => ReadResult, make: () => Changed) => Changed

/** The changes of a file, of this connection and of others. */
export interface FileChanges {
  watch (tell: Tell): () => void
  /** Makes a change of the running transaction, and notes it. */
  readonly change: FollowChange
  /** Runs a transaction, and tells of its changes once it is committed. */
  follow<T> (run: () => T | Promise<T>): T | Promise<T>
}

/**
 * Follows the changes of a file. SQLite tells how many rows this connection has changed in all, and whether another one
 * has written. So a cascade, a trigger, a statement of the application and another process are noticed too: whatever is
 * more than the noted changes may be in any table.
 */
export function followChanges (driver: SqliteDriver): FileChanges {
  let noted: Made[] = []
  let seen = { rows: 0, version: 0 }
  let look = () => seen
  const changes = new Changes(() => {
    look = lookerOf(driver)
    seen = look()
    const timer = setInterval(poll, pollInterval)
    timer.unref()
    return () => { clearInterval(timer) }
  })
  function poll (): void {
    if (isTransactionOpen(driver)) return
    const { rows, version } = seen
    seen = look()
    if (seen.rows !== rows || seen.version !== version) changes.tell(undefined)
  }
  function end (): void {
    const made = noted
    noted = []
    if (!changes.isWatched) return
    const { rows, version } = seen
    seen = { ...look(), version }
    if (made.length <= mostNoted && seen.rows - rows === rowsIn(made)) changes.tellOf(made)
    else changes.tell(undefined)
  }
  return {
    watch: changes.watch,
    change (change, read, make) {
      if (!changes.isWatched) return make()
      const [changed, made] = makeAndLook(change, read, make)
      if (changed.kind === 'changed' && noted.length <= mostNoted) noted.push(made)
      return changed
    },
    follow: run => ending(run, end)
  }
}

const rowsIn = (made: readonly Made[]) => made.reduce((sum, { count = 1 }) => sum + count, 0)

/** Calls `end` after the work, whatever becomes of it. */
function ending<T> (run: () => T | Promise<T>, end: () => void): T | Promise<T> {
  try {
    const done = run()
    if (done instanceof Promise) return done.finally(end)
    end()
    return done
  } catch (error) {
    end()
    throw error
  }
}

// An import has millions of changes. Of more than these, anything may have changed.
const mostNoted = 1000

// In milliseconds.
const pollInterval = 50

/** Returns a function that looks how many rows this connection has changed, and which version of the file it sees. */
function lookerOf (driver: SqliteDriver) {
  const rows = driver.prepare('select total_changes() as total_changes')
  const version = driver.prepare('pragma data_version')
  let last = { rows: 0, version: 0 }
  return () => {
    try {
      last = { rows: numberIn(rows.get()), version: numberIn(version.get()) }
    } catch {
      // The database is closed or locked. A later look finds what has changed.
    }
    return last
  }
}

const numberIn = (row: unknown) => Number(Object.values(row as object)[0])
