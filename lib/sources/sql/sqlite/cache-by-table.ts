import { LruMap } from 'toad-cache'
import { keyOfTable, type TableName } from '../table-name.ts'

/** Caches what a function finds about a table, until a migration (follow-schema.ts). What it throws is not cached. */
export function cacheByTable<Found> (find: (table: TableName) => Found): (table: TableName) => Found {
  const cache = new LruMap<{ readonly found: Found }>(mostTables)
  return table => {
    const key = keyOfTable(table)
    const cached = cache.get(key)
    if (cached !== undefined) return cached.found
    const found = find(table)
    cache.set(key, { found })
    return found
  }
}

// More tables than any known database has.
const mostTables = 10_000
