import { setTimeout } from 'node:timers/promises'
import type { Transaction } from '../../collection.ts'
import { deferredReference } from '../../errors.ts'
import type { ReadPlan } from '../../plan/plan.ts'
import { rememberRecent } from '../../remember.ts'
import { foldCase } from '../fold-case.ts'
import type { Change, Changed, ReadResult, Session, Written } from '../source.ts'
import { nameCulprits } from './culprits.ts'
import { openSession, withinLimit } from '../transaction-limit.ts'
import { inArrays, type SqliteDriver, type SqliteStatement } from './drivers.ts'
import { foldFunction } from './sqlite-dialect.ts'
import { isBusy, isConstraint, resultCode, toFault, toRefusal } from './sqlite-faults.ts'
import type { BoundRead, Statements } from './statements.ts'

/** What is done on one connection. */
export interface Connection {
  readonly driver: SqliteDriver
  read (plan: ReadPlan): ReadResult | Promise<ReadResult>
  readWritten (plan: ReadPlan): ReadResult | Written | Promise<ReadResult | Written>
  change (change: Change): Changed | Promise<Changed>
  /** A change outside of a transaction, which may have to wait for another process. */
  changeAlone (change: Change): Changed | Promise<Changed>
  transaction<T> (work: (session: Session) => Promise<T>): Promise<T>
  /** Does the work, again and again for as long as another process has the lock. Throws unavailable once the busy timeout is over. */
  patiently<T> (work: () => T | Promise<T>): Promise<T>
}

/** Makes a connection of an open database. `busyTimeout`: how long others' locks are waited for, in milliseconds. */
export function connect (driver: SqliteDriver, statements: Statements, busyTimeout: number): Connection {
  // SQLite's own wait holds up everything else, so it is short; the rest of the time is waited for here.
  driver.exec(`pragma busy_timeout = ${Math.max(0, Math.min(shortWait, Math.trunc(busyTimeout)))}; pragma foreign_keys = on`)
  driver.function(foldFunction, { deterministic: true }, text => typeof text === 'string' ? foldCase(text) : text)
  const rowsOf = rememberRecent(text => inArrays(driver.prepare(text)), { most: mostStatements })
  const statementOf = rememberRecent(text => driver.prepare(text), { most: mostStatements })

  const readBound = <Result>({ text, gives, parameters, decode }: BoundRead<Result>): Result => {
    const statement = rowsOf(text)
    if (gives === 'rows') return decode(statement.all(...parameters))
    const row = statement.get(...parameters)
    return decode(row === undefined ? [] : [row])
  }
  const readNow = (plan: ReadPlan) => readBound(statements.bind(plan))
  const readWrittenNow = (plan: ReadPlan) => readBound(statements.bindWritten(plan))

  const changeNow = (change: Change): Changed => {
    const { text, parameters, key } = statements.bindChange(change)
    if (key === undefined) return Number(statementOf(text).run(...parameters).changes) > 0 || change.kind === 'link' ? { kind: 'changed' } : { kind: 'unchanged' }
    const row = rowsOf(text).get(...parameters)
    return row === undefined ? { kind: 'unchanged' } : { kind: 'changed', key: key(row[0]) }
  }

  const patiently = async <T>(work: () => T | Promise<T>): Promise<T> => {
    const end = performance.now() + busyTimeout
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!isBusy(error) || performance.now() >= end) throw toFault(error)
        await setTimeout(5 + Math.random() * 15)
      }
    }
  }

  const reading = <T>(read: () => T): T | Promise<T> => {
    try {
      return read()
    } catch (error) {
      if (isBusy(error)) return patiently(read)
      throw toFault(error)
    }
  }

  const connection: Connection = {
    driver,
    patiently,
    read: plan => reading(() => readNow(plan)),
    readWritten: plan => reading(() => readWrittenNow(plan)),
    change (change) {
      try {
        return changeNow(change)
      } catch (error) {
        const refused = change.kind === 'link' ? toRefusal(error, change.field.target) : toRefusal(error, change.collection)
        if (refused === undefined) throw isBusy(error) ? error : toFault(error)
        return nameCulprits(refused, change, connection.read)
      }
    },
    changeAlone (change) {
      try {
        return connection.change(change)
      } catch (error) {
        if (isBusy(error)) return patiently(() => connection.change(change))
        throw error
      }
    },
    async transaction (work) {
      // Immediate: the lock is had before anything is read, so that what was read is still so when it is written.
      await patiently(() => driver.exec('begin immediate'))
      try {
        const open = openSession({ transaction: { kind: 'sqlite', query: querying(statementOf) }, read: connection.read, lock: connection.read, change: connection.change })
        const result = await withinLimit(open, work, 10_000)
        commit(driver)
        return result
      } catch (error) {
        rollback(driver)
        throw resultCode(error) === undefined ? error : toFault(error)
      }
    }
  }
  return connection
}

const shortWait = 20

// As many as there are texts (statements.ts).
const mostStatements = 500

function commit (driver: SqliteDriver): void {
  try {
    driver.exec('commit')
  } catch (error) {
    throw isConstraint(error) ? deferredReference(error) : error
  }
}

/** SQLite has rolled back by itself after some errors, such as a full disk. */
function rollback (driver: SqliteDriver): void {
  try {
    driver.exec('rollback')
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error
  }
}

function querying (statementOf: (text: string) => SqliteStatement): Transaction['query'] {
  return async (text, parameters = []) => {
    const statement = statementOf(text)
    if (statement.reader !== false) return statement.all(...parameters) as ReadonlyArray<Readonly<Record<string, unknown>>>
    statement.run(...parameters)
    return []
  }
}
