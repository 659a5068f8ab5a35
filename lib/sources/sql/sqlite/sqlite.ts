import { resolve } from 'node:path'
import type { Declared } from '../../../collection.ts'
import { DeclarationError, unavailable } from '../../../errors.ts'
import { type CatalogCheck, type CheckMode, compileCheckMode } from '../../catalog-check.ts'
import type { Database } from '../../source.ts'
import { makeWriteLock } from '../../write-lock.ts'
import { nameOfDriver, openDriver, type SqliteDriver, type SqliteDriverClass, type SqliteDriverName } from './driver.ts'
import { makeSource, type SqlSource, type TableDefinition, type TableOptions } from '../source.ts'
import { attachedFiles, attachLike } from './attached.ts'
import { connect } from './connection.ts'
import { columnTypes } from './catalog.ts'
import { sqliteDialect } from './dialect.ts'
import { isBusy, resultCode } from './faults.ts'
import { openOnce, openUnchanged, type OpenFile } from './unchanged.ts'
import { makeReader } from './reader.ts'
import { makeReadingThreads, type ReadingThreads } from './reading-threads.ts'
import { makeStatements } from '../statements/statements.ts'
import type { TableName } from '../table-name.ts'
import { tableWrites } from './writes.ts'

export interface SqliteOptions {
  /**
   * The driver: its name, its class, or an open database. Default: node:sqlite where Node has it, else better-sqlite3,
   * else @photostructure/sqlite, whichever is installed.
   */
  driver?: SqliteDriverName | SqliteDriverClass | SqliteDriver
  /**
   * How long a request waits in all, in milliseconds, before it is 503: for other writes and for the lock of another
   * process. Other requests are served meanwhile. Default 5000.
   */
  busyTimeout?: number
  /**
   * How long the transaction of a request with setters or hooks may last, in milliseconds, before it is rolled back and
   * the request is 503. Default 10000; 0 is no limit.
   */
  transactionTimeout?: number
  /**
   * How long a read may take, in milliseconds, before it is interrupted and the request is 503. Default 10000, and 1000
   * for `:memory:` and an open database, where reads hold up all other requests; 0 is no limit.
   */
  statementTimeout?: number
  /**
   * The most threads for reads that take longer than 10 ms. They are started when they are needed. With 0, such reads
   * hold up all other requests, as they do on `:memory:` and on an open database. Default 2.
   */
  readThreads?: number
  /**
   * `full`: an acknowledged write survives a power cut. `normal`: after a power cut the database is intact, but may
   * have lost the last writes. Default `full`; an open database keeps its own setting (docs/databases.md: Durability).
   */
  synchronous?: 'full' | 'normal'
  /**
   * `wal`: switches the file to a write-ahead log, with which reads do not wait for writes. `keep`: leaves the journal
   * mode of the file as it is. Default `wal`.
   */
  journal?: 'wal' | 'keep'
  /**
   * Only reads: the file stays as it is, byte for byte, and no log remains beside it (docs/databases.md: Reading only).
   * Clients cannot write, whatever the declarations allow. Default false.
   */
  readOnly?: boolean
  /**
   * What happens at the start if declarations do not fit their tables (docs/databases.md: Declarations and tables).
   * Default `error`.
   */
  check?: CheckMode
}

export interface SqliteDatabase extends Database {
  readonly kind: 'sqlite'
  readonly readOnly: boolean
  /**
   * The open database, for the application's own statements. While a hook of a write request waits for something, these
   * statements are part of the request's transaction. A transaction that the application begins here holds up the
   * writes of all requests. Statements do not wait for the lock of another process.
   */
  readonly driver: SqliteDriver
  /**
   * A table or view as the source of a collection: by its name, by a name such as `attached.artists`, or by a
   * definition.
   */
  table (table: string | TableDefinition, options?: TableOptions): SqlSource
  /**
   * Runs a script of statements, such as a migration. While it waits for the lock of another process, no request is
   * served.
   */
  exec (script: string): void
  /**
   * Compares the declarations with the tables, also where the option `check` is `off`. Returns the warnings. Rejects
   * with a DeclarationError that lists all faults.
   */
  check (collections: Readonly<Record<string, Declared>>): Promise<readonly string[]>
  /** Reads from the file. Rejects with `unavailable` if that fails, such as after `close()`. */
  ping (): Promise<void>
  /** Writes everything to the main file, and closes the database. Does nothing if it is closed. */
  close (): void
}

/**
 * Opens a SQLite database, by default with a write-ahead log, with foreign keys and a cache of 16 MB for each
 * connection; an open database that is given keeps its own cache size. `:memory:` is a new database of its own.
 * Throws a DeclarationError for a wrong option and if no driver is installed, and the driver's error if the file
 * cannot be opened.
 */
export function sqlite (file: string, options: SqliteOptions = {}): SqliteDatabase {
  const settings = checkOptions(file, options)
  const catalogCheck: CatalogCheck = {
    mode: compileCheckMode('sqlite(file)', options.check),
    // Loaded at the start of the application, so that importing the package does not wait for it.
    run: async collections => (await import('./check.ts')).checkOn(opened.current().driver, collections)
  }
  const { busyTimeout, transactionTimeout, readOnly } = settings
  const open = (path: string) => openFile(path, settings)
  const opened = readOnly && !isAlone(file, settings) ? openUnchanged(file, open) : openOnce(open(file))
  const { lock, main } = opened.current()

  let isClosed = false
  const database: SqliteDatabase = {
    kind: 'sqlite',
    readOnly,
    get driver () { return opened.current().driver },
    catalogCheck,
    check: async declared => (await import('../check/check.ts')).checkDeclared(declared, database, catalogCheck),
    table (table, options) {
      const source = makeSource(database, table, options, name => opened.current().findWrites(name))
      const { driver, reader } = opened.current()
      if (source.schema !== undefined) attachLike(driver, reader?.driver, source.schema)
      return source
    },
    exec: script => { runScript(opened.current().driver, script, busyTimeout) },
    ping: async () => { ping(opened.current().driver) },
    close () {
      if (isClosed) return
      isClosed = true
      opened.close()
    },
    read: plan => opened.use(({ read, statements }) => read(() => statements.bind(plan))),
    readJson: plan => opened.use(({ read, statements }) => read(() => statements.bindJson(plan))),
    change: change => lock.runShort(hold => main.change(change, hold)),
    transaction: work => lock.runExclusive(hold => main.transaction(work, transactionTimeout, hold))
  }
  return database
}

/** Reads from the file. A file that another process has locked is there. */
function ping (driver: SqliteDriver): void {
  try {
    driver.prepare('select count(*) from sqlite_schema').get()
  } catch (error) {
    if (!isBusy(error)) throw unavailable(error)
  }
}

/** Opens the connections to a file. */
function openFile (file: string, settings: Settings): OpenFile {
  const { driver: given, busyTimeout, readOnly } = settings
  const alone = isAlone(file, settings)
  const statementTimeout = settings.statementTimeout ?? (alone ? 1000 : 10_000)
  const driver = configure(typeof given === 'object' ? given : openDriver(file, given, settings), settings)
  const findWrites = tableWrites(driver)
  const hasInsteadOf = (name: TableName) => findWrites(name)?.hasInsteadOf === true
  const statements = makeStatements(sqliteDialect, { types: columnTypes(driver), hasInsteadOf })
  const main = connect(driver, statements, statementTimeout)
  // Transactions have the main connection to themselves. While a hook of theirs waits, the reader reads the committed
  // data.
  const reader = alone || readOnly || typeof given === 'object'
    ? undefined
    : connect(configure(openDriver(file, given), settings), statements, statementTimeout)
  // The first read opens the log, and must not find the log of another file.
  reader?.driver.exec('pragma query_only = on; select count(*) from sqlite_schema')
  for (const one of [main, reader]) one?.driver.exec('pragma busy_timeout = 0')
  const lock = makeWriteLock(busyTimeout)
  const threads = alone ? undefined : threadsOf(file, driver, settings)
  const read = makeReader({ main, beside: reader, threads, lock }, { busyTimeout, statementTimeout })
  return {
    driver,
    statements,
    main,
    reader,
    lock,
    read,
    findWrites,
    close (onClosed) {
      reader?.driver.close()
      if (!readOnly) checkpoint(driver)
      driver.close()
      if (threads === undefined) onClosed()
      else threads.close(onClosed)
    }
  }
}

/** Returns true for a database that only one connection can see. */
const isAlone = (file: string, { driver }: Settings) =>
  typeof driver === 'object' || file === '' || file.startsWith(':memory:')

type Settings = ReturnType<typeof checkOptions>

/** Returns the threads that read a file; undefined if there are to be none, or if they cannot load the driver. */
function threadsOf (
  file: string, main: SqliteDriver, { driver: given, readThreads, readOnly, busyTimeout }: Settings
): ReadingThreads | undefined {
  const driver = nameOfDriver(given)
  if (readThreads === 0 || driver === undefined) return undefined
  // The application may attach files, and change the working directory, before the first thread starts.
  const path = file.startsWith('file:') ? file : resolve(file)
  const dataOf = () => ({ file: path, driver, readOnly, busyTimeout, attached: attachedFiles(main) })
  return makeReadingThreads(dataOf, { most: readThreads, patience: busyTimeout })
}

/** Sets the pragmas of a new connection and returns it. */
function configure (
  driver: SqliteDriver, { driver: given, busyTimeout, synchronous, journal, readOnly }: Settings
): SqliteDriver {
  const isGiven = typeof given === 'object'
  // SQLite's own busy timeout blocks the process, which holds up nobody at the start. Later, transaction.ts waits.
  driver.exec(`pragma busy_timeout = ${busyTimeout}`)
  if (!isGiven) driver.exec('pragma cache_size = -16000')
  if (readOnly) {
    driver.exec('pragma query_only = on')
    return driver
  }
  if (journal === 'wal') useWriteAheadLog(driver)
  if (synchronous !== undefined || !isGiven) driver.exec(`pragma synchronous = ${synchronous ?? 'full'}`)
  return driver
}

/** Runs a script with SQLite's own busy timeout, which blocks the process. */
function runScript (driver: SqliteDriver, script: string, busyTimeout: number): void {
  driver.exec(`pragma busy_timeout = ${busyTimeout}`)
  try {
    driver.exec(script)
  } finally {
    driver.exec('pragma busy_timeout = 0')
  }
}

// The longest time that a timer can have: 24 days, in milliseconds.
const longest = 2 ** 31 - 1

function checkOptions (file: string, {
  driver, busyTimeout = 5000, transactionTimeout = 10_000, statementTimeout, readThreads = 2, synchronous,
  journal = 'wal', readOnly = false
}: SqliteOptions) {
  for (const [name, value] of Object.entries({ busyTimeout, transactionTimeout, statementTimeout })) {
    if (value === undefined) continue
    if (Number.isInteger(value) && value >= 0 && value <= longest) continue
    const found = `found ${String(value)}`
    throw new DeclarationError(`sqlite(file, { ${name} }): expected whole milliseconds from 0 to ${longest}; ${found}`)
  }
  if (synchronous !== undefined && !['full', 'normal'].includes(synchronous)) {
    const found = String(synchronous)
    throw new DeclarationError(`sqlite(file, { synchronous }): expected 'full' or 'normal'; found '${found}'`)
  }
  if (!['wal', 'keep'].includes(journal)) {
    throw new DeclarationError(`sqlite(file, { journal }): expected 'wal' or 'keep'; found '${String(journal)}'`)
  }
  if (!Number.isInteger(readThreads) || readThreads < 0) {
    throw new DeclarationError(`sqlite(file, { readThreads }): expected a whole number; found ${String(readThreads)}`)
  }
  if (typeof readOnly !== 'boolean') {
    throw new DeclarationError(`sqlite(file, { readOnly }): expected true or false; found ${String(readOnly)}`)
  }
  if (readOnly && typeof driver !== 'object' && (file === '' || file.startsWith(':memory:'))) {
    throw new DeclarationError("sqlite(':memory:', { readOnly }): a new database has nothing to read; name a file")
  }
  return {
    driver,
    readOnly,
    busyTimeout,
    transactionTimeout: transactionTimeout || longest,
    statementTimeout: statementTimeout === 0 ? longest : statementTimeout,
    readThreads,
    synchronous,
    journal
  }
}

/** Turns on the write-ahead log, with which readers do not wait for writers. A read-only database is left as it is. */
function useWriteAheadLog (driver: SqliteDriver): void {
  try {
    driver.exec('pragma journal_mode = wal')
  } catch (error) {
    if (resultCode(error) !== readOnly) throw error
  }
}

const readOnly = 8

/** Writes the content of the log to the main file, so that a copy of the main file alone is complete. */
function checkpoint (driver: SqliteDriver): void {
  try {
    driver.exec('pragma wal_checkpoint(truncate)')
  } catch {
    // Another process holds the lock, or the file is read-only. The content stays in the log, where SQLite finds it.
  }
}
