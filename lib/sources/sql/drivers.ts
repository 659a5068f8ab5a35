import { createRequire } from 'node:module'
import { DeclarationError } from '../../errors.ts'

/** What is used of a prepared statement, in node:sqlite, better-sqlite3 and @photostructure/sqlite alike. */
export interface SqliteStatement {
  /** In better-sqlite3: whether it gives rows. */
  readonly reader?: boolean
  get (...parameters: readonly unknown[]): unknown
  all (...parameters: readonly unknown[]): unknown[]
  run (...parameters: readonly unknown[]): { readonly changes: number | bigint }
}

/** What is used of an open database. */
export interface SqliteDriver {
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
