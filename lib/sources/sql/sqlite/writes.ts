import type { RowChange } from '../../../declare/source.ts'
import { quoteName, type TableName } from '../table-name.ts'
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
  const isReplaced = isView || hasTrigger(found, ignoring, driver)
  const replaced = isReplaced ? new Set(all.filter(change => !refused.has(change))) : none
  const mayVanish = isView || hasTrigger(found, deleting, driver)
  if (generated.size === 0 && refused.size === 0 && replaced.size === 0 && !mayVanish) return undefined
  const hasInsteadOf = isView && replaced.size > 0
  return { refused, replaced, mayVanish, generated, hasInsteadOf, mayRepeatKeys: isView }
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

/** A trigger that may have SQLite ignore a change: `raise(ignore)`. */
const ignoring = '%raise%ignore%'
/** A trigger that may delete a row after it was inserted. */
const deleting = '%after%insert%begin%delete%'

/** Returns true if the text of a trigger of the table is like the pattern. */
function hasTrigger ({ schema, name }: ListRow, pattern: string, driver: SqliteDriver): boolean {
  const triggers = [schema, 'temp'].map(one => `select sql from ${quoteName(one)}.sqlite_schema
    where type = 'trigger' and tbl_name = ?1 collate nocase and sql like ?2`)
  return driver.prepare(`${triggers.join(' union all ')} limit 1`).get(name, pattern) !== undefined
}
