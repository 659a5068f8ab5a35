import { Type } from '@sinclair/typebox'
import { DeclarationError, describeValue } from '../../../errors/errors.ts'
import type { CheckMode } from '../../catalog-check.ts'
import {
  characters, checkMode, compileSourceOptions, defaultStatementCache, longestDelay, milliseconds
} from '../../source-options.ts'
import type { SqliteDriver, SqliteDriverClass, SqliteDriverName } from './driver.ts'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { resultCode } from './faults.ts'

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
   * The most characters of the statements that are remembered for each kind of request. A connection keeps half as many
   * prepared, which takes 10 to 20 times their length in memory. Default 1000000.
   */
  statementCache?: number
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
   * Only reads: the file stays as it is, byte for byte (docs/databases.md: Reading only). Clients cannot write,
   * whatever the declarations allow. Default false.
   */
  readOnly?: boolean
  /**
   * Only reads a file that nobody writes as long as it is open: without locks, and without a log beside a file in WAL
   * mode. Default false.
   */
  immutable?: boolean
  /**
   * What happens at the start if declarations do not fit their tables (docs/databases.md: Declarations and tables).
   * Default `error`.
   */
  check?: CheckMode
}

const check = compileSourceOptions<SqliteOptions>('sqlite(file)', Type.Object({
  // A name, a class or an open database: the driver is checked when it is opened.
  driver: Type.Unknown(),
  busyTimeout: milliseconds,
  transactionTimeout: milliseconds,
  statementTimeout: milliseconds,
  readThreads: Type.Integer({ minimum: 0 }),
  statementCache: characters,
  synchronous: Type.Union([Type.Literal('full'), Type.Literal('normal')]),
  journal: Type.Union([Type.Literal('wal'), Type.Literal('keep')]),
  readOnly: Type.Boolean(),
  immutable: Type.Boolean(),
  check: checkMode
}))

/** The options of a database, with their defaults. */
export type Settings = ReturnType<typeof checkOptions>

/** Checks the options. Throws a DeclarationError for a wrong one. */
export function checkOptions (file: string, options: SqliteOptions) {
  if (typeof file !== 'string') {
    throw new DeclarationError(`sqlite(file): expected a path or ':memory:'; found ${describeValue(file)}`)
  }
  check(options)
  const {
    driver, busyTimeout = 5000, transactionTimeout = 10_000, statementTimeout, readThreads = 2, synchronous,
    journal = 'wal', immutable = false, readOnly = immutable, statementCache = defaultStatementCache
  } = options
  checkReading(file, { readOnly, immutable }, typeof driver === 'object')
  return {
    driver,
    readOnly,
    immutable,
    busyTimeout,
    transactionTimeout: transactionTimeout || longestDelay,
    statementTimeout: statementTimeout === 0 ? longestDelay : statementTimeout,
    readThreads,
    synchronous,
    journal,
    statementCache
  }
}

function checkReading (
  file: string, { readOnly, immutable }: { readonly readOnly: boolean, readonly immutable: boolean }, isOpen: boolean
): void {
  if (readOnly && !isOpen && (file === '' || file.startsWith(':memory:'))) {
    throw new DeclarationError("sqlite(':memory:', { readOnly }): a new database has nothing to read; name a file")
  }
  if (immutable && (!readOnly || isOpen || file.startsWith('file:'))) {
    throw new DeclarationError('sqlite(file, { immutable }): expected the path of a file, which is only read')
  }
}

/** Opens a file. Throws a DeclarationError that says why SQLite cannot open it, which its own error does not. */
export function explainOpening<T> (file: string, { readOnly }: { readonly readOnly: boolean }, open: () => T): T {
  try {
    return open()
  } catch (cause) {
    if (resultCode(cause) !== cannotOpen) throw cause
    throw new DeclarationError(`sqlite('${file}'): ${reasonFor(file, readOnly)}`, { cause })
  }
}

// SQLITE_CANTOPEN (sqlite.org/rescode.html).
const cannotOpen = 14

function reasonFor (file: string, readOnly: boolean): string {
  if (/^postgres(?:ql)?:/i.test(file)) return 'expected a path; write postgres(url) for PostgreSQL'
  if (file.startsWith('file:')) return 'the file of this URI cannot be opened'
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return 'this is a folder; name a file in it'
  if (found !== undefined) return 'the file cannot be opened; check who may read it'
  const folder = dirname(file)
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isThere) return `there is no folder '${folder}'`
  return readOnly ? 'there is no such file, and none is made with readOnly' : `no file can be made in '${folder}'`
}
