import { DeclarationError } from '../../../errors.ts'
import type { Database } from '../../source.ts'
import { makeWriteLock } from '../../write-lock.ts'
import { openDriver, type SqliteDriver, type SqliteDriverClass, type SqliteDriverName } from './driver.ts'
import { makeSource, type SqlSource, type TableOptions } from '../source.ts'
import { connect, type Connection } from './connection.ts'
import { strictTypes } from './catalog.ts'
import { sqliteDialect } from './dialect.ts'
import { isBusy, resultCode } from './faults.ts'
import { makeStatements } from '../statements/statements.ts'
import { retryWhileBusy } from './transaction.ts'

export interface SqliteOptions {
  /**
   * The driver: by name, its class, or an open database. Default: node:sqlite where Node has it, else better-sqlite3 or
   * @photostructure/sqlite, whichever is installed.
   */
  driver?: SqliteDriverName | SqliteDriverClass | SqliteDriver
  /**
   * How long a request waits in all, in milliseconds, before it is 503: behind other writes and for the lock of another
   * process. Others are served meanwhile. Default 5000.
   */
  busyTimeout?: number
  /**
   * How long the transaction of a request with setters or hooks may last, in milliseconds. Then it is rolled back, and
   * the request is 503. 0: as long as it takes. Default 10000.
   */
  transactionTimeout?: number
  /**
   * `full`: a write that was acknowledged survives a power cut. `normal`: the database stays whole, but may lose the
   * last writes. Default `full`, and for an open database what it has (docs/databases.md: Durability).
   */
  synchronous?: 'full' | 'normal'
}

export interface SqliteDatabase extends Database {
  readonly kind: 'sqlite'
  /**
   * The open database, for the application's own statements. While a write request's hook waits for something, they are
   * part of its transaction. A transaction that the application begins here holds up all writes of requests. Statements
   * do not wait for the lock of another process.
   */
  readonly driver: SqliteDriver
  /** A table or view as the source of a collection. */
  table (name: string, options?: TableOptions): SqlSource
  /**
   * Runs a script of statements, such as a migration. While it waits for the lock of another process nobody is served.
   */
  exec (script: string): void
  /** Closes the database, with everything that was written in its main file. */
  close (): void
}

/**
 * Opens a SQLite database, with write-ahead log, foreign keys and a cache of 16 MB a connection; a given one keeps its
 * cache. `:memory:` is a database of its own. Throws a DeclarationError for a wrong option and where no driver is
 * installed, and what the driver throws where the file cannot be opened.
 */
export function sqlite (file: string, options: SqliteOptions = {}): SqliteDatabase {
  const { driver: given, busyTimeout, transactionTimeout, synchronous } = checkOptions(options)
  const isGiven = typeof given === 'object'
  const open = (driver: SqliteDriver) => {
    // At the start nobody is held up, so SQLite's own wait, which blocks, will do. Afterwards the wait is outside
    // (sqlite-connection.ts).
    driver.exec(`pragma busy_timeout = ${busyTimeout}`)
    useWriteAheadLog(driver)
    if (!isGiven) driver.exec('pragma cache_size = -16000')
    if (synchronous !== undefined || !isGiven) driver.exec(`pragma synchronous = ${synchronous ?? 'full'}`)
    return driver
  }
  const driver = open(isGiven ? given : openDriver(file, given))
  const statements = makeStatements(sqliteDialect, { types: strictTypes(driver) })
  const main = connect(driver, statements)
  // Transactions have the one connection to themselves; a second one reads what is committed while a hook of theirs
  // waits.
  const isAlone = isGiven || file === '' || file.startsWith(':memory:')
  const reader = isAlone ? undefined : connect(open(openDriver(file, given)), statements)
  // The log is opened by the first read, which must not find that of another file.
  reader?.driver.exec('pragma query_only = on; select count(*) from sqlite_schema')
  for (const one of [main, reader]) one?.driver.exec('pragma busy_timeout = 0')
  const lock = makeWriteLock(busyTimeout)

  // Beside a transaction of ours, the main connection would show what it has not committed.
  const readPatiently = <T>(read: (connection: Connection) => T): Promise<T> => reader === undefined
    ? lock.runExclusive(hold => retryWhileBusy(() => read(main), hold))
    : retryWhileBusy(() => read(reader), { remaining: busyTimeout, holder: () => '' })

  function reading<T> (read: (connection: Connection) => T): T | Promise<T> {
    try {
      return lock.runShared(() => read(main), () => reader === undefined ? readPatiently(read) : read(reader))
    } catch (error) {
      if (isBusy(error)) return readPatiently(read)
      throw error
    }
  }

  const database: SqliteDatabase = {
    kind: 'sqlite',
    driver,
    table: (name, options = {}) => makeSource(database, name, options),
    exec (script) {
      driver.exec(`pragma busy_timeout = ${busyTimeout}`)
      try {
        driver.exec(script)
      } finally {
        driver.exec('pragma busy_timeout = 0')
      }
    },
    close () {
      reader?.driver.close()
      checkpoint(driver)
      driver.close()
    },
    read: plan => reading(connection => connection.read(plan)),
    readJson: plan => reading(connection => connection.readJson(plan)),
    change: change => lock.runShort(hold => main.change(change, hold)),
    transaction: work => lock.runExclusive(hold => main.transaction(work, transactionTimeout, hold))
  }
  return database
}

// In milliseconds: the longest that a timer takes, 24 days.
const longest = 2 ** 31 - 1

function checkOptions ({ driver, busyTimeout = 5000, transactionTimeout = 10_000, synchronous }: SqliteOptions) {
  for (const [name, value] of Object.entries({ busyTimeout, transactionTimeout })) {
    if (Number.isInteger(value) && value >= 0 && value <= longest) continue
    const found = `found ${String(value)}`
    throw new DeclarationError(`sqlite(file, { ${name} }): expected whole milliseconds from 0 to ${longest}; ${found}`)
  }
  if (synchronous !== undefined && !['full', 'normal'].includes(synchronous)) {
    const found = String(synchronous)
    throw new DeclarationError(`sqlite(file, { synchronous }): expected 'full' or 'normal'; found '${found}'`)
  }
  return { driver, busyTimeout, transactionTimeout: transactionTimeout || longest, synchronous }
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

/** Writes what stands in the log to the main file, so that a copy of that file is whole. */
function checkpoint (driver: SqliteDriver): void {
  try {
    driver.exec('pragma wal_checkpoint(truncate)')
  } catch {
    // Another process has the lock, or the file is read-only: it stays in the log, where SQLite finds it.
  }
}
