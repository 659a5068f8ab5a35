import { LruMap } from 'toad-cache'
import type { ColumnTypes } from '../statements/columns.ts'
import { keyOfTable, type TableName } from '../table-name.ts'
import type { SqliteDriver } from './driver.ts'

// Generated columns are left out: older versions of SQLite do not check the type of a computed value. The main database
// and attached ones may each have a table of one name; without a schema, all of them must be strict.
const columnsQuery = `
select x.name as "column", upper(x.type) as type from pragma_table_xinfo(?) as x
where x.hidden = 0 and (select min(strict) from pragma_table_list(?)) = 1`
const columnsInSchemaQuery = `
select x.name as "column", upper(x.type) as type from pragma_table_xinfo(?, ?) as x
where x.hidden = 0 and (select min(strict) from pragma_table_list(?) where schema = ? collate nocase) = 1`

/**
 * Returns the column types of STRICT tables. The columns of other tables may hold values of any type, so they have
 * none. A table is looked up when the first statement uses it, and then cached until the process ends.
 */
export function strictTypes (driver: SqliteDriver): ColumnTypes {
  const cache = new LruMap<ReadonlyMap<string, string>>(mostTables)
  return {
    get (table) {
      const key = keyOfTable(table)
      const types = cache.get(key) ?? typesOf(table, driver)
      cache.set(key, types)
      return types
    }
  }
}

function typesOf ({ schema, name }: TableName, driver: SqliteDriver): ReadonlyMap<string, string> {
  const parameters = schema === undefined ? [name] : [name, schema]
  const query = schema === undefined ? columnsQuery : columnsInSchemaQuery
  const columns = driver.prepare(query).all(...parameters, ...parameters)
  return new Map((columns as readonly ColumnRow[]).map(({ column, type }) => [column, type]))
}

interface ColumnRow { readonly column: string, readonly type: string }

// More tables than any known database has.
const mostTables = 10_000
