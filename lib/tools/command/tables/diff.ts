import type { Collection } from '../../../core/model/model.ts'
import { databaseOf } from '../../../core/sources/source.ts'
import type { Catalog, CatalogColumn, CatalogTable } from '../../../core/sources/sql/catalog.ts'
import { compare } from '../../../core/sources/sql/check/compare.ts'
import { postgresRules, sqliteRules } from '../../../core/sources/sql/check/types.ts'
import { keyOfTable, quoteName, quoteTable, type TableName } from '../../../core/sources/sql/table-name.ts'
import { type ColumnDesign, startsWith, type TableDesign } from './design.ts'
import { columnList, comment, indexName, printColumn, printIndexes, printReference, printTables } from './print.ts'
import type { Engine } from './types.ts'

type Columns = readonly string[]

/** What a database has of the tables that the declarations mean. `indexes`: the columns of each, by keyOfTable. */
export interface Existing { readonly catalog: Catalog, readonly indexes: ReadonlyMap<string, readonly Columns[]> }

/** Returns the script that adds what is missing, and as comments what it leaves to people. */
export function printDiff (
  collections: readonly Collection[], tables: readonly TableDesign[], existing: Existing, engine: Engine
): string {
  const { catalog } = existing
  const known = tables.filter(({ name }) => catalog.find(name) !== undefined)
  const missing = tables.filter(table => !known.includes(table))
  const additions = known.map(table => additionsTo(table, existing, engine))
  const created = missing.length === 0 ? [] : [printTables(missing, engine, known.map(({ name }) => name)).trimEnd()]
  const left = findLeft(collections, tables, catalog, engine).map(comment)
  return [
    ...additions.map(({ statements }) => statements.join('\n')),
    ...created,
    additions.flatMap(({ references }) => references).join('\n'),
    left.join('\n')
  ].filter(text => text !== '').map(text => `${text}\n`).join('\n')
}

/** The statements that add to a table. `references`: those that need all tables. */
interface Additions { readonly statements: readonly string[], readonly references: readonly string[] }

function additionsTo (table: TableDesign, { catalog, indexes }: Existing, engine: Engine): Additions {
  const { name } = table
  const found = catalog.find(name)
  // A view has no columns or constraints of its own.
  if (found?.kind !== 'table') return { statements: [], references: [] }
  const added = addedColumns(table, catalog)
  const unique = lackingUnique(table, found)
  const lacking = table.references.filter(({ columns }) =>
    !found.foreignKeys.some(key => key.columns.length === columns.length && startsWith(key.columns, columns)))
  // SQLite takes a foreign key with its column, and never later.
  const inline = lacking.filter(({ columns: [column, other] }) =>
    engine === 'sqlite' && other === undefined && added.some(one => one.name === column))
  const bare = { ...table, primaryKey: [], unique: [], references: inline }
  const led = [...indexes.get(keyOfTable(name)) ?? [], ...unique]
  return {
    statements: [
      ...added.map(column => `alter table ${quoteTable(name)} add column ${printColumn(column, bare, engine)};`),
      ...unique.map(columns => {
        const index = quoteName(indexName(`${name.name}_${columns.join('_')}_key`))
        return `create unique index ${index} on ${quoteTable(name)} (${columnList(columns)});`
      }),
      ...printIndexes({
        name, indexes: table.indexes.filter(({ lead }) => !led.some(columns => startsWith(columns, lead)))
      })
    ],
    references: lacking.filter(one => !inline.includes(one)).map(reference => {
      const statement = printReference(table, reference, engine)
      return engine === 'sqlite' ? comment(`SQLite adds no foreign key to a table: ${statement}`) : statement
    })
  }
}

/** Returns the columns that a table lacks, as rows that exist can have them: with a constant default, or with null. */
function addedColumns ({ name, columns }: TableDesign, catalog: Catalog): readonly ColumnDesign[] {
  const found = catalog.find(name)
  if (found === undefined) return columns
  return columns.filter(column => catalog.column(found, column.name) === undefined).map(column => {
    const isConstant = column.default !== undefined && !/[(_]/.test(column.default.replace(/^'.*'$/s, ''))
    const fallback = isConstant ? column.default : undefined
    return { ...column, required: column.required && isConstant, counted: false, default: fallback }
  })
}

const lackingUnique = ({ primaryKey, unique }: TableDesign, found: CatalogTable): readonly Columns[] =>
  [primaryKey, ...unique].filter(columns => !found.unique.some(one => one.every(name => columns.includes(name))))

/** Returns what the check at the start would still find: types, checks and nulls of columns that exist. */
function findLeft (
  collections: readonly Collection[], tables: readonly TableDesign[], catalog: Catalog, engine: Engine
): readonly string[] {
  const made = new Map(tables.map(table => [keyOfTable(table.name), completed(table, catalog, engine)]))
  const find = (name: TableName) => made.get(keyOfTable(name)) ?? catalog.find(name)
  const column: Catalog['column'] = (table, name) =>
    catalog.column(table, name) ?? table.columns.find(one => one.name === name)
  const stored = collections.filter(one => databaseOf(one).kind !== 'memory')
  const rules = engine === 'sqlite' ? sqliteRules : postgresRules
  const { findings } = compare(stored, { find, column, others: [] }, rules)
  return [...new Set(findings.map(({ message }) => message))]
}

/** Returns a table with what the script adds to it. */
function completed (table: TableDesign, catalog: Catalog, engine: Engine): CatalogTable {
  const found: CatalogTable = catalog.find(table.name) ?? {
    schema: '',
    name: table.name.name,
    kind: 'table',
    comment: undefined,
    columns: [],
    primaryKey: table.primaryKey,
    unique: [],
    foreignKeys: [],
    fillsRows: false,
    amendsRows: false,
    refused: new Set(),
    replaced: new Set(),
    isInherited: false
  }
  if (found.kind !== 'table') return found
  return {
    ...found,
    columns: [...found.columns, ...addedColumns(table, catalog).map(column => toCatalog(column, engine))],
    unique: [...found.unique, ...lackingUnique(table, found)]
  }
}

/** Returns a column that the script adds, whose type suits its field. */
const toCatalog = (
  { name, type, required, counted, default: fallback }: ColumnDesign, engine: Engine
): CatalogColumn => ({
  name,
  type,
  family: 'any',
  nullable: !required,
  filled: counted || fallback !== undefined,
  default: fallback,
  generated: false,
  computed: false,
  identity: undefined,
  members: undefined,
  choices: undefined,
  collation: engine === 'sqlite' ? 'BINARY' : undefined,
  comment: undefined,
  range: undefined
})
