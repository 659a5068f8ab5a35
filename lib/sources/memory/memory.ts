import { DeclarationError } from '../../errors.ts'
import type { Database, Source } from '../source.ts'
import { readInBatches, runRead } from './read.ts'
import { makeTable, type Rows, type Table } from './table.ts'

/** A source over objects that the application holds. */
export interface MemorySource extends Source {
  readonly table: Table
  readonly joins: ReadonlyMap<string, Table>
  /**
   * Forgets the indexes. Items are found by index, which sees when rows are added or removed at the end, when their number changes, and when an item
   * that it finds has another value by now. Call this after an identifier or foreign key was changed in place or by replacing an object, and after as
   * many items went from a Map as came to it.
   */
  refresh (): void
}

export interface MemoryOptions {
  /** The join rows of many-to-many relations, by the name that `through` gives: objects with the properties `foreignKey` and `otherKey`. */
  joins?: Record<string, Rows>
}

/** All memory sources are of one database, so that relations lead from any to any. */
const database: Database = { kind: 'memory', read: runRead, readBatches: readInBatches }

/**
 * Serves an array or Map of the application's own objects. An item is found by an identifier in constant time; filters and sorts look at every item.
 * Throws a DeclarationError for anything else.
 */
export function memory (rows: Rows, options: MemoryOptions = {}): MemorySource {
  if (!isObject(options) || !(options.joins === undefined || isObject(options.joins))) throw new DeclarationError('memory(rows, { joins }): expected an object of join rows by name')
  const { joins = {} } = options
  const table = tableOf(rows, 'memory(rows)')
  const joinTables = new Map(Object.entries(joins).map(([name, join]) => [name, tableOf(join, `memory(rows, { joins: { ${name} } })`)]))
  return {
    database,
    table,
    joins: joinTables,
    joinNames: new Set(joinTables.keys()),
    refresh () { for (const one of [table, ...joinTables.values()]) one.refresh() }
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null

function tableOf (rows: Rows, place: string): Table {
  if (!Array.isArray(rows) && !(rows instanceof Map)) throw new DeclarationError(`${place}: expected an array or a Map of objects`)
  return makeTable(rows)
}
