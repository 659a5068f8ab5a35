import { isFilled, mayFill } from '../../model/filled.ts'
import type { Collection, StoredField, SubCollectionField } from '../../model/model.ts'
import { joinTableOf, sourceOf, tableOf } from './source.ts'
import type { TableName } from './table-name.ts'

// What declarations need of tables: check/ looks for it in those that are there, design/ makes tables that have it.

const isMemory = ({ source }: Collection) => source.database.kind === 'memory'

/** Returns the name of a collection's table. The objects of memory() have none, so theirs is that of the collection. */
export const tableFor = (collection: Collection): TableName =>
  isMemory(collection) ? { schema: undefined, name: collection.property } : tableOf(collection)

export const columnFor = (collection: Collection, property: string): string =>
  isMemory(collection) ? property : sourceOf(collection).column(property)

/** Returns true for a field of new items that neither clients nor the application fill: its column is to do so. */
export const isLeftToColumn = (field: StoredField, collection: Collection): boolean =>
  !mayFill(collection) && !isFilled(field, collection)

/** Fields whose values no two items share, with the collection that has them. */
interface Distinct { readonly collection: Collection, readonly fields: readonly StoredField[] }

/** Returns what must be unique in the table of collections: their keys, then other identifiers, then their lists. */
export function distinctIn (collections: readonly Collection[]): readonly Distinct[] {
  const listsIn = (listsOf: (collection: Collection) => ReadonlyArray<readonly StoredField[]>) =>
    collections.flatMap(collection => listsOf(collection).map(fields => ({ collection, fields })))
  return [
    ...listsIn(({ key }) => [key]),
    ...listsIn(({ key, stored }) =>
      stored.filter(field => field.identifier && !(key.length === 1 && key[0] === field)).map(field => [field])),
    ...listsIn(({ unique }) => unique)
  ]
}

/** One of the two foreign keys of a join table, by the option that names it. */
export interface JoinSide {
  readonly option: 'foreignKey' | 'otherKey'
  /** The collection to whose key it refers. */
  readonly target: Collection
  /** `key`: the field of that key; undefined where the relation names more columns than the key has. */
  readonly columns: ReadonlyArray<{ readonly name: string, readonly key: StoredField | undefined }>
}

/** The table of a many-to-many relation, as its declaration means it. */
interface JoinNeeds { readonly table: TableName, readonly sides: readonly JoinSide[] }

export function joinNeeds (field: SubCollectionField): JoinNeeds {
  const { link, holder, target } = field
  const sideOf = (option: JoinSide['option'], properties: readonly string[], of: Collection): JoinSide => ({
    option,
    target: of,
    columns: properties.map((property, place) => ({ name: columnFor(holder, property), key: of.key[place] }))
  })
  return {
    table: joinTableOf(field),
    sides: link.kind === 'join'
      ? [sideOf('foreignKey', link.foreignKey, holder), sideOf('otherKey', link.otherKey, target)]
      : []
  }
}
