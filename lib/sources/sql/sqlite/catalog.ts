import { memoizeRecent } from '../../../memoize.ts'
import type { ColumnTypes } from '../statements/columns.ts'
import type { SqliteDriver } from './driver.ts'

// Generated columns are left out: older versions of SQLite do not check the type of a computed value. The main database
// and attached ones may each have a table of one name; all of them must be strict.
const columnsQuery = `
select x.name as "column", upper(x.type) as type from pragma_table_xinfo(?) as x
where x.hidden = 0 and (select min(strict) from pragma_table_list(?)) = 1`

/**
 * Returns the column types of STRICT tables. The columns of other tables may hold values of any type, so they have
 * none. A table is looked up when the first statement uses it, and then cached until the process ends.
 */
export function strictTypes (driver: SqliteDriver): ColumnTypes {
  const typesOf = (table: string) => {
    const columns = driver.prepare(columnsQuery).all(table, table) as readonly ColumnRow[]
    return new Map(columns.map(({ column, type }) => [column, type]))
  }
  return { get: memoizeRecent(typesOf, { most: mostTables }) }
}

interface ColumnRow { readonly column: string, readonly type: string }

// More tables than any known database has.
const mostTables = 10_000
