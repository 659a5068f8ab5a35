import type { TableName } from '../table-name.ts'
import { cacheByTable } from './cache-by-table.ts'
import type { SqliteDriver } from './driver.ts'

// Without a schema, the table may be in any of the databases. A view, a virtual table and a table `without rowid` have
// no row numbers, or none that can be relied on, and a column may have taken their name.
const query = `
select count(*) > 0 and min(l.type = 'table' and l.wr = 0 and not exists (
  select 1 from pragma_table_xinfo(l.name, l.schema) as x where x.name = '_rowid_' collate nocase)) as numbered
from pragma_table_list(?) as l where ? is null or l.schema = ? collate nocase`

/**
 * Returns a function that returns true for a table whose rows have the number `_rowid_`. A table is looked up when the
 * first statement uses it.
 */
export function rowNumbers (driver: SqliteDriver): (table: TableName) => boolean {
  return cacheByTable(({ name, schema = null }) => {
    const found = driver.prepare(query).get(name, schema, schema) as { readonly numbered: number } | undefined
    return found?.numbered === 1
  })
}
