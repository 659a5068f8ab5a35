import { createRequire } from 'node:module'
import { driftQuery, type Mark, marksQuery } from './world.ts'

/** A driver's name, and what is used of its open databases here. */
export const driverNames = ['node:sqlite', 'better-sqlite3', '@photostructure/sqlite'] as const
export type DriverName = typeof driverNames[number]

interface Opened {
  prepare (text: string): { all (): unknown[] }
  close (): void
}

const require = createRequire(import.meta.url)

/** The drivers that are installed. */
export const installedDrivers = (): readonly DriverName[] => driverNames.filter(name => classOf(name) !== undefined)

function classOf (name: DriverName): (new (file: string) => Opened) | undefined {
  try {
    const module = require(name) as { DatabaseSync?: new (file: string) => Opened } | (new (file: string) => Opened)
    return typeof module === 'function' ? module : module.DatabaseSync
  } catch {
    return undefined
  }
}

/** What stands in a database's file, and what is wrong with the file itself. */
export interface Content { readonly marks: readonly Mark[], readonly drift: number, readonly damage: readonly string[] }

/** Reads a database with a connection of its own. */
export function inspect (file: string, driver: DriverName): Content {
  const Driver = classOf(driver)
  if (Driver === undefined) throw new Error(`${driver} is not installed`)
  const db = new Driver(file)
  try {
    const [{ drift } = { drift: 0 }] = db.prepare(driftQuery).all() as Array<{ drift: number }>
    const integrity = db.prepare('pragma integrity_check').all() as Array<{ integrity_check: string }>
    const references = db.prepare('pragma foreign_key_check').all()
    return {
      marks: db.prepare(marksQuery).all() as Mark[],
      drift,
      damage: [
        ...integrity.map(row => row.integrity_check).filter(text => text !== 'ok'),
        ...references.map(row => `a reference to nothing: ${JSON.stringify(row)}`)
      ]
    }
  } finally {
    db.close()
  }
}
