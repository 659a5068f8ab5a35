import type { RowChange } from '../../../declare/source.ts'
import type { TableName } from '../table-name.ts'
import type { FindWrites, TableWrites } from '../table-writes.ts'
import { cacheByTable } from './cache-by-table.ts'
import { compileError, isRefused } from './compiled-changes.ts'
import type { SqliteDriver } from './driver.ts'

/**
 * Returns a function that tells about the writes of tables. A table is looked up at its first write, and then cached
 * until a migration.
 */
export function tableWrites (driver: SqliteDriver): FindWrites {
  const find = cacheByTable(table => readWrites(table, driver))
  return table => {
    try {
      return find(table)
    } catch {
      // The statement of the write has the same fault, and tells it better.
      return undefined
    }
  }
}

const tableQuery = `
select l.schema, l.name, l.type from pragma_table_list(?) as l where ? is null or l.schema = ? collate nocase
order by case l.schema when 'temp' then 0 when 'main' then 1 else 2 end limit 1`
const columnsQuery = 'select name, hidden from pragma_table_xinfo(?, ?)'

interface ListRow { readonly schema: string, readonly name: string, readonly type: string }
interface ColumnRow { readonly name: string, readonly hidden: number }

function readWrites ({ schema, name }: TableName, driver: SqliteDriver): TableWrites | undefined {
  const asked = schema ?? null
  const found = driver.prepare(tableQuery).get(name, asked, asked) as ListRow | undefined
  if (found === undefined) return undefined
  const columns = driver.prepare(columnsQuery).all(found.name, found.schema) as readonly ColumnRow[]
  // Stored and virtual generated columns have 2 and 3.
  const generated = new Set(columns.filter(({ hidden }) => hidden > 1).map(column => column.name))
  const refused = found.type === 'table' ? none : refusedBy(found, columns, driver)
  const isView = found.type === 'view'
  const replaced = isView ? new Set(all.filter(change => !refused.has(change))) : none
  if (generated.size === 0 && refused.size === 0 && !isView) return undefined
  return { refused, replaced, generated, hasInsteadOf: replaced.size > 0, mayRepeatKeys: isView }
}

const all: readonly RowChange[] = ['insert', 'update', 'delete']
const none: ReadonlySet<RowChange> = new Set()

/** Returns the changes that a view has no trigger for, or the module of a virtual table no method. */
function refusedBy (
  table: ListRow, [column]: readonly ColumnRow[], driver: SqliteDriver
): ReadonlySet<RowChange> {
  const columns = [column?.name ?? '']
  return new Set(all.filter(change => {
    const error = compileError({ change, table, columns }, driver)
    return error !== undefined && isRefused(error)
  }))
}
