import type { Collection, RelationField } from '../../model/model.ts'
import type { MemorySource } from './memory.ts'
import type { Table } from './table.ts'
import { propertyReader, valueOf } from './values.ts'

/** Returns the objects of a collection, which must have a memory source. */
export const tableOf = (collection: Collection): Table => sourceOf(collection).table

const sourceOf = (collection: Collection) => collection.source as MemorySource

/** Returns the related objects of a row, each once. */
export function relatedRows (row: object, field: RelationField): readonly object[] {
  const target = tableOf(field.target)
  const { property, type } = field.target.key
  if (field.kind === 'sub-item') return findBy(target, property, valueOf(row, field.foreignKey), type.kind)
  const own = valueOf(row, field.holder.key)
  const { link } = field
  if (link.kind === 'foreign-key') return findBy(target, link.foreignKey.property, own, link.foreignKey.type.kind)
  const joins = findBy(joinsOf(field.holder, link.through), link.foreignKey, own, field.holder.key.type.kind)
  const keys = new Set(joins.map(propertyReader(link.otherKey, type.kind)))
  return [...keys].flatMap(one => findBy(target, property, one, type.kind))
}

/** Returns the join rows with the name `through`. */
export function joinsOf (holder: Collection, through: string): Table {
  const joins = sourceOf(holder).joins.get(through)
  if (joins === undefined) throw new TypeError(`'${through}' is checked at registration`)
  return joins
}

const findBy = (table: Table, property: string, value: unknown, kind?: string) =>
  value === null ? [] : table.find(property, value, kind)
