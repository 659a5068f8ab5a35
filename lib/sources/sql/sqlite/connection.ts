import type { ReadPlan } from '../../../plan/plan.ts'
import { memoizeRecent } from '../../../memoize.ts'
import { foldCase } from '../../fold-case.ts'
import type { Change, Changed, JsonResult, ReadResult, Session } from '../../source.ts'
import type { Hold } from '../../write-lock.ts'
import { nameOffendingFields } from '../offending-fields.ts'
import { inArrays, inTransaction, type SqliteDriver, type SqliteStatement } from './driver.ts'
import { foldFunction } from './dialect.ts'
import { isBusy, isCodeless, toFault, toViolation } from './faults.ts'
import { ForeignTransaction, type Rows, runTransaction, soon } from './transaction.ts'
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
    transaction: (work, limit, hold) => runTransaction(
      { driver, query: (text, parameters) => query(statementOf(text), parameters), read, change: makeChange }, work, limit, hold
    )
  }
}

// As many as there are texts (statements.ts).
const mostStatements = 500

function query (statement: SqliteStatement, parameters: readonly unknown[]): Rows {
  if (statement.reader !== false) return statement.all(...parameters) as Rows
  statement.run(...parameters)
  return []
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
