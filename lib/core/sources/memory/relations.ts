import { hasConstants } from '../../model/relations.ts'
import type { Collection, CollectionReference, RelationField } from '../../model/model.ts'
import type { MemorySource } from './memory.ts'
import type { MemoryTable } from './table.ts'
import { type Tick, untimed } from './tick.ts'
import { type RowProperty, columnsOf, comparedKey, readerOf, valuesReader } from './values.ts'

const sourceOf = (collection: Collection) => collection.source as MemorySource

/** Returns the objects of a collection, which must have a memory source. */
export const memoryTable = (collection: Collection): MemoryTable => sourceOf(collection).table

/** Finds the related objects of a row, each once. */
type Related = (row: object) => readonly object[]

export function relatedOf (field: RelationField, tick: Tick): Related {
  const find = finderOf(field)
  return row => {
    const found = find(row)
    tick(1 + found.length)
    return found
  }
}

export const relatedRows = (row: object, field: RelationField): readonly object[] => relatedOf(field, untimed)(row)

/** Returns the test of the objects whose foreign key refers to an item of the target. */
const refersBy = (reference: Pick<CollectionReference, 'constants'>) => (row: object): boolean =>
  hasConstants(reference, field => readerOf(field)(row))

function finderOf (field: RelationField): Related {
  const { target } = field
  const targetKey = columnsOf(target.key)
  const byKey = memoryTable(target).finder(targetKey)
  if (field.kind === 'sub-item') {
    const read = valuesReader(columnsOf(field.foreignKey))
    const refers = refersBy(field)
    return row => refers(row) ? byKey(read(row)) : []
  }
  const { link, holder } = field
  const readKey = valuesReader(columnsOf(holder.key))
  if (link.kind === 'foreign-key') {
    const byForeignKey = memoryTable(target).finder(columnsOf(link.foreignKey))
    if (field.constants.length === 0) return row => byForeignKey(readKey(row))
    const refers = refersBy(field)
    return row => byForeignKey(readKey(row)).filter(refers)
  }
  const joinsByKey = rowsOfJoin(holder, link.through).finder(joinColumns(link.foreignKey, holder))
  const readOther = valuesReader(joinColumns(link.otherKey, target))
  return row => {
    const others = joinsByKey(readKey(row)).map(readOther)
    // Two join rows may link the same items.
    return [...new Map(others.map(values => [comparedKey(targetKey, values), values])).values()].flatMap(byKey)
  }
}

/** Returns the properties of a join table that hold the key of a collection, as columns. */
export const joinColumns = (properties: readonly string[], { key }: Collection): readonly RowProperty[] =>
  properties.map((property, index) => ({ property, kind: key[index]?.type.kind }))

export function rowsOfJoin (holder: Collection, through: string): MemoryTable {
  const joins = sourceOf(holder).joins.get(through)
  if (joins === undefined) throw new TypeError(`'${through}' is checked at registration`)
  return joins
}
