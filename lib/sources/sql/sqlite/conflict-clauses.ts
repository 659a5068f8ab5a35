import { quoteName, type TableName } from '../table-name.ts'
import { cacheByTable } from './cache-by-table.ts'
import type { SqliteDriver } from './driver.ts'

const query = `
select l.schema, l.name from pragma_table_list(?) as l where (? is null or l.schema = ? collate nocase)
order by case l.schema when 'temp' then 0 when 'main' then 1 else 2 end limit 1`

/**
 * Returns a function that returns true for a table with a constraint such as `unique on conflict replace`, by which a
 * duplicate would delete another item, or be dropped without an error.
 */
export function conflictClauses (driver: SqliteDriver): (table: TableName) => boolean {
  return cacheByTable(table => /\bon\s+conflict\b/i.test(readDefinition(driver, table)))
}

/** Returns the statement that made a table; an empty string if there is none. */
function readDefinition (driver: SqliteDriver, table: TableName): string {
  const asked = table.schema ?? null
  const found = driver.prepare(query).get(table.name, asked, asked) as Place | undefined
  if (found === undefined) return ''
  const place = `${quoteName(found.schema)}.sqlite_schema`
  const made = driver.prepare(`select sql from ${place} where type = 'table' and name = ?`).get(found.name)
  return (made as { readonly sql: string } | undefined)?.sql ?? ''
}

interface Place { readonly schema: string, readonly name: string }
