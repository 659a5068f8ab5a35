import { sql } from '../load-kysely.ts'
import type { RelationField, StoredField } from '../../../model/model.ts'
import { joinTableOf, sourceOf } from '../source.ts'
import { tableId } from '../table-name.ts'
import type { Sql } from './dialect.ts'
import { column, type TableRef } from './table.ts'

/**
 * Builds the condition that a row of `target` is related to one parent row. `parent` returns a column of that parent.
 */
export function related (field: RelationField, target: TableRef, parent: (field: StoredField) => Sql): Sql {
  const key = column(target, field.target.key)
  if (field.kind === 'sub-item') return sql`${key} = ${parent(field.foreignKey)}`
  const { link } = field
  const own = parent(field.holder.key)
  if (link.kind === 'foreign-key') return sql`${column(target, link.foreignKey)} = ${own}`
  const { column: nameOf } = sourceOf(field.holder)
  const table = joinTableOf(field)
  const join = sql.id(table.name)
  const otherKey = sql`${join}.${sql.id(nameOf(link.otherKey))}`
  const isLinked = sql`${join}.${sql.id(nameOf(link.foreignKey))} = ${own}`
  // Not a join, which would give an item once for each of its links.
  return sql`${key} in (select ${otherKey} from ${tableId(table)} where ${isLinked})`
}

/**
 * Builds the condition that a row of `ref` is related to one of some rows of `target`. `select` builds a query of one
 * column of those rows.
 */
export function relatedToAny (
  field: RelationField, ref: TableRef, target: TableRef, select: (column: Sql) => Sql
): Sql {
  const key = column(target, field.target.key)
  if (field.kind === 'sub-item') return sql`${column(ref, field.foreignKey)} in (${select(key)})`
  const { link } = field
  const own = column(ref, field.holder.key)
  if (link.kind === 'foreign-key') return sql`${own} in (${select(column(target, link.foreignKey))})`
  const { column: nameOf } = sourceOf(field.holder)
  const table = joinTableOf(field)
  const join = sql.id(table.name)
  const isLinked = sql`${join}.${sql.id(nameOf(link.otherKey))} in (${select(key)})`
  return sql`${own} in (select ${join}.${sql.id(nameOf(link.foreignKey))} from ${tableId(table)} where ${isLinked})`
}
