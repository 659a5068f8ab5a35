import { setTimeout } from 'node:timers/promises'
import { unavailable } from '../../../errors.ts'
import type { ReadPlan } from '../../../plan/plan.ts'
import { memoizeRecent } from '../../../memoize.ts'
import { foldCase } from '../../fold-case.ts'
import { type Change, type Changed, type ReadResult, RefusedAtCommit, type Session, type JsonResult } from '../../source.ts'
import { openSession, withinLimit } from '../../transaction-limit.ts'
import { describeTransaction, type Hold } from '../../write-lock.ts'
import { nameOffendingFields } from '../offending-fields.ts'
import { inArrays, inTransaction, type SqliteDriver, type SqliteStatement } from './driver.ts'
import { foldFunction } from './dialect.ts'
import { isBusy, isCodeless, isConstraint, resultCode, toFault, toViolation } from './faults.ts'
import type { BoundRead, Statements } from '../statements/statements.ts'

/**
 * What is done on one connection. Where another process holds the lock, all but reads wait for it as long as the hold's
 * patience lasts.
 */
export interface Connection {
  readonly driver: SqliteDriver
  /** Throws the driver's error where another process holds the lock. */
  read (plan: ReadPlan): ReadResult
  readJson (plan: ReadPlan): ReadResult | JsonResult
  /** A change that is a transaction of its own. */
  change (change: Change, hold: Hold): Changed | Promise<Changed>
  /** `limit`: how long the transaction may last, in milliseconds. */
  transaction<T> (work: (session: Session) => Promise<T>, limit: number, hold: Hold): Promise<T>
}

/** Makes a connection of an open database. */
export function connect (driver: SqliteDriver, statements: Statements): Connection {
  driver.exec('pragma foreign_keys = on')
  driver.function(foldFunction, { deterministic: true }, text => typeof text === 'string' ? foldCase(text) : text)
  const rowsOf = memoizeRecent(text => inArrays(driver.prepare(text)), { most: mostStatements })
  const statementOf = memoizeRecent(text => driver.prepare(text), { most: mostStatements })

  const readBound = <Result>(bind: (plan: ReadPlan) => BoundRead<Result>, plan: ReadPlan): Result => {
    try {
      const { text, cardinality: gives, parameters, decode } = bind(plan)
      const statement = rowsOf(text)
      if (gives === 'rows') return decode(statement.all(...parameters))
      const row = statement.get(...parameters)
      return decode(row === undefined ? [] : [row])
    } catch (error) {
      throw isBusy(error) ? error : toFault(error)
    }
  }
  const read = (plan: ReadPlan) => readBound(statements.bind, plan)

  /**
   * The rows of an insert. get() would stop at the first one, and then commit without telling whether that was
   * possible.
   */
  const insert = (text: string, parameters: readonly unknown[]) => {
    const statement = rowsOf(text)
    try {
      return statement.all(...parameters)
    } catch (error) {
      throw isCodeless(error) ? withCode(error, driver, () => statement.get(...parameters)) : error
    }
  }

  const changeNow = (change: Change): Changed => {
    const { text, parameters, key } = statements.bindChange(change)
    if (key === undefined) {
      const { changes } = statementOf(text).run(...parameters)
      return Number(changes) > 0 || change.kind === 'link' ? { kind: 'changed' } : { kind: 'unchanged' }
    }
    const [row] = insert(text, parameters)
    return row === undefined ? { kind: 'unchanged' } : { kind: 'changed', key: key(row[0]) }
  }

  const makeChange = (change: Change): Changed | Promise<Changed> => {
    try {
      return changeNow(change)
    } catch (error) {
      const refused = toViolation(error, change.kind === 'link' ? change.field.target : change.collection)
      if (refused === undefined) throw isBusy(error) ? error : toFault(error)
      return nameOffendingFields(refused, change, read)
    }
  }

  return {
    driver,
    read,
    readJson: plan => readBound(statements.bindJson, plan),
    change: (change, hold) => soon(() => {
      // A change would be part of it, and undone with it after it was acknowledged.
      if (inTransaction(driver)) throw new ForeignTransaction()
      return makeChange(change)
    }, hold),
    async transaction (work, limit, hold) {
      await soon(() => { begin(driver) }, hold)
      try {
        const inside = makeGuard(driver)
        const open = openSession({
          transaction: {
            kind: 'sqlite',
            query: async (text, parameters = []) => inside(() => query(statementOf(text), parameters))
          },
          read: plan => inside(() => read(plan)),
          lock: plan => inside(() => read(plan)),
          change: change => inside(() => makeChange(change))
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
  }
}

// As many as there are texts (statements.ts).
const mostStatements = 500

/** A transaction that the application has begun with a statement of its own. Ours must not be part of it. */
class ForeignTransaction extends Error {
  constructor () { super('a transaction that the application began on db.driver is still open') }
}

const isHeldUp = (error: unknown) => isBusy(error) || error instanceof ForeignTransaction

/** Does the work at once or, where something else holds the database, as soon as that is over. */
function soon<T> (work: () => T | Promise<T>, hold: Hold): T | Promise<T> {
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

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

function query (statement: SqliteStatement, parameters: readonly unknown[]): Rows {
  if (statement.reader !== false) return statement.all(...parameters) as Rows
  statement.run(...parameters)
  return []
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

/**
 * The error with SQLite's code. all() of @photostructure/sqlite tells its words only, which may be those of a trigger;
 * get() tells the code too. So the statement fails once more, inside of what is rolled back in any case.
 */
function withCode (error: unknown, driver: SqliteDriver, statement: () => unknown): unknown {
  const inside = inTransaction(driver)
  try {
    driver.exec(inside ? 'savepoint data_api' : 'begin immediate')
  } catch {
    return error
  }
  try {
    statement()
    return error
  } catch (again) {
    return again
  } finally {
    if (inTransaction(driver)) driver.exec(inside ? 'rollback to data_api; release data_api' : 'rollback')
  }
}
