import { createRequire } from 'node:module'
import { DeclarationError } from '../../../errors.ts'

/** What is used of a prepared statement, in node:sqlite, better-sqlite3 and @photostructure/sqlite alike. */
export interface SqliteStatement {
  /** In better-sqlite3: whether it gives rows. */
  readonly reader?: boolean
  get (...parameters: readonly unknown[]): unknown
  /** Has it give rows as arrays: in node:sqlite, not in its first versions, and @photostructure/sqlite. */
  setReturnArrays? (on: boolean): void
  /** The same in better-sqlite3. */
  raw? (on: boolean): unknown
  all (...parameters: readonly unknown[]): unknown[]
  run (...parameters: readonly unknown[]): { readonly changes: number | bigint }
}

/** What is used of an open database. */
export interface SqliteDriver {
  /** Whether a transaction is open: in @photostructure/sqlite, and node:sqlite from 22.16 on. */
  readonly isTransaction?: boolean
  /** The same in better-sqlite3. */
  readonly inTransaction?: boolean
  prepare (text: string): SqliteStatement
  exec (script: string): unknown
  function (name: string, options: { deterministic: boolean }, body: (text: unknown) => unknown): unknown
  close (): unknown
}

export type SqliteDriverName = typeof driverNames[number]
export type SqliteDriverClass = new (file: string) => SqliteDriver

/** In the order in which they are tried. */
const driverNames = ['node:sqlite', 'better-sqlite3', '@photostructure/sqlite'] as const

const require = createRequire(import.meta.url)

/** Opens a file with the driver named, or with the first that is there. Throws a DeclarationError where there is none. */
export function openDriver (file: string, driver: SqliteDriverName | SqliteDriverClass | undefined): SqliteDriver {
  if (typeof driver === 'function') return new driver(file) // eslint-disable-line new-cap -- the application's class, in a variable
  const names = driver === undefined ? driverNames : [driver]
  for (const name of names) {
    const Driver = loadDriver(name)
    if (Driver !== undefined) return new Driver(file)
  }
  throw new DeclarationError(`sqlite('${file}'): ${names.join(', ')} cannot be loaded; use Node.js 22.13 or later, or npm install better-sqlite3 or @photostructure/sqlite`)
}

function loadDriver (name: SqliteDriverName): SqliteDriverClass | undefined {
  const module = requireIfThere(name)
  if (typeof module === 'function') return module as SqliteDriverClass
  if (typeof module !== 'object' || module === null || !('DatabaseSync' in module)) return undefined
  return module.DatabaseSync as SqliteDriverClass
}

function requireIfThere (name: string): unknown {
  try {
    return require(name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'MODULE_NOT_FOUND' || error.code === 'ERR_UNKNOWN_BUILTIN_MODULE')) return undefined
    throw error
  }
}

/** Whether a transaction is open on the connection, whoever began it. */
export function inTransaction (driver: SqliteDriver): boolean {
  const told = driver.isTransaction ?? driver.inTransaction
  if (told !== undefined) return told
  // The first versions of node:sqlite do not tell, but cannot begin a transaction inside of another.
  try {
    driver.exec('begin')
  } catch {
    return true
  }
  driver.exec('rollback')
  return false
}

/** A prepared statement that gives each row as its values, which spares an object and its keys. */
export interface ArrayStatement {
  get (...parameters: readonly unknown[]): readonly unknown[] | undefined
  all (...parameters: readonly unknown[]): ReadonlyArray<readonly unknown[]>
}

/** Takes the statement over. */
export function inArrays (statement: SqliteStatement): ArrayStatement {
  if (statement.setReturnArrays !== undefined) statement.setReturnArrays(true)
  else if (statement.raw !== undefined) statement.raw(true)
  else return valuesOf(statement)
  return statement as SqliteStatement & ArrayStatement
}

/** The first versions of node:sqlite know objects only. */
function valuesOf (statement: SqliteStatement): ArrayStatement {
  return {
    get (...parameters) {
      const row = statement.get(...parameters)
      return row === undefined ? undefined : Object.values(row as object)
    },
    all: (...parameters) => statement.all(...parameters).map(row => Object.values(row as object))
  }
}
