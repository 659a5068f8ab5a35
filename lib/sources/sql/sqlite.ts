import { setTimeout } from 'node:timers/promises'
import { LruMap } from 'toad-cache'
import type { Transaction } from '../../collection.ts'
import { deferredReference } from '../../errors.ts'
import type { ReadPlan } from '../../plan/plan.ts'
import { foldCase } from '../fold-case.ts'
import type { Change, Changed, Database, ReadResult, Session, Written } from '../source.ts'
import { makeTurns } from '../turns.ts'
import { nameCulprits } from './culprits.ts'
import { openDriver, type SqliteDriver, type SqliteDriverClass, type SqliteDriverName, type SqliteStatement } from './drivers.ts'
import { makeSource, type SqlSource, type TableOptions } from './source.ts'
import { foldFunction, sqliteDialect } from './sqlite-dialect.ts'
import { isBusy, isConstraint, resultCode, toFault, toRefusal } from './sqlite-faults.ts'
import { makeStatements, type Statements } from './statements.ts'

export interface SqliteOptions {
  /** The driver: by name, its class, or an open database. Default: node:sqlite where Node has it, else better-sqlite3 or @photostructure/sqlite, whichever is installed. */
  driver?: SqliteDriverName | SqliteDriverClass | SqliteDriver
  /** How long a request waits for the lock of another process, in milliseconds, before it is 503; others are served meanwhile. Default 5000. */
  busyTimeout?: number
}

export interface SqliteDatabase extends Database {
  readonly kind: 'sqlite'
  /** The open database, for the application's own statements. While a write request's hook waits for something, they are part of its transaction. */
  readonly driver: SqliteDriver
  /** A table or view as the source of a collection. */
  table (name: string, options?: TableOptions): SqlSource
  /** Runs a script of statements. */
  exec (script: string): void
  close (): void
}

/**
 * Opens a SQLite database, with write-ahead log, foreign keys and a busy timeout switched on. `:memory:` is a database of its own.
 * Throws a DeclarationError where no driver is installed, and what the driver throws where the file cannot be opened.
 */
export function sqlite (file: string, { driver: given, busyTimeout = 5000 }: SqliteOptions = {}): SqliteDatabase {
  const driver = typeof given === 'object' ? given : openDriver(file, given)
  const statements = makeStatements(sqliteDialect)
  // At the start nobody else is held up, so this may wait for a lock.
  driver.exec(`pragma busy_timeout = ${Math.max(0, Math.trunc(busyTimeout))}`)
  useWriteAheadLog(driver)
  const main = connect(driver, statements, busyTimeout)
  // Transactions have the one connection to themselves; a second one reads what is committed while a hook of theirs waits.
  const turns = makeTurns(longestTurn)
  const beside = typeof given === 'object' || file === '' || file.startsWith(':memory:')
    ? undefined
    : once(() => {
      const connection = connect(openDriver(file, given), statements, busyTimeout)
      connection.driver.exec('pragma query_only = on')
      return connection
    })

  const database: SqliteDatabase = {
    kind: 'sqlite',
    driver,
    table: (name, options = {}) => makeSource(database, name, options),
    exec (script) { driver.exec(script) },
    close () {
      beside?.opened()?.driver.close()
      driver.close()
    },
    read: plan => turns.pass(() => main.read(plan), beside && (() => beside.open().read(plan))),
    readWritten: plan => turns.pass(() => main.readWritten(plan), beside && (() => beside.open().readWritten(plan))),
    change: change => turns.brief(() => main.changeAlone(change)),
    transaction: work => turns.take(() => main.transaction(work))
  }
  return database
}

/** What is done on one connection. */
interface Connection {
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

function connect (driver: SqliteDriver, statements: Statements, busyTimeout: number): Connection {
  // SQLite's own wait holds up everything else, so it is short; the rest of the time is waited for here.
  driver.exec(`pragma busy_timeout = ${Math.max(0, Math.min(shortWait, Math.trunc(busyTimeout)))}; pragma foreign_keys = on`)
  driver.function(foldFunction, { deterministic: true }, text => typeof text === 'string' ? foldCase(text) : text)
  const prepare = preparing(driver)

  const readNow = (plan: ReadPlan): ReadResult => {
    const { text, parameters, decode } = statements.bind(plan)
    return decode([prepare(text).get(...parameters)])
  }

  const readWrittenNow = (plan: ReadPlan): ReadResult | Written => {
    const { text, parameters, decode } = statements.bindWritten(plan)
    return decode([prepare(text).get(...parameters)])
  }

  const changeNow = (change: Change): Changed => {
    const { text, parameters, key } = statements.bindChange(change)
    if (key === undefined) return Number(prepare(text).run(...parameters).changes) > 0 || change.kind === 'link' ? { kind: 'changed' } : { kind: 'unchanged' }
    const row = prepare(text).get(...parameters) as { readonly key: string } | undefined
    return row === undefined ? { kind: 'unchanged' } : { kind: 'changed', key: key(row.key) }
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
        const result = await work({ transaction: { kind: 'sqlite', query: querying(prepare) }, read: connection.read, lock: connection.read, change: connection.change })
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

// In milliseconds: a hook that never ends must not hold up the database for good.
const longestTurn = 10_000

/** Makes a thing when it is first needed. */
function once<T> (make: () => T): { open (): T, opened (): T | undefined } {
  let made: T | undefined
  return { open: () => (made ??= make()), opened: () => made }
}

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

function querying (prepare: (text: string) => SqliteStatement): Transaction['query'] {
  return async (text, parameters = []) => {
    const statement = prepare(text)
    if (statement.reader !== false) return statement.all(...parameters) as ReadonlyArray<Readonly<Record<string, unknown>>>
    statement.run(...parameters)
    return []
  }
}

/** Readers then do not wait for writers. A database that is open for reading only is served as it is. */
function useWriteAheadLog (driver: SqliteDriver): void {
  try {
    driver.exec('pragma journal_mode = wal')
  } catch (error) {
    if (resultCode(error) !== readOnly) throw error
  }
}

const readOnly = 8

/** Prepared statements, each once. As many as there are texts. */
function preparing (driver: SqliteDriver): (text: string) => SqliteStatement {
  const prepared = new LruMap<SqliteStatement>(500)
  return text => {
    const statement = prepared.get(text) ?? driver.prepare(text)
    prepared.set(text, statement)
    return statement
  }
}
