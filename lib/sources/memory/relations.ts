import { memoize } from '../../memoize.ts'
import type { Collection, RelationField } from '../../model/model.ts'
import { tick } from './clock.ts'
import type { MemorySource } from './memory.ts'
import { flatMapEach, inTurn, leaving, resumed } from './suspension.ts'
import type { Table } from './table.ts'
import { type Column, columnsOf, columnsReader, keyReaderOf, type Reader } from './values.ts'

/** Returns the objects of a collection, which must have a memory source. */
export const tableOf = (collection: Collection): Table => sourceOf(collection).table

const sourceOf = (collection: Collection) => collection.source as MemorySource

/** Finds the related objects of a row, each once. Can be suspended. */
export type Related = (row: object) => readonly object[]

/** Returns the function that follows a relation. */
export const relatedOf = memoize((field: RelationField): Related => {
  const target = tableOf(field.target)
  const key = columnsOf(field.target.key)
  if (field.kind === 'sub-item') return finder(target, key, keyReaderOf(field.foreignKey))
  const own = keyReaderOf(field.holder.key)
  const { link } = field
  if (link.kind === 'foreign-key') return manyFinder(target, columnsOf(link.foreignKey), own)
  const joinsOfRow = manyFinder(joinsOf(field.holder, link.through), joinColumns(link.foreignKey, field.holder), own)
  const readOther = columnsReader(joinColumns(link.otherKey, field.target))
  return row => inTurn(() => valuesOf(() => joinsOfRow(row), readOther), others => flatMapEach(others, one => {
    tick()
    return findBy(target, key, one)
  }))
})

/** Returns the values that `read` reads of rows, each once. `listOf` is called once, and can be suspended. */
function valuesOf (listOf: () => readonly object[], read: Reader): readonly unknown[] {
  let { list, index, values } = resumed<Values>() ?? { list: undefined, index: 0, values: new Set<unknown>() }
  try {
    list ??= listOf()
    for (; index < list.length; index++) {
      tick()
      values.add(read(list[index] as object))
    }
    return [...values]
  } catch (error) {
    throw leaving(error, { list, index, values })
  }
}

interface Values { readonly list: readonly object[] | undefined, readonly index: number, readonly values: Set<unknown> }

export const relatedRows = (row: object, field: RelationField): readonly object[] => relatedOf(field)(row)

/** Returns a function that finds the rows of a table whose columns have the value that it reads from a row. */
const finder = (table: Table, columns: readonly Column[], read: Reader): Related =>
  row => findBy(table, columns, read(row))

/** As finder(), for values that many rows have. */
const manyFinder = (table: Table, columns: readonly Column[], read: Reader): Related => row => {
  const value = read(row)
  return value === null ? [] : table.findMany(columns, value)
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
