import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { unavailable } from '../../../errors/errors.ts'
import type { CatalogCheck } from '../../catalog-check.ts'
import { WriteLock } from '../../write-lock.ts'
import { nameOfDriver, openDriver, type SqliteDriver } from './driver.ts'
import type { FindTable } from '../catalog.ts'
import { makeSource, type SqlDatabase } from '../source.ts'
import { attachedFiles, attachLike } from './attached.ts'
import { followSchema, makeReadTable } from './catalog.ts'
import { type FileChanges, followChanges } from './changes.ts'
import { checkpointAfter, plainly } from './checkpoints.ts'
import { connect, type Connection } from './connection.ts'
import { dialectOf } from './dialect.ts'
import { isBusy, resultCode } from './faults.ts'
import { checkOptions, explainOpening, type Settings, type SqliteOptions } from './options.ts'
import { makeReader, type ReadCommitted } from './reader.ts'
import { makeReadingThreads, type ReadingThreads } from './reading-threads.ts'
import { changeTogether } from './together.ts'
import { makeStatements, type Statements } from '../statements/statements.ts'

export type { SqliteOptions } from './options.ts'

export interface SqliteDatabase extends SqlDatabase {
  readonly kind: 'sqlite'
  readonly readOnly: boolean
  /**
   * The open database, for the application's own statements. While a hook of a write request waits for something, these
   * statements are part of the request's transaction. A transaction that the application begins here holds up the
   * writes of all requests. Statements do not wait for the lock of another process.
   */
  readonly driver: SqliteDriver
  /**
   * Runs a script of statements, such as a migration. While it waits for the lock of another process, no request is
   * served.
   */
  exec (script: string): void
  /** Writes everything to the main file, and closes the database. Does nothing if it is closed. */
  close (): void
}

/**
 * Opens a SQLite database, by default with a write-ahead log, with foreign keys and a cache of 16 MB for each
 * connection; an open database that is given keeps its own cache size. `:memory:` is a new database of its own.
 * Throws a DeclarationError for a wrong option, if no driver is installed, and if the file cannot be opened.
 */
export function sqlite (file: string, options: SqliteOptions = {}): SqliteDatabase {
  const settings = checkOptions(file, options)
  const catalogCheck: CatalogCheck = {
    mode: options.check ?? 'error',
    // Loaded at the start of the application, so that importing the package does not wait for it.
    run: async collections => (await import('./check.ts')).checkOn(opened.driver, collections)
  }
  const { busyTimeout, transactionTimeout, readOnly } = settings
  const opened = explainOpening(file, settings, () => openFile(addressOf(file, settings), settings))
  const { driver, reader, statements, main, lock, changes, read, findTable } = opened

  let isClosed = false
  const database: SqliteDatabase = {
    kind: 'sqlite',
    readOnly,
    driver,
    catalogCheck,
    check: async declared => (await import('../check/check.ts')).checkDeclared(declared, database, catalogCheck),
    table (table, options) {
      const source = makeSource(database, table, options, findTable)
      if (source.schema !== undefined) attachLike(driver, reader?.driver, source.schema)
      return source
    },
    exec: script => { runScript(opened, script, busyTimeout) },
    ping: async () => { ping(driver) },
    close () {
      if (isClosed) return
      isClosed = true
      opened.close()
    },
    read: plan => read(() => statements.bind(plan)),
    readJson: plan => read(() => statements.bindJson(plan)),
    change: changeTogether(opened),
    transaction: work => lock.runExclusive(async hold =>
      changes.follow(() => main.transaction(work, transactionTimeout, hold))),
    watch: changes.watch
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

interface OpenFile {
  readonly driver: SqliteDriver
  readonly statements: Statements
  readonly main: Connection
  readonly reader: Connection | undefined
  readonly lock: WriteLock
  readonly changes: FileChanges
  readonly read: ReadCommitted
  readonly findTable: FindTable
  /** Looks for a migration before the next statement. */
  refresh (): void
  close (): void
}

/** Returns the path of a file, or the URI by which SQLite takes it as immutable (sqlite.org/uri.html). */
const addressOf = (file: string, { immutable }: Settings) =>
  immutable ? `${pathToFileURL(resolve(file)).href}?immutable=1` : file

function openFile (file: string, settings: Settings): OpenFile {
  const { driver: given, busyTimeout, readOnly } = settings
  const alone = isAlone(file, settings)
  const statementTimeout = settings.statementTimeout ?? (alone ? 1000 : 10_000)
  const driver = configure(typeof given === 'object' ? given : openDriver(file, given, settings), settings)
  const { statements, findTable, refresh } = followTables(driver, settings)
  const limits = { statementTimeout, preparedCharacters: preparedIn(settings) }
  const changes = followChanges(driver)
  const threads = alone ? undefined : threadsOf(file, driver, settings)
  const commit = threads === undefined ? plainly : checkpointAfter(driver, () => threads.read(checkpointing))
  const main = connect(driver, statements, limits, { change: changes.change, commit })
  // Transactions have the main connection to themselves. While a hook of theirs waits, the reader reads the committed
  // data.
  const reader = alone || readOnly || typeof given === 'object'
    ? undefined
    : connect(configure(openDriver(file, given), settings), statements, limits)
  // The first read opens the log, and must not find the log of another file.
  reader?.driver.exec('pragma query_only = on; select count(*) from sqlite_schema')
  for (const one of [main, reader]) one?.driver.exec('pragma busy_timeout = 0')
  const lock = new WriteLock(busyTimeout)
  const read = makeReader({ main, snapshotConnection: reader, threads, lock }, { busyTimeout, statementTimeout })
  return {
    driver,
    statements,
    main,
    reader,
    lock,
    changes,
    read,
    findTable,
    refresh,
    close () {
      reader?.driver.close()
      threads?.close()
      if (!readOnly) checkpoint(driver)
      driver.close()
    }
  }
}

const checkpointing = {
  text: 'pragma wal_checkpoint(passive)',
  parameters: [],
  cardinality: 'rows',
  longest: Infinity,
  longValues: 1,
  limit: Infinity
} as const

/** Returns the statements of a file, which a migration makes anew, and the writes that its tables take. */
function followTables (driver: SqliteDriver, { statementCache }: Settings) {
  const { current, refresh } = followSchema(driver, () => {
    const find = makeReadTable(driver)
    return { find, ...makeStatements(dialectOf(driver), find, statementCache) }
  })
  const statements: Statements = {
    bind: (plan, locking) => current().bind(plan, locking),
    bindJson: plan => current().bindJson(plan),
    bindChange: change => current().bindChange(change)
  }
  const findTable: FindTable = table => {
    try {
      return current().find(table)
    } catch {
      // The statement of the write has the same fault, and its error is more to the point.
      return undefined
    }
  }
  return { statements, findTable, refresh }
}

/** Returns the most characters of the statements that one connection keeps prepared. */
const preparedIn = ({ statementCache }: Settings) => Math.floor(statementCache / 2)

/** Returns true for a database that only one connection can see. */
const isAlone = (file: string, { driver }: Settings) =>
  typeof driver === 'object' || file === '' || file.startsWith(':memory:')

/** Returns the threads that read a file; undefined if there are to be none, or if they cannot load the driver. */
function threadsOf (
  file: string, main: SqliteDriver, settings: Settings
): ReadingThreads | undefined {
  const { driver: given, readThreads, readOnly, busyTimeout } = settings
  const driver = nameOfDriver(given)
  if (readThreads === 0 || driver === undefined) return undefined
  // The application may attach files, and change the working directory, before the first thread starts.
  const path = file.startsWith('file:') ? file : resolve(file)
  const preparedCharacters = preparedIn(settings)
  const dataOf = () =>
    ({ file: path, driver, readOnly, busyTimeout, preparedCharacters, attached: attachedFiles(main) })
  return makeReadingThreads(dataOf, { most: readThreads, queueTimeout: busyTimeout })
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
function runScript ({ driver, refresh }: OpenFile, script: string, busyTimeout: number): void {
  driver.exec(`pragma busy_timeout = ${busyTimeout}`)
  try {
    driver.exec(script)
  } finally {
    driver.exec('pragma busy_timeout = 0')
    refresh()
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
