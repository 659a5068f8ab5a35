import { setTimeout } from 'node:timers/promises'
import { unavailable } from '../../../errors.ts'
import type { ReadPlan } from '../../../plan/plan.ts'
import { type Change, type Changed, type ReadResult, RefusedAtCommit, type Session } from '../../source.ts'
import { openSession, withinLimit } from '../../transaction-limit.ts'
import { describeTransaction, type Hold } from '../../write-lock.ts'
import { inTransaction, type SqliteDriver } from './driver.ts'
import { isBusy, isConstraint, resultCode, toFault } from './faults.ts'

export type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** What the statements of a transaction are run by. */
export interface Statements {
  readonly driver: SqliteDriver
  query (text: string, parameters: readonly unknown[]): Rows
  read (plan: ReadPlan): ReadResult
  change (change: Change): Changed | Promise<Changed>
}

/** `limit`: how long the transaction may last, in milliseconds. */
export async function runTransaction<T> (
  { driver, query, read, change }: Statements, work: (session: Session) => Promise<T>, limit: number, hold: Hold
): Promise<T> {
  await soon(() => { begin(driver) }, hold)
  try {
    const inside = makeGuard(driver)
    const open = openSession({
      transaction: {
        kind: 'sqlite',
        query: async (text, parameters = []) => inside(() => query(text, parameters))
      },
      read: plan => inside(() => read(plan)),
      lock: plan => inside(() => read(plan)),
      change: one => inside(() => change(one))
    })
    hold.holder = describeTransaction(open)
    const result = await withinLimit(open, work, limit)
    inside(() => undefined)
    await soon(() => { commit(driver) }, hold)
    return result
  } catch (error) {
    rollback(driver)
    throw resultCode(error) === undefined ? error : toFault(error)
  }
}

/** A transaction that the application has begun with a statement of its own. Ours must not be part of it. */
export class ForeignTransaction extends Error {
  constructor () { super('a transaction that the application began on db.driver is still open') }
}

const isHeldUp = (error: unknown) => isBusy(error) || error instanceof ForeignTransaction

/** Does the work at once or, where something else holds the database, as soon as that is over. */
export function soon<T> (work: () => T | Promise<T>, hold: Hold): T | Promise<T> {
  const retry = (error: unknown) => {
    if (isHeldUp(error)) return retryWhileBusy(work, hold)
    throw toFault(error)
  }
  try {
    const done = work()
    return done instanceof Promise ? done.catch(retry) : done
  } catch (error) {
    return retry(error)
  }
}

const otherProcess = 'another process holds the lock of the database'

/**
 * Does the work again and again for as long as something else holds the database and the hold has patience. Throws
 * unavailable when that is over. SQLite's own wait would hold up the event loop.
 */
export async function retryWhileBusy<T> (work: () => T | Promise<T>, hold: Hold): Promise<T> {
  const end = performance.now() + hold.remaining
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isHeldUp(error)) throw toFault(error)
      const culprit = error instanceof ForeignTransaction ? error.message : otherProcess
      hold.holder = () => culprit
      if (hold.remaining <= 0) throw unavailable(new Error(culprit, { cause: error }))
      await setTimeout(Math.min(hold.remaining, 5 + Math.random() * 15))
    } finally {
      hold.remaining = Math.max(0, end - performance.now())
    }
  }
}

function begin (driver: SqliteDriver): void {
  try {
    // Immediate: the lock is had before anything is read, so that what was read is still so when it is written.
    driver.exec('begin immediate')
  } catch (error) {
    throw inTransaction(driver) ? new ForeignTransaction() : error
  }
}

/**
 * Makes what runs the statements of a transaction. SQLite ends a transaction by itself after some errors, such as a
 * full disk: each statement that follows would be a transaction of its own, and half a request would last where a hook
 * caught the error. So everything after it is unavailable.
 */
function makeGuard (driver: SqliteDriver): <T>(work: () => T) => T {
  let reason: unknown
  return work => {
    if (!inTransaction(driver)) {
      throw unavailable(reason ?? new Error('the transaction was ended by a statement of the application or a trigger'))
    }
    try {
      return work()
    } catch (error) {
      if (!inTransaction(driver)) reason = error
      throw error
    }
  }
}

function commit (driver: SqliteDriver): void {
  try {
    driver.exec('commit')
  } catch (error) {
    // Of what may be deferred SQLite has foreign keys alone, and does not say which.
    throw isConstraint(error) ? new RefusedAtCommit({ kind: 'refused', by: 'foreign-key', fields: [] }, undefined, error) : error
  }
}

function rollback (driver: SqliteDriver): void {
  try {
    if (inTransaction(driver)) driver.exec('rollback')
  } catch {
    // The transaction is over all the same, and what it failed with is told already.
  }
}
