import { knownCollation } from '../sources/sql/sqlite/collation.ts'
import type { SqliteDriver } from '../sources/sql/sqlite/driver.ts'
import type { Omission, Table } from './tables.ts'

/**
 * Returns the tables of SQLite without the foreign keys whose columns have another collation than those that they refer
 * to, and notes them: such a relation would have other items from one side than from the other.
 */
export function withoutOtherCollations (
  driver: SqliteDriver, tables: readonly Table[], notes: Omission[]
): readonly Table[] {
  if (!hasCollations(driver)) return tables
  const byName = new Map(tables.map(table => [table.name.toLowerCase(), table]))
  return tables.map(table => {
    const foreignKeys = table.foreignKeys.filter(({ columns, target, targetColumns }) => {
      const other = byName.get(target.name.toLowerCase())
      const names = targetColumns.length > 0 ? targetColumns : other?.primaryKey
      const isLike = other === undefined || columns.every((column, index) =>
        collationOf(driver, table, column) === collationOf(driver, other, names?.[index] ?? column))
      const reason = `the relation to ${target.name} is left out: its texts have another collation than the key`
      if (!isLike) notes.push({ place: `${table.name}.${columns.join(', ')}`, reason })
      return isLike
    })
    return { ...table, foreignKeys }
  })
}

function hasCollations (driver: SqliteDriver): boolean {
  const text = "select count(*) as count from main.sqlite_schema where type = 'table' and sql like '%collate%'"
  return (driver.prepare(text).get() as { readonly count: number }).count > 0
}

/** Returns undefined for a column that is not there, or whose collation the connection does not have. */
const collationOf = (driver: SqliteDriver, { name }: Table, column: string) =>
  knownCollation(driver, { schema: 'main', name }, column)
