import { quoteName, quoteTable, type TableName } from '../table-name.ts'
import type { SqliteDriver } from './driver.ts'

/**
 * Returns the collation by which SQLite compares a column, in upper case: the code of a comparison names it, such as
 * `NOCASE-8`; no table does. Throws for a collation that the connection does not have.
 */
export function readCollation (driver: Pick<SqliteDriver, 'prepare'>, table: TableName, column: string): string {
  // The plus sign keeps SQLite from looking the value up in an index.
  const text = `explain select +${quoteName(column)} = '' from ${quoteTable(table)}`
  const steps = driver.prepare(text).all() as readonly Step[]
  // A column may be an expression that compares on its own, before the comparison with the value.
  const comparison = steps.findLast(({ opcode }) => opcode === 'Eq' || opcode === 'Ne')
  return /^\(?(\w+)/.exec(comparison?.p4 ?? '')?.[1]?.toUpperCase() ?? binary
}

/** Returns the collation of a column; undefined for one that the connection does not have. */
export function knownCollation (...about: Parameters<typeof readCollation>): string | undefined {
  try {
    return readCollation(...about)
  } catch {
    return undefined
  }
}

/** The collation that compares the bytes of texts. */
export const binary = 'BINARY'

/** A step of the code that SQLite compiles a statement to. */
interface Step { readonly opcode: string, readonly p4: string | null }
