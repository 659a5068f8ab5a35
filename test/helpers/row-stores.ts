import type { Rows } from '../../lib/sources/memory/table.ts'

/** A store of each kind that memory() accepts. It is empty at first. */
export const openStore: Readonly<Record<'array' | 'Map', () => Store>> = { array: openArray, Map: openMap }

/** A row of these stores. */
export interface Row { id: number | null, group: string | null }

/** Rows as an application holds them, and how it changes them. */
export interface Store {
  readonly rows: Rows
  list (): Row[]
  append (row: Row): void
  removeAt (position: number): void
  replaceAt (position: number, row: Row): void
}

function openArray (): Store {
  const rows: Row[] = []
  return {
    rows,
    list: () => [...rows],
    append (row) { rows.push(row) },
    removeAt (position) { rows.splice(position, 1) },
    replaceAt (position, row) { rows[position] = row }
  }
}

function openMap (): Store {
  const rows = new Map<unknown, Row>()
  const keys: unknown[] = [NaN]
  const keyAt = (position: number) => [...rows.keys()][position]
  return {
    rows,
    list: () => [...rows.values()],
    append (row) { rows.set(keys.pop() ?? {}, row) },
    removeAt (position) { rows.delete(keyAt(position)) },
    replaceAt (position, row) { rows.set(keyAt(position), row) }
  }
}
