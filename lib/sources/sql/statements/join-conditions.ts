import { sql } from 'kysely'
import type { RelationField, StoredField } from '../../../model/model.ts'
import type { Sql } from './dialect.ts'
import { sourceOf } from '../source.ts'
import { column, type TableRef } from './table.ts'

/** The condition under which a row of the target belongs to the parent, of whom `parent` gives a column. */
export function related (field: RelationField, target: TableRef, parent: (field: StoredField) => Sql): Sql {
  const key = column(target, field.target.key)
  if (field.kind === 'sub-item') return sql`${key} = ${parent(field.foreignKey)}`
  const { link } = field
  const own = parent(field.holder.key)
  if (link.kind === 'foreign-key') return sql`${column(target, link.foreignKey)} = ${own}`
  const { column: nameOf } = sourceOf(field.holder)
  const join = sql.id(link.through)
  // Not a join: each item once, however often it is linked.
  return sql`${key} in (select ${join}.${sql.id(nameOf(link.otherKey))} from ${join} where ${join}.${sql.id(nameOf(link.foreignKey))} = ${own})`
}

/** The condition under which a row belongs to some of the target's rows, of which `far` selects a column. */
export function relatedToAny (field: RelationField, use: TableRef, target: TableRef, far: (column: Sql) => Sql): Sql {
  const key = column(target, field.target.key)
  if (field.kind === 'sub-item') return sql`${column(use, field.foreignKey)} in (${far(key)})`
  const { link } = field
  const own = column(use, field.holder.key)
  if (link.kind === 'foreign-key') return sql`${own} in (${far(column(target, link.foreignKey))})`
  const { column: nameOf } = sourceOf(field.holder)
  const join = sql.id(link.through)
  return sql`${own} in (select ${join}.${sql.id(nameOf(link.foreignKey))} from ${join} where ${join}.${sql.id(nameOf(link.otherKey))} in (${far(key)}))`
}
