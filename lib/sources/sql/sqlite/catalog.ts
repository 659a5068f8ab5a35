import type { ColumnTypes } from '../statements/columns.ts'
import type { TableName } from '../table-name.ts'
import { cacheByTable } from './cache-by-table.ts'
import { binary, readCollation } from './collation.ts'
import type { SqliteDriver } from './driver.ts'
import { spacedType } from './moments.ts'

// Older versions of SQLite do not check the type of a generated column, even in a STRICT table. The main database and
// attached ones may each have a table of one name; without a schema, all of them must be strict.
const columns = 'x.name as "column", x.type as type, x.dflt_value as "default", x.hidden = 0'
// The number of a row, which only a primary key that needs no index of its own can be.
const rowNumber = "x.pk = 1 and upper(x.type) = 'INTEGER' and not exists (select 1 from"
const columnsQuery = `
select ${columns} and (select min(strict) from pragma_table_list(?)) = 1 as strict,
  ${rowNumber} pragma_index_list(?) where origin = 'pk') as "number" from pragma_table_xinfo(?) as x`
const columnsInSchemaQuery = `
select ${columns} and (select min(strict) from pragma_table_list(?) where schema = ? collate nocase) = 1 as strict,
  ${rowNumber} pragma_index_list(?, ?) where origin = 'pk') as "number"
from pragma_table_xinfo(?, ?) as x`

/**
 * Returns the types of columns: in upper case those of STRICT tables and of row numbers, which hold no values of other
 * types, and in lower case the affinities of all others, which prefer values of a type. The type of texts that are not
 * compared by their bytes is `text collate`. A table is looked up when the first statement uses it.
 */
export function columnTypes (driver: SqliteDriver): ColumnTypes {
  return { get: cacheByTable(table => typesOf(table, driver)) }
}

function typesOf ({ schema, name }: TableName, driver: SqliteDriver): ReadonlyMap<string, string> {
  const parameters = schema === undefined ? [name] : [name, schema]
  const query = schema === undefined ? columnsQuery : columnsInSchemaQuery
  const rows = driver.prepare(query).all(...parameters, ...parameters, ...parameters) as readonly ColumnRow[]
  const isCollated = (column: string) => collationOf(driver, { schema, name }, column) !== binary
  return new Map(rows.map(row => {
    const type = typeOf(row)
    return [row.column, /^text$/i.test(type) && isCollated(row.column) ? `${type} collate` : type]
  }))
}

/** Returns undefined for a collation that the connection does not have, by which it compares nothing. */
function collationOf (driver: SqliteDriver, table: TableName, column: string): string | undefined {
  try {
    return readCollation(driver, table, column)
  } catch {
    return undefined
  }
}

interface ColumnRow {
  readonly column: string
  readonly type: string
  readonly default: string | null
  readonly strict: number
  readonly number: number
}

function typeOf ({ type, default: expression, strict, number }: ColumnRow): string {
  if (number === 1) return 'INTEGER'
  const affinity = affinityOf(type.toUpperCase())
  if (affinity === 'text' && /current_timestamp|datetime *\(/i.test(expression ?? '')) return spacedType
  return strict === 1 ? type.toUpperCase() : affinity
}

/** Returns the affinity of a declared type (sqlite.org/datatype3.html, 3.1). */
function affinityOf (type: string): string {
  if (type.includes('INT')) return 'integer'
  if (/CHAR|CLOB|TEXT/.test(type)) return 'text'
  if (type === '' || type.includes('BLOB')) return 'blob'
  return /REAL|FLOA|DOUB/.test(type) ? 'real' : 'numeric'
}
