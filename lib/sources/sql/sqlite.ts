import { LruMap } from 'toad-cache'
import { foldCase } from '../fold-case.ts'
import type { Database } from '../source.ts'
import { openDriver, type SqliteDriver, type SqliteDriverClass, type SqliteDriverName, type SqliteStatement } from './drivers.ts'
import type { Output } from './read.ts'
import { makeSource, type SqlSource, type TableOptions } from './source.ts'
import { foldFunction, sqliteDialect } from './sqlite-dialect.ts'
import { resultCode, toFault } from './sqlite-faults.ts'
import { makeStatements } from './statements.ts'

export interface SqliteOptions {
  /** The driver: by name, its class, or an open database. Default: node:sqlite where Node has it, else better-sqlite3 or @photostructure/sqlite, whichever is installed. */
  driver?: SqliteDriverName | SqliteDriverClass | SqliteDriver
  /** How long a statement waits for a lock of another process, in milliseconds. The process can do nothing else meanwhile. Default 5000. */
  busyTimeout?: number
}

export interface SqliteDatabase extends Database {
  readonly kind: 'sqlite'
  /** The open database, for the application's own statements. */
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
  driver.exec(`pragma busy_timeout = ${Math.max(0, Math.trunc(busyTimeout))}; pragma foreign_keys = on`)
  useWriteAheadLog(driver)
  driver.function(foldFunction, { deterministic: true }, text => typeof text === 'string' ? foldCase(text) : text)

  const statements = makeStatements(sqliteDialect)
  const prepare = preparing(driver)
  const database: SqliteDatabase = {
    kind: 'sqlite',
    driver,
    table: (name, options = {}) => makeSource(database, name, options),
    exec (script) { driver.exec(script) },
    close () { driver.close() },
    read (plan) {
      const { text, parameters, decode } = statements.bind(plan)
      return run(() => decode(prepare(text).get(...parameters) as Output))
    }
  }
  return database
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

function run<T> (work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toFault(error)
  }
}
