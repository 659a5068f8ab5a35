import { suggest } from '../../../errors/suggest.ts'
import { placeOf } from '../../../model/fields.ts'
import type { Collection, Field, StoredField } from '../../../model/model.ts'
import { words } from '../../../model/names.ts'
import type { Finding } from '../../catalog-check.ts'
import type { Catalog, CatalogColumn, CatalogTable } from '../catalog.ts'
import { joinsOf, joinTableOf, sourceOf, tableOf } from '../source.ts'
import { showTable, type TableName } from '../table-name.ts'
import { checkColumn, checkNulls, checkUniqueness } from './columns.ts'
import { checkCreation, checkViewKey } from './creation.ts'
import { checkJoinTable, checkReferences, checkShared } from './relations.ts'
import type { TypeRules } from './type-rules.ts'

/** A collection with its table, and the columns of its fields that the table has. */
export interface ServedTable {
  readonly collection: Collection
  readonly table: CatalogTable
  readonly columns: ReadonlyMap<StoredField, CatalogColumn>
}

/** Compares collections with the tables of their database. `served`: the collections that have a table. */
export function compare (
  collections: readonly Collection[], catalog: Catalog, rules: TypeRules
): { readonly findings: readonly Finding[], readonly served: readonly ServedTable[] } {
  const served = new Map<Collection, ServedTable>()
  const findings: Finding[] = []
  for (const collection of collections) {
    const table = catalog.find(tableOf(collection))
    if (table === undefined) {
      findings.push(missingTable(`collection '${collection.property}'`, tableOf(collection), catalog))
      continue
    }
    const columns = findColumns(collection, table, catalog)
    served.set(collection, { collection, table, columns })
    if (!isWhole(table)) findings.push(unknowable(collection, table))
    findings.push(...collection.stored.flatMap(field => columns.has(field) || isSystem(field, collection, rules)
      ? []
      : [missingColumn(placeOfField(collection, field), field.property, collection, table)]))
  }
  for (const one of served.values()) findings.push(...checkServed(one, served, rules))
  findings.push(...checkJoins(collections, served, catalog, rules))
  return { findings, served: [...served.values()] }
}

function checkServed (
  one: ServedTable, served: ReadonlyMap<Collection, ServedTable>, rules: TypeRules
): readonly Finding[] {
  const findings = [...one.columns].flatMap(([field, column]) => checkColumn(field, column, one, rules))
  findings.push(...checkNulls(one))
  if (isWhole(one.table)) findings.push(...checkUniqueness(one), ...checkCreation(one), ...checkShared(one, served))
  else if (!rules.returnsViewKeys) findings.push(...checkViewKey(one))
  return [...findings, ...checkReferences(one, served, rules)]
}

/** Views and tables of other servers have no constraints of their own. */
const isWhole = ({ kind }: CatalogTable) => kind === 'table'

function unknowable ({ property, key }: Collection, { kind, name }: CatalogTable): Finding {
  const keys = key.map(field => `'${field.property}'`).join(', ')
  const unknown = 'its constraints and the nulls in its columns cannot be checked'
  return warning(`collection '${property}'`,
    `'${name}' is a ${kind}, so ${unknown}; make sure that ${keys} is unique and never null`)
}

function findColumns (collection: Collection, table: CatalogTable, catalog: Catalog) {
  const columns = new Map<StoredField, CatalogColumn>()
  for (const field of collection.stored) {
    const column = catalog.column(table, columnName(collection, field))
    if (column !== undefined) columns.set(field, column)
  }
  return columns
}

const isSystem = (field: StoredField, collection: Collection, { systemColumns }: TypeRules) =>
  systemColumns.has(columnName(collection, field))

function missingTable (place: string, name: TableName, { others }: Catalog): Finding {
  const found = `there is no table or view '${showTable(name)}'`
  const elsewhere = others.find(other => other.schema !== undefined && other.name === name.name)
  if (elsewhere !== undefined) {
    const { schema = '' } = elsewhere
    return fault(place, `${found} here; write table({ schema: '${schema}', name: '${elsewhere.name}' })`)
  }
  const near = suggest(showTable(name), others.map(showTable))
  return fault(place, near === undefined
    ? `${found}; create it, or name another one in table()`
    : `${found}; did you mean '${near}'?`)
}

function missingColumn (place: string, property: string, collection: Collection, table: CatalogTable): Finding {
  const name = sourceOf(collection).column(property)
  const found = `the table '${showTable(tableOf(collection))}' has no column '${name}'`
  const names = table.columns.map(column => column.name)
  const snake = words(property).join('_')
  if (snake !== name && names.includes(snake)) {
    return fault(place, `${found}, but '${snake}'; write table(name, { columns: 'snake_case' })`)
  }
  const near = suggest(name, names)
  const choices = names.length > 0 && names.length <= 12 ? `; it has ${names.map(one => `'${one}'`).join(', ')}` : ''
  return fault(place, near === undefined
    ? `${found}${choices}; add it, remove the field, or name another column in 'columns'`
    : `${found}; did you mean '${near}'? Write columns: { ${property}: '${near}' }`)
}

function checkJoins (
  collections: readonly Collection[], served: ReadonlyMap<Collection, ServedTable>, catalog: Catalog, rules: TypeRules
): readonly Finding[] {
  return collections.flatMap(collection => joinsOf(collection).flatMap(field => {
    const name = joinTableOf(field)
    const table = catalog.find(name)
    if (table === undefined) return [missingTable(placeOfField(collection, field), name, catalog)]
    return checkJoinTable(field, { name, table, catalog }, served, rules)
  }))
}

export const fault = (place: string, message: string): Finding => ({ kind: 'fault', message: `${place}: ${message}` })
export const warning = (place: string, message: string): Finding =>
  ({ kind: 'warning', message: `${place}: ${message}` })

/** Returns the beginning of a message about a field of a collection. */
export const placeOfField = ({ property }: Collection, field: Pick<Field, 'property'>) =>
  placeOf(property, field.property)

export const columnName = (collection: Collection, { property }: Pick<Field, 'property'>) =>
  sourceOf(collection).column(property)

/** Returns a column with its table, as messages name it. */
export const showColumn = (collection: Collection, name: string) => `'${showTable(tableOf(collection))}.${name}'`
