import { sql } from 'kysely'
import type { RelationField, StoredField } from '../../../model/model.ts'
import { sourceOf } from '../source.ts'
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
  const join = sql.id(link.through)
  const otherKey = sql`${join}.${sql.id(nameOf(link.otherKey))}`
  // Not a join, which would give an item once for each of its links.
  return sql`${key} in (select ${otherKey} from ${join} where ${join}.${sql.id(nameOf(link.foreignKey))} = ${own})`
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
  const join = sql.id(link.through)
  const isLinked = sql`${join}.${sql.id(nameOf(link.otherKey))} in (${select(key)})`
  return sql`${own} in (select ${join}.${sql.id(nameOf(link.foreignKey))} from ${join} where ${isLinked})`
}
