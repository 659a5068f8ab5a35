import type { Collection, RelationField } from '../../model/model.ts'
import type { MemorySource } from './memory.ts'
import type { Table } from './table.ts'
import { type Column, columnsOf, columnsReader, keyReaderOf } from './values.ts'

/** Returns the objects of a collection, which must have a memory source. */
export const tableOf = (collection: Collection): Table => sourceOf(collection).table

const sourceOf = (collection: Collection) => collection.source as MemorySource

/** Returns the related objects of a row, each once. */
export function relatedRows (row: object, field: RelationField): readonly object[] {
  const target = tableOf(field.target)
  const key = columnsOf(field.target.key)
  if (field.kind === 'sub-item') return findBy(target, key, keyReaderOf(field.foreignKey)(row))
  const own = keyReaderOf(field.holder.key)(row)
  const { link } = field
  if (link.kind === 'foreign-key') return findBy(target, columnsOf(link.foreignKey), own)
  const joins = findBy(joinsOf(field.holder, link.through), joinColumns(link.foreignKey, field.holder), own)
  const keys = new Set(joins.map(columnsReader(joinColumns(link.otherKey, field.target))))
  return [...keys].flatMap(one => findBy(target, key, one))
}

/** Returns the properties of a join table that hold the key of a collection, as columns. */
export const joinColumns = (properties: readonly string[], { key }: Collection): readonly Column[] =>
  properties.map((property, index) => ({ property, kind: key[index]?.type.kind }))

/** Returns the join rows with the name `through`. */
export function joinsOf (holder: Collection, through: string): Table {
  const joins = sourceOf(holder).joins.get(through)
  if (joins === undefined) throw new TypeError(`'${through}' is checked at registration`)
  return joins
}

const findBy = (table: Table, columns: readonly Column[], value: unknown) =>
  value === null ? [] : table.findBy(columns, value)
