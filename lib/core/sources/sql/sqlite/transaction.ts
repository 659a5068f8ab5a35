import { setTimeout } from 'node:timers/promises'
import { unavailable } from '../../../errors/errors.ts'
import type { ReadPlan } from '../../../plan/plan.ts'
import { type Change, type Changed, type ReadResult, RefusedAtCommit, type Session } from '../../source.ts'
import { openSession, withinLimit } from '../../transaction-limit.ts'
import { describeTransaction, type Hold } from '../../write-lock.ts'
import type { Commit } from './checkpoints.ts'
import { isTransactionOpen, type SqliteDriver } from './driver.ts'
import { isBusy, isConstraint, resultCode, toFault } from './faults.ts'

export type NamedRows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** The connection of a transaction, with the functions that run its statements. */
interface Runner {
  readonly driver: SqliteDriver
  query (text: string, parameters: readonly unknown[]): NamedRows
  read (plan: ReadPlan): ReadResult
  change (change: Change): Changed | Promise<Changed>
  readonly commit: Commit
}

/**
 * Runs the work in a transaction and returns its result. `limit`: how long the transaction may last, in milliseconds.
 * Throws RefusedAtCommit if SQLite refused the data at the commit, the application's errors as they are, and the
 * driver's errors as ours.
 */
export async function inTransaction<T> (
  { driver, query, read, change, commit }: Runner, work: (session: Session) => Promise<T>, limit: number, hold: Hold
): Promise<T> {
  let rows = 0
  await runWithRetry(() => { begin(driver) }, hold)
  try {
    const guarded = makeGuard(driver)
    const open = openSession({
      transaction: {
        kind: 'sqlite',
        query: async (text, parameters = []) => guarded(() => query(text, parameters))
      },
      read: plan => guarded(() => read(plan)),
      lock: plan => guarded(() => read(plan)),
      change (one) {
        rows += one.kind === 'insert' ? one.rows.length : 1
        return guarded(() => change(one))
      }
    })
    hold.holder = describeTransaction(open)
    const result = await withinLimit(open, work, limit)
    guarded(() => undefined)
    await runWithRetry(() => { commit(rows, () => { runCommit(driver) }) }, hold)
    return result
  } catch (error) {
    rollback(driver)
    throw resultCode(error) === undefined ? error : toFault(error)
  }
}

/**
 * Does work that waits for nothing in a transaction. Returns undefined if the work has failed, or if its commit was
 * refused: then nothing was done. Throws the driver's error if the lock is held, or if the commit fails.
 */
export function committed<T> (driver: SqliteDriver, work: () => T): T | undefined {
  begin(driver)
  let isDone = false
  try {
    const result = work()
    isDone = true
    runCommit(driver)
    return result
  } catch (error) {
    rollback(driver)
    if (isBusy(error) || (isDone && !(error instanceof RefusedAtCommit))) throw error
    return undefined
  }
}

/**
 * A transaction that the application has begun with a statement of its own is still open. The plugin's statements must
 * not become part of it.
 */
export class ForeignTransaction extends Error {
  constructor () { super('a transaction that the application began on db.driver is still open') }
}

/** A statement that has failed would not fail any more: another process has changed the data since. */
export class Superseded extends Error {
  constructor (cause: unknown) { super('another process changes the same data again and again', { cause }) }
}

// A refused commit has its own meaning, and is not turned into a fault.
const failure = (error: unknown) => error instanceof RefusedAtCommit ? error : toFault(error)

/** Returns true for an error after which the same work may run again. */
export const isHeldUp = (error: unknown): boolean =>
  isBusy(error) || error instanceof ForeignTransaction || error instanceof Superseded

/**
 * Runs the work at once and returns its result, as a promise only where the work returns one. If another process or a
 * foreign transaction holds the database, retries as retryWhileBusy does.
 */
export function runWithRetry<T> (work: () => T | Promise<T>, hold: Hold): T | Promise<T> {
  const retry = (error: unknown) => {
    if (isHeldUp(error)) return retryWhileBusy(work, hold)
    throw failure(error)
  }
  try {
    const result = work()
    return result instanceof Promise ? result.catch(retry) : result
  } catch (error) {
    return retry(error)
  }
}

const otherProcess = 'another process holds the lock of the database'

/**
 * Runs the work, and runs it again while another process or a foreign transaction holds the database and `hold` has
 * time remaining. Throws `unavailable` after that. SQLite's own busy timeout would block the event loop.
 */
export async function retryWhileBusy<T> (work: () => T | Promise<T>, hold: Hold): Promise<T> {
  const end = performance.now() + hold.remaining
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isHeldUp(error)) throw failure(error)
      const holder = isBusy(error) || !(error instanceof Error) ? otherProcess : error.message
      hold.holder = () => holder
      if (hold.remaining <= 0) throw unavailable(new Error(holder, { cause: error }))
      await setTimeout(Math.min(hold.remaining, 5 + Math.random() * 15))
    } finally {
      hold.remaining = Math.max(0, end - performance.now())
    }
  }
}

function begin (driver: SqliteDriver): void {
  try {
    // `immediate` takes the lock before the first read, so that nobody changes what the transaction has read.
    driver.exec('begin immediate')
  } catch (error) {
    throw isTransactionOpen(driver) ? new ForeignTransaction() : error
  }
}

/**
 * Returns a function that runs the statements of a transaction while it is open. After some errors, such as a full
 * disk, SQLite ends the transaction by itself. Each later statement would then be a transaction of its own, and if a
 * hook caught the error, half of the request's changes would last. So every later call throws `unavailable`.
 */
function makeGuard (driver: SqliteDriver): <T>(work: () => T) => T {
  let reason: unknown
  return work => {
    if (!isTransactionOpen(driver)) {
      throw unavailable(reason ?? new Error('the transaction was ended by a statement of the application or a trigger'))
    }
    try {
      return work()
    } catch (error) {
      if (!isTransactionOpen(driver)) reason = error
      throw error
    }
  }
}

function runCommit (driver: SqliteDriver): void {
  try {
    driver.exec('commit')
  } catch (error) {
    // Foreign keys are SQLite's only deferrable constraints. SQLite does not say which one the commit violates.
    throw isConstraint(error)
      ? new RefusedAtCommit({ kind: 'refused', by: 'foreign-key', fields: [] }, undefined, error)
      : error
  }
}

function rollback (driver: SqliteDriver): void {
  try {
    if (isTransactionOpen(driver)) driver.exec('rollback')
  } catch {
    // The transaction has ended anyway, and the caller already throws the error that it failed with.
  }
}
