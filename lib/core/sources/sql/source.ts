import { Type } from '@sinclair/typebox'
import type { Declared } from '../../declare/collection.ts'
import { DeclarationError } from '../../errors/errors.ts'
import { compileSourceOptions } from '../source-options.ts'
import type { Collection, SubCollectionField } from '../../model/model.ts'
import type { Database, DataSource } from '../source.ts'
import { type CatalogTable, type FindTable, isReplaced, mayRepeatKeys, toldColumns } from './catalog.ts'
import { checkColumnNames, type ColumnNames, columnNaming } from './column-names.ts'
import { checkOwnSql } from './own-sql.ts'
import { keyOfTable, parseTableName, type TableName } from './table-name.ts'

/** A table or view of an SQL database. */
export interface SqlSource extends DataSource {
  readonly table: string
  /** The schema of the table; undefined for the table that the database finds by its name alone. */
  readonly schema: string | undefined
  /** Returns the name of the column that stores a property. */
  readonly column: (property: string) => string
}

export interface TableOptions {
  /** The names of the columns. Default `none`. */
  columns?: ColumnNames
}

/** A database of tables. */
export interface SqlDatabase extends Database {
  /**
   * A table or view as the source of a collection: by a name such as `artists` or `music.artists`, or by a definition.
   * Without a schema it is the one that a statement would find by the name alone.
   */
  table (table: string | TableDefinition, options?: TableOptions): SqlSource
  /**
   * Compares the declarations with the tables, also where the option `check` is `off`. Returns the warnings. Rejects
   * with a DeclarationError that lists all faults.
   */
  check (collections: Readonly<Record<string, Declared>>): Promise<readonly string[]>
  /** Runs a statement. Rejects with `unavailable` if it is not answered, such as after `close()`. */
  ping (): Promise<void>
}

/** A table or view by its name in the database, with its options. */
export interface TableDefinition extends TableOptions {
  name: string
  /**
   * The schema of PostgreSQL, or the attached database of SQLite. Default: the table that the database finds by its
   * name alone.
   */
  schema?: string
}

/**
 * Makes a source of a database's table. A text is a name, or a schema and a name with a dot between them. `find` tells
 * what is known of a table. Throws a DeclarationError if the name is empty or has two dots.
 */
export function makeSource (
  database: Database, table: string | TableDefinition, options: TableOptions = {}, find: FindTable = () => undefined
): SqlSource {
  checkOptions(options)
  if (table === undefined) throw new DeclarationError('table(name): expected a name or a definition; found undefined')
  if (typeof table !== 'string') checkDefinition(table)
  const { columns } = options
  const { schema, name } = typeof table === 'string' ? parseTableName(table) : { schema: table.schema, ...table }
  if (name === '' || schema === '') throw new DeclarationError('table(name): the name must not be empty')
  const naming = typeof table === 'string' ? columns : columns ?? table.columns
  const { column, namedColumns } = columnNaming(checkColumnNames(naming ?? 'none'))
  const named = { schema, name }
  return {
    database,
    tableName: keyOfTable(named),
    table: name,
    schema,
    column,
    namedColumns,
    checkSql: checkOwnSql,
    ...questionsTo(through => through === undefined ? named : joinName(through, schema), { find, column })
  }
}

type Questions = Pick<SqlSource,
  'known' | 'refused' | 'isReplaced' | 'isGenerated' | 'isIsolated' | 'isUnfilled' | 'range' | 'limits' | 'tableKey' |
  'onDelete'>

interface Asking { readonly find: FindTable, column (property: string): string }

/** Returns what plans and documents ask a source about its table, or about the join table `through`. */
function questionsTo (
  nameOf: (through?: string) => TableName, { find, column }: Asking
): Questions {
  const tableOf = (through?: string) => find(nameOf(through))
  const columnOf = (property: string) => tableOf()?.columns.find(one => one.name === column(property))
  const asked = (which: keyof ReturnType<typeof toldColumns>) => (property: string) => {
    const table = tableOf()
    return table !== undefined && toldColumns(table)[which].has(column(property))
  }
  return {
    known: () => tableOf(),
    refused: through => tableOf(through)?.refused,
    isReplaced () {
      const table = tableOf()
      return table !== undefined && isReplaced(table)
    },
    isGenerated: asked('generated'),
    isIsolated: asked('isolated'),
    isUnfilled: asked('unfilled'),
    range: property => columnOf(property)?.range,
    limits: property => columnOf(property)?.limits,
    // By its name alone a table is known with and without its schema.
    tableKey (through) {
      const table = tableOf(through)
      return table === undefined || mayRepeatKeys(table) ? undefined : nameOf(through).name.toLowerCase()
    },
    onDelete (foreignKey, through) {
      const [only, ...others] = keysOf(foreignKey.map(column), tableOf(through)?.foreignKeys ?? [])
      return others.length === 0 ? only?.onDelete : undefined
    }
  }
}

function keysOf (columns: readonly string[], foreignKeys: CatalogTable['foreignKeys']) {
  const sorted = (names: readonly string[]) => names.map(name => name.toLowerCase()).toSorted().join()
  return foreignKeys.filter(key => sorted(key.columns) === sorted(columns))
}

// What `columns` may be is checked with the names of the columns.
const checkOptions = compileSourceOptions<TableOptions>('table(name)', Type.Object({ columns: Type.Unknown() }))
const checkDefinition = compileSourceOptions<TableDefinition>('table(definition)', Type.Object({
  columns: Type.Unknown(), name: Type.String(), schema: Type.String()
}))

/** Only collections with SQL sources reach this room. */
export const sourceOf = (collection: Collection) => collection.source as SqlSource

export function tableOf (collection: Collection): TableName {
  const { table, schema } = sourceOf(collection)
  return { schema, name: table }
}

/**
 * Returns the name of the join table of a many-to-many relation. Without a schema of its own, it is in the schema of
 * the table of the collection that has the relation.
 */
export function joinTableOf ({ link, holder }: SubCollectionField): TableName {
  if (link.kind !== 'join') throw new TypeError('only a many-to-many relation has a join table')
  return joinName(link.through, sourceOf(holder).schema)
}

/** Returns the names of all tables that the collections need: their own, and their join tables. */
export function tablesOf (collections: readonly Collection[]): readonly TableName[] {
  const names = [...collections.map(tableOf), ...collections.flatMap(joinsOf).map(joinTableOf)]
  return [...new Map(names.map(name => [keyOfTable(name), name])).values()]
}

/** Returns the many-to-many relations that a collection declares. */
export const joinsOf = (collection: Collection): readonly SubCollectionField[] =>
  [...collection.properties.values()].filter((field): field is SubCollectionField =>
    field.kind === 'sub-collection' && field.link.kind === 'join')

function joinName (through: string, ownSchema: string | undefined): TableName {
  const { schema, name } = parseTableName(through)
  return { schema: schema ?? ownSchema, name }
}
