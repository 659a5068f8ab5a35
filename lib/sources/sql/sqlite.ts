import type { Database } from '../source.ts'
import { makeWriteLock } from '../write-lock.ts'
import { openDriver, type SqliteDriver, type SqliteDriverClass, type SqliteDriverName } from './drivers.ts'
import { makeSource, type SqlSource, type TableOptions } from './source.ts'
import { connect } from './sqlite-connection.ts'
import { strictTypes } from './sqlite-catalog.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { resultCode } from './sqlite-faults.ts'
import { makeStatements } from './statements.ts'

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
 * Opens a SQLite database, with write-ahead log, foreign keys and a busy timeout switched on, and a cache of 16 MB a connection; a given one keeps its cache. `:memory:` is a database of its own.
 * Throws a DeclarationError where no driver is installed, and what the driver throws where the file cannot be opened.
 */
export function sqlite (file: string, { driver: given, busyTimeout = 5000 }: SqliteOptions = {}): SqliteDatabase {
  const driver = typeof given === 'object' ? given : openDriver(file, given)
  const statements = makeStatements(sqliteDialect, strictTypes(driver))
  // At the start nobody else is held up, so this may wait for a lock.
  driver.exec(`pragma busy_timeout = ${Math.max(0, Math.trunc(busyTimeout))}`)
  useWriteAheadLog(driver)
  if (typeof given !== 'object') driver.exec(cachePragma)
  const main = connect(driver, statements, busyTimeout)
  // Transactions have the one connection to themselves; a second one reads what is committed while a hook of theirs waits.
  const lock = makeWriteLock(longestTurn)
  const beside = typeof given === 'object' || file === '' || file.startsWith(':memory:')
    ? undefined
    : once(() => {
      const connection = connect(openDriver(file, given), statements, busyTimeout)
      connection.driver.exec(`${cachePragma}; pragma query_only = on`)
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
    read: plan => lock.runShared(() => main.read(plan), beside && (() => beside.open().read(plan))),
    readWritten: plan => lock.runShared(() => main.readWritten(plan), beside && (() => beside.open().readWritten(plan))),
    change: change => lock.runShort(() => main.changeAlone(change)),
    transaction: work => lock.runExclusive(() => main.transaction(work))
  }
  return database
}

// 16 MB of pages, where SQLite's own 2 MB are meant for small devices.
const cachePragma = 'pragma cache_size = -16000'

// In milliseconds: a hook that never ends must not hold up the database for good.
const longestTurn = 10_000

/** Makes a thing when it is first needed. */
function once<T> (make: () => T): { open (): T, opened (): T | undefined } {
  let made: T | undefined
  return { open: () => (made ??= make()), opened: () => made }
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
