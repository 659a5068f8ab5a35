import type { Collection, StoredField, SubCollectionField } from '../../../model/model.ts'
import { referencesOf } from '../../../model/relations.ts'
import type { Finding } from '../../catalog-check.ts'
import type { Catalog, CatalogColumn, CatalogTable } from '../catalog.ts'
import { joinNeeds } from '../needs.ts'
import { tableOf } from '../source.ts'
import { showTable, type TableName } from '../table-name.ts'
import { fault, placeOfField, type ServedTable, showColumn, warning } from './compare.ts'
import { areForeign, type TypeRules } from './type-rules.ts'
import { suggest } from '../../../errors/suggest.ts'

/** Checks that the foreign keys of a collection can be compared with the keys that they refer to. */
export function checkReferences (
  one: ServedTable, served: ReadonlyMap<Collection, ServedTable>, rules: TypeRules
): readonly Finding[] {
  const { collection } = one
  const references = [
    ...[...collection.properties.values()].flatMap(field => field.kind === 'sub-item'
      ? [{ place: placeOfField(collection, field), foreignKey: field.foreignKey, target: field.target }]
      : []),
    ...collection.referring.map(({ foreignKey, target }) =>
      ({ place: placeOfForeignKey(collection, foreignKey), foreignKey, target }))
  ]
  const findings = references.flatMap(({ place, foreignKey, target }) => {
    const keys = target.key
    const other = served.get(target)
    return foreignKey.flatMap((field, index) => {
      const own = one.columns.get(field)
      const key = keys[index] && other?.columns.get(keys[index])
      if (own === undefined || other === undefined || key === undefined) return []
      return compareColumns(
        place,
        { shown: showColumn(collection, own.name), column: own },
        { shown: showColumn(target, key.name), column: key }, rules
      )
    })
  })
  // A sub-item and a sub-collection may declare the same foreign key.
  return [...new Map(findings.map(finding => [finding.message.replace(/^.*?: /, ''), finding])).values()]
}

/**
 * Finds foreign keys that refer to several tables, as far as constraints do not say so: a row that belongs to an item
 * of one table would be shown with the item of another that has the same key.
 */
export function checkShared (
  { collection, table, columns }: ServedTable, served: ReadonlyMap<Collection, ServedTable>
): readonly Finding[] {
  // A view may show rows of another table.
  const references = referencesOf(collection).filter(({ target }) => served.get(target)?.table.kind === 'table')
  const foreignKeys = new Map(references.map(({ foreignKey }) =>
    [foreignKey.map(({ property }) => property).join(), foreignKey]))
  return [...foreignKeys].flatMap(([id, foreignKey]) => {
    const own = references.filter(one => one.foreignKey.map(({ property }) => property).join() === id)
    const tables = new Set(own.map(({ target }) => showTable(tableOf(target))))
    const names = foreignKey.map(field => columns.get(field)?.name).toSorted().join()
    const constrained = table.foreignKeys.filter(key => key.columns.toSorted().join() === names)
    const isTold = own.every(({ constants }) => constants.length > 0)
    if (tables.size < 2 || isTold || constrained.length >= tables.size) return []
    const shown = [...tables].map(name => `'${name}'`).join(', ')
    return [warning(placeOfForeignKey(collection, foreignKey), `its values refer to ${shown}, so that one row may ` +
      "belong to an item of each; tell them apart by 'where' in the options of each relation, or add foreign keys")]
  })
}

function placeOfForeignKey (collection: Collection, foreignKey: readonly StoredField[]): string {
  const [first] = foreignKey
  return first === undefined ? `collection '${collection.property}'` : placeOfField(collection, first)
}

/** A column. `shown`: its name in a message, with that of its table. */
interface ShownColumn { readonly shown: string, readonly column: CatalogColumn }

/** Compares the column of a foreign key with that of the key to which it refers. */
function compareColumns (
  place: string, own: ShownColumn, key: ShownColumn, rules: TypeRules
): readonly Finding[] {
  const unlike = (ofOwn: string, ofKey: string, advice: string) => [fault(place,
    `its foreign key ${own.shown} is ${ofOwn}, but the key ${key.shown}, to which it refers, is ${ofKey}; ${advice}`)]
  if (areForeign(own.column, key.column, rules)) {
    return unlike(own.column.type, key.column.type, 'the database cannot compare them: give both columns one type')
  }
  if (!rules.comparesAll && isPadded(own.column) !== isPadded(key.column)) {
    return unlike(own.column.type, key.column.type,
      'the database ignores spaces at the ends when it compares them: give both columns one type')
  }
  const ofOwn = own.column.collation ?? ''
  const ofKey = key.column.collation ?? ''
  if (ofOwn === ofKey) return []
  return unlike(`collate ${ofOwn}`, `collate ${ofKey}`,
    'the relation would have other items from one side than from the other: give both columns one collation')
}

/** Returns true for `char(n)` of PostgreSQL, which counts no spaces at the end of a text. */
const isPadded = ({ family, type }: CatalogColumn) => family === 'text' && /^(?:character\(|bpchar)/.test(type)

/** A join table, as it is named and as the database describes it. */
interface JoinTable { readonly name: TableName, readonly table: CatalogTable, readonly catalog: Catalog }

/** Checks the columns of a join table: they exist, they can be compared with the keys, and no other must be filled. */
export function checkJoinTable (
  field: SubCollectionField, join: JoinTable, served: ReadonlyMap<Collection, ServedTable>, rules: TypeRules
): readonly Finding[] {
  const place = placeOfField(field.holder, field)
  const used = new Set<CatalogColumn>()
  const findings = joinNeeds(field).sides.flatMap(({ option, target, columns }) => columns.flatMap(needed => {
    const column = join.catalog.column(join.table, needed.name)
    if (column === undefined) return [missingJoinColumn(place, option, needed.name, join)]
    used.add(column)
    const key = needed.key && served.get(target)?.columns.get(needed.key)
    if (key === undefined) return []
    return compareColumns(
      place,
      { shown: `'${showTable(join.name)}.${column.name}'`, column },
      { shown: showColumn(target, key.name), column: key }, rules
    )
  }))
  return [...findings, ...findings.length === 0 ? checkLinks(field, place, join, used) : []]
}

function missingJoinColumn (place: string, option: string, name: string, { name: table, ...join }: JoinTable): Finding {
  const names = join.table.columns.map(column => column.name)
  const near = suggest(name, names)
  const advice = near === undefined ? `it has ${names.map(one => `'${one}'`).join(', ')}` : `did you mean '${near}'?`
  return fault(place, `its join table '${showTable(table)}' has no column '${name}' (${option}); ${advice}`)
}

function checkLinks (
  { writable }: SubCollectionField, place: string, { name, table }: JoinTable, used: ReadonlySet<CatalogColumn>
): readonly Finding[] {
  const unfilled = table.columns.filter(column => !column.nullable && !column.filled && !used.has(column))
  if (!writable || table.fillsRows || table.kind !== 'table' || unfilled.length === 0) return []
  const columns = unfilled.map(column => `'${showTable(name)}.${column.name}'`).join(', ')
  return [fault(place, `is flagged 'writable', but a link has no value for ${columns}, which must not be null; ` +
    "give it a default, remove the flag 'writable', or declare the join table as a collection")]
}
