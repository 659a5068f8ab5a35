import { singleKey } from '../../../model/identifiers.ts'
import type { Collection, CollectionReference, StoredField, SubCollectionField } from '../../../model/model.ts'
import { referencesOf } from '../../../model/relations.ts'
import type { ValueKind } from '../../../model/kinds.ts'
import {
  type CatalogColumn, type CatalogForeignKey, type CatalogTable, type Engine, plainColumn
} from '../catalog.ts'
import { typeRules } from '../check/type-rules.ts'
import { columnFor, distinctIn, joinNeeds, type JoinSide, tableFor } from '../needs.ts'
import { joinsOf, joinTableOf } from '../source.ts'
import { keyOfTable, quoteName } from '../table-name.ts'
import { checksOf, defaultOf, needsValue } from './values.ts'

/** A table that declarations need, as its database will describe it, and what a catalog does not tell. */
export interface DesignedTable {
  readonly table: CatalogTable
  /** The conditions of the values of columns, by their names. */
  readonly checks: ReadonlyMap<string, readonly string[]>
  readonly indexes: readonly DesignedIndex[]
  /** What the declarations leave open, as sentences. */
  readonly remarks: readonly string[]
}

type Columns = readonly string[]

/** An index that begins with the columns of `lead`, which its name is made of. */
interface DesignedIndex { readonly lead: Columns, readonly columns: Columns }

/** Returns the tables of collections, then their join tables, in the order in which they are declared. */
export function designTables (collections: readonly Collection[], engine: Engine): readonly DesignedTable[] {
  const tables = groupBy(collections, collection => keyOfTable(tableFor(collection)))
  const joins = groupBy(collections.flatMap(joinsOf), field => keyOfTable(joinTableOf(field)))
  return [
    ...[...tables.values()].map(own => designTable(own, engine)),
    // One that is a collection as well has its columns from that.
    ...[...joins].filter(([name]) => !tables.has(name)).map(([, [field]]) => designJoin(field, engine))
  ]
}

type Several<T> = readonly [T, ...T[]]

function groupBy<T> (items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, Several<T>> {
  const groups = new Map<string, [T, ...T[]]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

const columnsOf = (collection: Collection, fields: ReadonlyArray<Pick<StoredField, 'property'>>): Columns =>
  fields.map(({ property }) => columnFor(collection, property))

interface Owned { readonly field: StoredField, readonly collection: Collection }

/** Returns the table that collections share. */
function designTable (collections: Several<Collection>, engine: Engine): DesignedTable {
  const [first] = collections
  const fields = collections.flatMap(collection => collection.stored.map(field => ({ field, collection })))
  const columns = groupBy(fields, ({ field, collection }) => columnFor(collection, field.property))
  const primaryKey = columnsOf(first, first.key)
  const lists = distinctIn(collections).map(({ collection, fields }) => columnsOf(collection, fields))
  const { foreignKeys, shared } = foreignKeysIn(collections)
  const table: CatalogTable = {
    ...emptyTable,
    ...tableFor(first),
    columns: [...columns].map(([name, owned]) => designColumn(name, owned, engine)),
    primaryKey,
    unique: distinct([primaryKey, ...lists]),
    foreignKeys
  }
  const leads = [
    ...collections.flatMap(one => referencesOf(one).map(({ foreignKey }) => columnsOf(one, foreignKey))),
    ...fields.filter(({ field }) => field.schema.indexed).map(({ field, collection }) => columnsOf(collection, [field]))
  ]
  return {
    table,
    checks: new Map([...columns].map(([name, owned]) => [name, checksIn(name, owned)])),
    indexes: indexesFor(leads, table, engine === 'sqlite' && table.columns.some(isCounted)),
    remarks: [
      ...shared.map(names => `${names} refers to several tables, so it has no foreign key`),
      ...fields.filter(({ field, collection }) => lacksValue(field, collection, engine)).map(({ field, collection }) =>
        `nothing fills ${quoteName(columnFor(collection, field.property))} of a new row; ` +
        "flag the field 'writable', give it a default, or fill it in the hook 'creating'")
    ]
  }
}

/** What a new table has before it is designed. */
const emptyTable: Omit<CatalogTable, 'name'> = {
  schema: undefined,
  kind: 'table',
  comment: undefined,
  columns: [],
  primaryKey: [],
  unique: [],
  foreignKeys: [],
  fillsRows: false,
  amendsRows: false,
  refused: new Set(),
  replaced: new Set(),
  isInherited: false
}

const lacksValue = (field: StoredField, collection: Collection, engine: Engine) =>
  needsValue(field, collection) && !isNumbered(field, collection) && collection.strategies.create &&
  defaultOf(field, collection, engine) === undefined

const distinct = (lists: readonly Columns[]): readonly Columns[] =>
  [...new Map(lists.map(list => [list.join(), list])).values()]

function designColumn (name: string, owned: Several<Owned>, engine: Engine): CatalogColumn {
  const [{ field, collection }] = owned
  const counted = isNumbered(field, collection)
  const fallback = owned.map(one => defaultOf(one.field, one.collection, engine)).find(one => one !== undefined)
  return {
    ...emptyColumn(name, typeOf(owned, engine), engine),
    nullable: owned.every(one => one.field.nullable),
    filled: counted || fallback !== undefined,
    default: fallback,
    identity: counted && engine === 'postgres' ? 'by default' : undefined
  }
}

/** Returns a column that must not be null, and that nothing fills. Any type is taken, since it is chosen to suit. */
const emptyColumn = (name: string, type: string, engine: Engine): CatalogColumn => ({
  ...plainColumn,
  name,
  type,
  family: 'any',
  nullable: false,
  filled: false,
  collation: engine === 'sqlite' ? 'BINARY' : undefined
})

/** Returns true for a designed column that the database counts, as it has no default. */
export const isCounted = ({ filled, default: fallback }: CatalogColumn): boolean => filled && fallback === undefined

/** What one of the fields allows must not be refused. */
function checksIn (name: string, owned: Several<Owned>): readonly string[] {
  const lists = owned.map(({ field, collection }) => checksOf(field, collection, quoteName(name)))
  return (lists[0] ?? []).filter(check => lists.every(list => list.includes(check)))
}

const isNumbered = (field: StoredField, collection: Collection) => field === singleKey(collection) &&
  (field.type.kind === 'integer' || field.type.kind === 'int64') && field.schema.default === undefined &&
  !isReferring(field, collection)

const isReferring = (field: StoredField, collection: Collection) =>
  referencesOf(collection).some(({ foreignKey }) => foreignKey.includes(field))

function typeOf (owned: Several<Owned>, engine: Engine): string {
  const [{ field, collection }] = owned
  const { kind } = referredField(field, collection).type
  const hasIndex = owned.some(one => one.field.identifier || one.field.schema.indexed === true ||
    one.collection.key.includes(one.field) || isReferring(one.field, one.collection))
  return hasIndex ? indexedType(kind, engine) : typeRules[engine].column(kind)
}

/** Returns the type of a column that has an index, which serves comparisons of texts if it is by code point. */
function indexedType (kind: ValueKind, engine: Engine): string {
  const type = typeRules[engine].column(kind)
  return engine === 'postgres' && type === 'text' ? 'text collate "C"' : type
}

/** Returns the key to which a field refers in the end, whose type the column must have; itself for any other field. */
function referredField (field: StoredField, collection: Collection, passed: readonly StoredField[] = []): StoredField {
  const reference = referencesOf(collection).find(({ foreignKey }) => foreignKey.includes(field))
  const key = reference?.target.key[reference.foreignKey.indexOf(field)]
  if (reference === undefined || key === undefined || passed.includes(field)) return field
  return referredField(key, reference.target, [...passed, field])
}

/** Returns the foreign keys of a table, and in `shared` the columns that refer to several tables. */
function foreignKeysIn (collections: readonly Collection[]) {
  const isConstrained = ({ constants }: CollectionReference) => constants.length === 0
  const all = collections.flatMap(one => referencesOf(one).filter(isConstrained).map(({ foreignKey, target }) =>
    foreignKeyTo(target, columnsOf(one, foreignKey), 'restrict')))
  const groups = [...groupBy(all, ({ columns }) => columns.join()).values()].map(group =>
    [...groupBy(group, ({ target }) => keyOfTable(target)).values()])
  return {
    foreignKeys: groups.flatMap(targets => targets.length === 1 ? targets.flatMap(([one]) => one) : []),
    shared: groups.flatMap(targets => targets.length === 1 ? [] : [targets[0]?.[0].columns.map(quoteName).join() ?? ''])
  }
}

const foreignKeyTo = (
  target: Collection, columns: Columns, onDelete: CatalogForeignKey['onDelete']
): CatalogForeignKey => ({ columns, target: tableFor(target), targetColumns: columnsOf(target, target.key), onDelete })

/**
 * Returns indexes that begin with these columns, unless another index does. They end with the key, as the order of each
 * listing does; `isRow`: the key is the number of a row, with which every index ends.
 */
function indexesFor (
  leads: readonly Columns[], { primaryKey, unique }: Pick<CatalogTable, 'primaryKey' | 'unique'>, isRow: boolean
): readonly DesignedIndex[] {
  const indexes: DesignedIndex[] = []
  for (const lead of leads) {
    const known = [...unique, ...indexes.map(one => one.columns)]
    if (known.some(columns => startsWith(columns, lead))) continue
    indexes.push({ lead, columns: [...lead, ...isRow ? [] : primaryKey.filter(name => !lead.includes(name))] })
  }
  return indexes
}

export const startsWith = (columns: Columns, others: Columns): boolean =>
  others.every((name, place) => columns[place] === name)

/** A link ends with each of its items. */
function designJoin (field: SubCollectionField, engine: Engine): DesignedTable {
  const { table: name, sides } = joinNeeds(field)
  const columns = sides.flatMap(side => side.columns.map(column =>
    emptyColumn(column.name, indexedType(column.key?.type.kind ?? 'string', engine), engine)))
  const namesIn = (side: JoinSide) => side.columns.map(column => column.name)
  const primaryKey = columns.map(column => column.name)
  const table: CatalogTable = {
    ...emptyTable,
    ...name,
    columns,
    primaryKey,
    unique: [primaryKey],
    foreignKeys: sides.map(side => foreignKeyTo(side.target, namesIn(side), 'cascade'))
  }
  return { table, checks: new Map(), indexes: indexesFor(sides.map(namesIn), table, false), remarks: [] }
}
