import { singleKey } from '../../../core/model/identifiers.ts'
import type { Collection, Reference, StoredField, SubCollectionField } from '../../../core/model/model.ts'
import { referencesOf } from '../../../core/model/relations.ts'
import type { ValueKind } from '../../../core/model/kinds.ts'
import { joinsOf, joinTableOf, sourceOf, tableOf } from '../../../core/sources/sql/source.ts'
import { keyOfTable, quoteName, type TableName } from '../../../core/sources/sql/table-name.ts'
import { checksOf, columnType, defaultOf, type Engine, isUnfilled } from './types.ts'

/** A table as the declarations mean it. */
export interface TableDesign {
  readonly name: TableName
  readonly columns: readonly ColumnDesign[]
  readonly primaryKey: readonly string[]
  /** The columns of further identifiers. */
  readonly unique: readonly Columns[]
  readonly references: readonly ReferenceDesign[]
  readonly indexes: readonly IndexDesign[]
  /** What the declarations leave open, as sentences. */
  readonly remarks: readonly string[]
}

type Columns = readonly string[]

export interface ColumnDesign {
  readonly name: string
  readonly type: string
  readonly required: boolean
  /** True for a key that the database counts. */
  readonly counted: boolean
  readonly default: string | undefined
  readonly checks: readonly string[]
}

/** An index that begins with the columns of `lead`, which its name is made of. */
export interface IndexDesign { readonly lead: Columns, readonly columns: Columns }

export interface ReferenceDesign {
  readonly columns: Columns
  readonly target: TableName
  readonly targetColumns: Columns
  /** True where a row is deleted with the row that it refers to. */
  readonly cascade: boolean
}

/** Returns the tables of collections, then their join tables, in the order in which they are declared. */
export function designTables (collections: readonly Collection[], engine: Engine): readonly TableDesign[] {
  const tables = groupBy(collections, collection => keyOfTable(nameOf(collection)))
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

const isMemory = ({ source }: Collection) => source.database.kind === 'memory'

/** Returns the name of a collection's table. The objects of memory() have none, so theirs is that of the collection. */
const nameOf = (collection: Collection): TableName =>
  isMemory(collection) ? { schema: undefined, name: collection.property } : tableOf(collection)

const columnOf = (collection: Collection, property: string): string =>
  isMemory(collection) ? property : sourceOf(collection).column(property)

const columnsOf = (collection: Collection, fields: ReadonlyArray<Pick<StoredField, 'property'>>): Columns =>
  fields.map(({ property }) => columnOf(collection, property))

/** A field, and the collection that has it. */
interface Owned { readonly field: StoredField, readonly collection: Collection }

/** Returns the table that collections share. */
function designTable (collections: Several<Collection>, engine: Engine): TableDesign {
  const [first] = collections
  const fields = collections.flatMap(collection => collection.stored.map(field => ({ field, collection })))
  const columns = [...groupBy(fields, ({ field, collection }) => columnOf(collection, field.property))]
    .map(([name, owned]) => designColumn(name, owned, engine))
  const primaryKey = columnsOf(first, first.key)
  const keys = [
    ...collections.map(one => columnsOf(one, one.key)),
    ...fields.filter(({ field }) => field.identifier).map(({ field, collection }) => columnsOf(collection, [field])),
    ...collections.flatMap(one => one.unique.map(list => columnsOf(one, list)))
  ]
  const unique = distinct(keys).filter(key => key.join() !== primaryKey.join())
  const { references, shared } = referencesIn(collections)
  const leads = [
    ...collections.flatMap(one => referencesOf(one).map(({ foreignKey }) => columnsOf(one, foreignKey))),
    ...fields.filter(({ field }) => field.schema.indexed).map(({ field, collection }) => columnsOf(collection, [field]))
  ]
  return {
    name: nameOf(first),
    columns,
    primaryKey,
    unique,
    references,
    indexes: indexesFor(leads, { primaryKey, unique, isRow: engine === 'sqlite' && columns.some(one => one.counted) }),
    remarks: [
      ...shared.map(names => `${names} refers to several tables, so it has no foreign key`),
      ...fields.filter(({ field, collection }) => lacksValue(field, collection, engine)).map(({ field, collection }) =>
        `nothing fills ${quoteName(columnOf(collection, field.property))} of a new row; ` +
        "flag the field 'writable', give it a default, or fill it in the hook 'creating'")
    ]
  }
}

const lacksValue = (field: StoredField, collection: Collection, engine: Engine) =>
  isUnfilled(field, collection) && !isCounted(field, collection) && collection.strategies.create &&
  defaultOf(field, collection, engine) === undefined

const distinct = (lists: readonly Columns[]): readonly Columns[] =>
  [...new Map(lists.map(list => [list.join(), list])).values()]

function designColumn (name: string, owned: Several<Owned>, engine: Engine): ColumnDesign {
  const [{ field, collection }] = owned
  const checks = owned.map(one => checksOf(one.field, one.collection, quoteName(name)))
  return {
    name,
    type: typeOf(owned, engine),
    required: owned.some(one => !one.field.nullable),
    counted: isCounted(field, collection),
    default: owned.map(one => defaultOf(one.field, one.collection, engine)).find(one => one !== undefined),
    // What one of the fields allows must not be refused.
    checks: (checks[0] ?? []).filter(check => checks.every(list => list.includes(check)))
  }
}

const isCounted = (field: StoredField, collection: Collection) => field === singleKey(collection) &&
  (field.type.kind === 'integer' || field.type.kind === 'int64') && field.schema.default === undefined &&
  !isReferring(field, collection)

const isReferring = (field: StoredField, collection: Collection) =>
  referencesOf(collection).some(({ foreignKey }) => foreignKey.includes(field))

/** Returns the type of a column. */
function typeOf (owned: Several<Owned>, engine: Engine): string {
  const [{ field, collection }] = owned
  const { kind } = referredField(field, collection).type
  const hasIndex = owned.some(one => one.field.identifier || one.field.schema.indexed === true ||
    one.collection.key.includes(one.field) || isReferring(one.field, one.collection))
  return hasIndex ? indexedType(kind, engine) : columnType(kind, engine)
}

/** Returns the type of a column that has an index, which serves comparisons of texts if it is by code point. */
function indexedType (kind: ValueKind, engine: Engine): string {
  const type = columnType(kind, engine)
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
function referencesIn (collections: readonly Collection[]) {
  const isConstrained = ({ constants }: Reference) => constants.length === 0
  const all = collections.flatMap(one => referencesOf(one).filter(isConstrained).map(({
    foreignKey, target
  }): ReferenceDesign => ({
    columns: columnsOf(one, foreignKey),
    target: nameOf(target),
    targetColumns: columnsOf(target, target.key),
    cascade: false
  })))
  const groups = [...groupBy(all, ({ columns }) => columns.join()).values()].map(group =>
    [...groupBy(group, ({ target }) => keyOfTable(target)).values()])
  return {
    references: groups.flatMap(targets => targets.length === 1 ? targets.flatMap(([one]) => one) : []),
    shared: groups.flatMap(targets => targets.length === 1 ? [] : [targets[0]?.[0].columns.map(quoteName).join() ?? ''])
  }
}

interface Keys { readonly primaryKey: Columns, readonly unique: readonly Columns[], readonly isRow: boolean }

/**
 * Returns indexes that begin with these columns, unless another index does. They end with the key, as the order of each
 * listing does; `isRow`: the key is the number of a row, with which every index ends.
 */
function indexesFor (leads: readonly Columns[], { primaryKey, unique, isRow }: Keys): readonly IndexDesign[] {
  const indexes: IndexDesign[] = []
  for (const lead of leads) {
    const known = [primaryKey, ...unique, ...indexes.map(one => one.columns)]
    if (known.some(columns => startsWith(columns, lead))) continue
    indexes.push({ lead, columns: [...lead, ...isRow ? [] : primaryKey.filter(name => !lead.includes(name))] })
  }
  return indexes
}

/** Returns true for columns that begin with the others. */
export const startsWith = (columns: Columns, others: Columns): boolean =>
  others.every((name, place) => columns[place] === name)

/** Returns the table of a many-to-many relation. A link ends with each of its items. */
function designJoin (field: SubCollectionField, engine: Engine): TableDesign {
  const { link, holder, target } = field
  const sides = link.kind === 'join' ? [[link.foreignKey, holder], [link.otherKey, target]] as const : []
  const columns = sides.flatMap(([properties, { key }]) => properties.map((property, place) => {
    const kind = key[place]?.type.kind ?? 'string'
    return { name: columnOf(holder, property), type: indexedType(kind, engine) }
  }))
  const namesOf = (properties: Columns) => properties.map(property => columnOf(holder, property))
  const primaryKey = columns.map(({ name }) => name)
  return {
    name: joinTableOf(field),
    columns: columns.map(one => ({ ...one, required: true, counted: false, default: undefined, checks: [] })),
    primaryKey,
    unique: [],
    references: sides.map(([properties, collection]) => ({
      columns: namesOf(properties),
      target: nameOf(collection),
      targetColumns: columnsOf(collection, collection.key),
      cascade: true
    })),
    indexes: indexesFor(sides.map(([properties]) => namesOf(properties)), { primaryKey, unique: [], isRow: false }),
    remarks: []
  }
}
