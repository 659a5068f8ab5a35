import type { RowValues } from '../statements/compiled-read.ts'
import type { PreparedRead } from '../statements/statements.ts'
import type { Clock } from './clock.ts'
import type { ArrayStatement, SqliteDriver } from './driver.ts'
import { isTooBig, TooLong } from './faults.ts'

/** The parts of a connection that run its reads. `prepare`: returns a statement that gives rows as arrays. */
export interface Reading {
  readonly driver: SqliteDriver
  readonly clock: Clock
  prepare (text: string): ArrayStatement
}

/** A statement that reads, as it is sent to a thread. */
export type Sent = Pick<PreparedRead<unknown>, 'text' | 'parameters' | 'cardinality' | 'longest' | 'longValues'>

/**
 * Runs a read for at most that many milliseconds and returns its rows. Throws Overdue, TooLong if they are too long for
 * the answer, or the driver's error.
 *
 * SQLite itself limits the length of one value, with drivers that tell it so. Rows of a page are held to a length that
 * all of them may have; if one is longer, they are read one by one, and counted.
 */
export function readRows ({ driver, clock, prepare }: Reading, read: Sent, limit: number): readonly RowValues[] {
  const { text, parameters, cardinality, longest, longValues } = read
  const statement = prepare(text)
  // An index finds the row of an item, so no clock is needed.
  if (cardinality === 'item') return only(statement.get(...parameters))
  const most = mostBytes(longest)
  const each = Math.floor(most / longValues)
  return clock.within(limit, () => {
    const run = () => cardinality === 'row' ? only(statement.get(...parameters)) : statement.all(...parameters)
    if (longest === Infinity) return run()
    try {
      if (driver.limits !== undefined && each >= leastBytes) return limited(driver.limits, each, run)
      if (cardinality === 'row') return run()
    } catch (error) {
      if (!isTooBig(error)) throw error
      if (cardinality === 'row') throw new TooLong(longest, error)
    }
    return countedRows(statement, read, most)
  })
}

const only = (row: RowValues | undefined) => row === undefined ? [] : [row]

/** A character has up to three bytes, but few texts have so many. Values that are only compared may be longer. */
const mostBytes = (longest: number) => 2 * longest + 2_000_000

/** Of a page without end, or with very many rows, one row would be too long. */
const leastBytes = 256

function limited<T> (limits: { length: number }, most: number, run: () => T): T {
  const before = limits.length
  if (most >= before) return run()
  limits.length = most
  try {
    return run()
  } finally {
    limits.length = before
  }
}

function countedRows (statement: ArrayStatement, { parameters, longest }: Sent, most: number): readonly RowValues[] {
  const rows: RowValues[] = []
  let length = 0
  for (const row of statement.iterate(...parameters)) {
    for (const value of row) if (typeof value === 'string' || value instanceof Uint8Array) length += value.length
    if (length > most) throw new TooLong(longest)
    rows.push(row)
  }
  return rows
}
