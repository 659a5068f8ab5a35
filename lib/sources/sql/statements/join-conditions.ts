import { sql } from '../load-kysely.ts'
import type { RelationField, StoredField, SubCollectionField } from '../../../model/model.ts'
import { joinTableOf, sourceOf } from '../source.ts'
import { tableId } from '../table-name.ts'
import type { Dialect, Sql } from './dialect.ts'
import { column, type TableRef } from './table.ts'

/**
 * Builds the condition that a row of `target` is related to one parent row. `parent` returns a column of that parent.
 */
export function related (
  field: RelationField, target: TableRef, parent: (field: StoredField) => Sql, { clocked }: Pick<Dialect, 'clocked'>
): Sql {
  const key = columns(target, field.target.key)
  if (field.kind === 'sub-item') return equal(key, field.foreignKey.map(parent))
  const { link } = field
  const own = field.holder.key.map(parent)
  if (link.kind === 'foreign-key') return equal(columns(target, link.foreignKey), own)
  const { table, foreignKey, otherKey } = joinedColumns(field)
  const isLinked = equal(foreignKey, own)
  // Not a join, which would give an item once for each of its links.
  return sql`${tuple(key)} in (select ${sql.join(otherKey)} from ${table} where ${clocked(isLinked)})`
}

/**
 * Builds the condition that a row of `ref` is related to one of some rows of `target`. `select` builds a query of a
 * list of columns of those rows.
 */
export function relatedToAny (
  field: RelationField, ref: TableRef, target: TableRef, select: (columns: Sql) => Sql,
  { clocked }: Pick<Dialect, 'clocked'>
): Sql {
  const keys = select(sql.join(columns(target, field.target.key)))
  if (field.kind === 'sub-item') return sql`${tuple(columns(ref, field.foreignKey))} in (${keys})`
  const { link } = field
  const own = tuple(columns(ref, field.holder.key))
  if (link.kind === 'foreign-key') return sql`${own} in (${select(sql.join(columns(target, link.foreignKey)))})`
  const { table, foreignKey, otherKey } = joinedColumns(field)
  const isLinked = clocked(sql`${tuple(otherKey)} in (${keys})`)
  return sql`${own} in (select ${sql.join(foreignKey)} from ${table} where ${isLinked})`
}

const columns = (ref: TableRef, fields: readonly StoredField[]) => fields.map(field => column(ref, field))

/** Returns the join table of a many-to-many relation, and its columns, each with the table's name. */
function joinedColumns (field: SubCollectionField) {
  const { holder, link } = field
  if (link.kind !== 'join') throw new TypeError('only a many-to-many relation has a join table')
  const { column: nameOf } = sourceOf(holder)
  const table = joinTableOf(field)
  const toColumn = (property: string) => sql`${sql.id(table.name)}.${sql.id(nameOf(property))}`
  return { table: tableId(table), foreignKey: link.foreignKey.map(toColumn), otherKey: link.otherKey.map(toColumn) }
}

/** Builds the condition that columns equal others, each the one at its place. */
const equal = (some: readonly Sql[], others: readonly Sql[]): Sql =>
  sql.join(some.map((one, index) => sql`${one} = ${others[index]}`), sql` and `)

/** Returns columns as one value, which `in` compares: a column itself, or a row of several. */
const tuple = (some: readonly Sql[]): Sql => some.length === 1 ? sql.join(some) : sql`(${sql.join(some)})`
