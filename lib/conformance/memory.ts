import { memory } from '../sources/memory/memory.ts'
import type { Opened } from './serve.ts'
import type { Table } from './table.ts'

/** Opens the tables as memory() sources over objects: the reference with which every other source is compared. */
export function openMemory (tables: readonly Table[]): Opened {
  const rows = Object.fromEntries(tables.map(table => [table.name, table.rows.map(row => toObject(row, table))]))
  return { source: name => memory(rows[name] ?? [], { joins: rows }), close () {} }
}

const toObject = (row: Readonly<Record<string, unknown>>, { columns }: Table) =>
  Object.fromEntries(columns.map(({ name, property }) => [property, structuredClone(row[name])]))
