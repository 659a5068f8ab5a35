import type { TableName } from '../table-name.ts'
import { cacheByTable } from './cache-by-table.ts'
import type { SqliteDriver } from './driver.ts'

// SQLite numbers the rows of an `integer primary key` alone. Any other key of one column, such as `int primary key` or
// that of a table `without rowid`, holds null or is refused where an insert leaves it out.
const query = `
select x.name from pragma_table_list(?) as l, pragma_table_xinfo(l.name, l.schema) as x
where (? is null or l.schema = ? collate nocase) and l.type = 'table'
  and x.pk = 1 and x.hidden = 0 and x.dflt_value is null
  and (select count(*) from pragma_table_xinfo(l.name, l.schema) where pk > 0) = 1
  and (l.wr = 1 or upper(x.type) <> 'INTEGER' or exists (
    select 1 from pragma_index_list(l.name, l.schema) where origin = 'pk'))
order by case l.schema when 'temp' then 0 when 'main' then 1 else 2 end limit 1`

/**
 * Returns a function that returns the name of a table's key if it is one column that SQLite does not fill; otherwise
 * undefined.
 */
export function unnumberedKeys (driver: SqliteDriver): (table: TableName) => string | undefined {
  return cacheByTable(({ name, schema = null }) =>
    (driver.prepare(query).get(name, schema, schema) as { readonly name: string } | undefined)?.name)
}
