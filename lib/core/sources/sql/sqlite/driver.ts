import { createRequire } from 'node:module'
import { DeclarationError } from '../../../errors/errors.ts'

/**
 * The parts of a prepared statement that are used. node:sqlite, better-sqlite3 and @photostructure/sqlite have them.
 */
export interface SqliteStatement {
  /** better-sqlite3 only: true for a statement that gives rows. */
  readonly reader?: boolean
  get (...parameters: readonly unknown[]): unknown
  /** Has the statement give rows as arrays. node:sqlite and @photostructure/sqlite. */
  setReturnArrays? (on: boolean): void
  /** Has the statement give rows as arrays. better-sqlite3 only. */
  raw? (on: boolean): unknown
  all (...parameters: readonly unknown[]): unknown[]
  iterate (...parameters: readonly unknown[]): Iterable<unknown>
  run (...parameters: readonly unknown[]): { readonly changes: number | bigint }
}

/** The parts of an open database that are used. */
export interface SqliteDriver {
  /** Is true while a transaction is open. node:sqlite and @photostructure/sqlite. */
  readonly isTransaction?: boolean
  /** Is true while a transaction is open. better-sqlite3 only. */
  readonly inTransaction?: boolean
  /** The limits of SQLite. `length`: of a text, a blob or a row, in bytes. Newer drivers; not better-sqlite3. */
  readonly limits?: { length: number }
  prepare (text: string): SqliteStatement
  exec (script: string): unknown
  function (name: string, options: { deterministic: boolean }, body: (...values: unknown[]) => unknown): unknown
  /** Registers a function over rows. */
  aggregate (name: string, options: AggregateOptions): unknown
  close (): unknown
}

/** A function over rows. `start` returns the state before the first row. */
interface AggregateOptions {
  start (): number
  step (state: number, value: unknown): number
  result (state: number): string | null
}

export type SqliteDriverName = typeof driverNames[number]
export type SqliteDriverClass = new (file: string, options?: Readonly<Record<string, unknown>>) => SqliteDriver

/** The drivers, in the order in which they are tried. */
const driverNames = ['node:sqlite', 'better-sqlite3', '@photostructure/sqlite'] as const

const require = createRequire(import.meta.url)

/**
 * Opens a file with the given driver, or with the first driver that is installed. Throws a DeclarationError if none can
 * be loaded.
 */
export function openDriver (
  file: string, driver: SqliteDriverName | SqliteDriverClass | undefined,
  { readOnly }: { readonly readOnly: boolean } = { readOnly: false }
): SqliteDriver {
  // better-sqlite3 writes the option in lower case. Each driver ignores the other's.
  const options = readOnly ? [{ readOnly, readonly: readOnly }] : []
  // eslint-disable-next-line new-cap -- the application's class, in a variable
  if (typeof driver === 'function') return new driver(file, ...options)
  const names = driver === undefined ? driverNames : [driver]
  for (const name of names) {
    const Driver = loadDriver(name)
    if (Driver !== undefined) return new Driver(file, ...options)
  }
  throw new DeclarationError(
    `sqlite('${file}'): ${names.join(', ')} cannot be loaded; ` +
    'use Node.js 22.16 or later, or npm install @photostructure/sqlite@1 or better-sqlite3@12'
  )
}

/**
 * Returns the name by which another thread can load the driver that openDriver() would take; undefined for a class that
 * is none of the drivers.
 */
export function nameOfDriver (
  driver: SqliteDriverName | SqliteDriverClass | SqliteDriver | undefined
): SqliteDriverName | undefined {
  if (typeof driver === 'string') return driver
  return driverNames.find(name => {
    const Driver = loadDriver(name)
    return Driver !== undefined && (driver === undefined || driver === Driver)
  })
}

function loadDriver (name: SqliteDriverName): SqliteDriverClass | undefined {
  const module = requireIfInstalled(name)
  if (typeof module === 'function') return module as SqliteDriverClass
  if (typeof module !== 'object' || module === null || !('DatabaseSync' in module)) return undefined
  const Driver = module.DatabaseSync as SqliteDriverClass
  // node:sqlite before Node.js 22.16 has neither aggregates nor rows as arrays.
  return 'aggregate' in Driver.prototype ? Driver : undefined
}

function requireIfInstalled (name: string): unknown {
  try {
    return require(name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && missing.has(error.code)) return undefined
    throw error
  }
}

const missing: ReadonlySet<unknown> = new Set(['MODULE_NOT_FOUND', 'ERR_UNKNOWN_BUILTIN_MODULE'])

/** Returns true while a transaction is open on the connection, by whomever it was begun. */
export const isTransactionOpen = ({ isTransaction, inTransaction }: SqliteDriver): boolean =>
  isTransaction ?? inTransaction ?? false

/** A prepared statement that gives each row as the array of its values, which saves an object and its keys. */
export interface ArrayStatement {
  get (...parameters: readonly unknown[]): readonly unknown[] | undefined
  all (...parameters: readonly unknown[]): ReadonlyArray<readonly unknown[]>
  iterate (...parameters: readonly unknown[]): Iterable<readonly unknown[]>
}

/** Has a statement give rows as arrays. The statement given must not be used any more. */
export function toArrays (statement: SqliteStatement): ArrayStatement {
  if (statement.setReturnArrays === undefined) statement.raw?.(true)
  else statement.setReturnArrays(true)
  return statement as SqliteStatement & ArrayStatement
}
