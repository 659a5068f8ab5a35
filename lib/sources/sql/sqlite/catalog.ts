import { memoizeRecent } from '../../../memoize.ts'
import type { ColumnTypes } from '../statements/columns.ts'
import type { SqliteDriver } from './driver.ts'

// Older versions do not check what a virtual column is computed to. A name may be that of several tables, of the database and of attached ones.
const columnsQuery = `
select x.name as "column", upper(x.type) as type from pragma_table_xinfo(?) as x
where x.hidden = 0 and (select min(strict) from pragma_table_list(?)) = 1`

/**
 * The types of the columns of STRICT tables; what columns of others hold may be anything, whatever their type. A table is looked at when the first
 * statement reads it, and again only after a restart.
 */
export function strictTypes (driver: SqliteDriver): ColumnTypes {
  const typesOf = (table: string) => {
    const columns = driver.prepare(columnsQuery).all(table, table) as ReadonlyArray<{ readonly column: string, readonly type: string }>
    return new Map(columns.map(({ column, type }) => [column, type]))
  }
  return { get: memoizeRecent(typesOf, { most: mostTables }) }
}

// More than have been seen in one database.
const mostTables = 10_000
