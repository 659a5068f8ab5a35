import type { Omission, Table } from './tables.ts'

/**
 * Returns the tables of SQLite without the foreign keys whose columns have another collation than those that they refer
 * to, and notes them: such a relation would have other items from one side than from the other.
 */
export function withoutOtherCollations (
  tables: readonly Table[], notes: Omission[]
): readonly Table[] {
  const byName = new Map(tables.map(table => [table.name.toLowerCase(), table]))
  return tables.map(table => {
    const foreignKeys = table.foreignKeys.filter(({ columns, target, targetColumns }) => {
      const other = byName.get(target.name.toLowerCase())
      const names = targetColumns.length > 0 ? targetColumns : other?.primaryKey
      const isLike = other === undefined || columns.every((column, index) =>
        collationOf(table, column) === collationOf(other, names?.[index] ?? column))
      const reason = `the relation to ${target.name} is left out: its texts have another collation than the key`
      if (!isLike) notes.push({ place: `${table.name}.${columns.join(', ')}`, reason })
      return isLike
    })
    return { ...table, foreignKeys }
  })
}

/** Returns undefined for a column that is not there, or whose collation the connection does not have. */
const collationOf = ({ columns }: Table, name: string) =>
  columns.find(column => column.name.toLowerCase() === name.toLowerCase())?.collation
