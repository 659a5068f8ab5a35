import type { Collection } from '../../../model/model.ts'
import { databaseOf } from '../../source.ts'
import type { Catalog, CatalogColumn, CatalogTable, Engine } from '../catalog.ts'
import { compare } from '../check/compare.ts'
import { typeRules } from '../check/type-rules.ts'
import { keyOfTable, quoteName, quoteTable, type TableName } from '../table-name.ts'
import { type DesignedTable, startsWith } from './design.ts'
import type { Existing } from './existing.ts'
import { columnList, comment, indexName, printColumn, printDesign, printForeignKey, printIndexes } from './print.ts'

type Columns = readonly string[]

/** Returns the script that adds what is missing, and as comments what it leaves to people. */
export function printDiff (
  collections: readonly Collection[], designs: readonly DesignedTable[], existing: Existing, engine: Engine
): string {
  const { catalog } = existing
  const known = designs.filter(({ table }) => catalog.find(table) !== undefined)
  const missing = designs.filter(design => !known.includes(design))
  const additions = known.map(design => additionsTo(design, existing, engine))
  const created = missing.length === 0 ? [] : [printDesign(missing, engine, known.map(({ table }) => table)).trimEnd()]
  const left = findLeft(collections, designs, catalog, engine).map(comment)
  return [
    ...additions.map(({ statements }) => statements.join('\n')),
    ...created,
    additions.flatMap(({ foreignKeys }) => foreignKeys).join('\n'),
    left.join('\n')
  ].filter(text => text !== '').map(text => `${text}\n`).join('\n')
}

/** The statements that add to a table. `foreignKeys`: those that need all tables. */
interface Additions { readonly statements: readonly string[], readonly foreignKeys: readonly string[] }

function additionsTo (design: DesignedTable, { catalog, indexes }: Existing, engine: Engine): Additions {
  const { table, checks } = design
  const found = catalog.find(table)
  // A view has no columns or constraints of its own.
  if (found?.kind !== 'table') return { statements: [], foreignKeys: [] }
  const added = addedColumns(table, found, catalog)
  const unique = lackingUnique(table, found)
  const lacking = table.foreignKeys.filter(({ columns }) =>
    !found.foreignKeys.some(key => key.columns.length === columns.length && startsWith(key.columns, columns)))
  // SQLite takes a foreign key with its column, and never later.
  const inline = lacking.filter(({ columns: [column, other] }) =>
    engine === 'sqlite' && other === undefined && added.some(one => one.name === column))
  const bare = { table: { ...table, primaryKey: [], unique: [], foreignKeys: inline }, checks }
  const led = [...indexes.get(keyOfTable(table)) ?? [], ...unique]
  return {
    statements: [
      ...added.map(column => `alter table ${quoteTable(table)} add column ${printColumn(column, bare, engine)};`),
      ...unique.map(columns => {
        const index = quoteName(indexName(`${table.name}_${columns.join('_')}_key`))
        return `create unique index ${index} on ${quoteTable(table)} (${columnList(columns)});`
      }),
      ...printIndexes({
        table, indexes: design.indexes.filter(({ lead }) => !led.some(columns => startsWith(columns, lead)))
      })
    ],
    foreignKeys: lacking.filter(one => !inline.includes(one)).map(key => {
      const statement = printForeignKey(table, key, engine)
      return engine === 'sqlite' ? comment(`SQLite adds no foreign key to a table: ${statement}`) : statement
    })
  }
}

/** Returns the columns that a table lacks, as rows that exist can have them: with a constant default, or with null. */
function addedColumns ({ columns }: CatalogTable, found: CatalogTable, catalog: Catalog): readonly CatalogColumn[] {
  return columns.filter(column => catalog.column(found, column.name) === undefined).map(column => {
    const isConstant = column.default !== undefined && !/[(_]/.test(column.default.replace(/^'.*'$/s, ''))
    return {
      ...column,
      nullable: column.nullable || !isConstant,
      filled: isConstant,
      default: isConstant ? column.default : undefined,
      identity: undefined
    }
  })
}

const lackingUnique = ({ unique }: CatalogTable, found: CatalogTable): readonly Columns[] =>
  unique.filter(columns => !found.unique.some(one => one.every(name => columns.includes(name))))

/** Returns what the check at the start would still find: types, checks and nulls of columns that exist. */
function findLeft (
  collections: readonly Collection[], designs: readonly DesignedTable[], catalog: Catalog, engine: Engine
): readonly string[] {
  const made = new Map(designs.map(({ table }) => [keyOfTable(table), completed(table, catalog)]))
  const find = (name: TableName) => made.get(keyOfTable(name)) ?? catalog.find(name)
  const column: Catalog['column'] = (table, name) =>
    catalog.column(table, name) ?? table.columns.find(one => one.name === name)
  const stored = collections.filter(one => databaseOf(one).kind !== 'memory')
  const { findings } = compare(stored, { find, column, others: [] }, typeRules[engine])
  return [...new Set(findings.map(({ message }) => message))]
}

/** Returns a table with what the script adds to it. */
function completed (table: CatalogTable, catalog: Catalog): CatalogTable {
  const found = catalog.find(table)
  if (found === undefined || found.kind !== 'table') return found ?? table
  return {
    ...found,
    columns: [...found.columns, ...addedColumns(table, found, catalog)],
    unique: [...found.unique, ...lackingUnique(table, found)]
  }
}
