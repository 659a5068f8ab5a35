import { DeclarationError } from '../../errors.ts'
import type { Collection } from '../../model/model.ts'
import { words } from '../../model/names.ts'
import type { Database, DataSource } from '../source.ts'

/** A table or view of an SQL database. */
export interface SqlSource extends DataSource {
  readonly table: string
  /** Returns the name of the column that stores a property. */
  column (property: string): string
}

export interface TableOptions {
  /**
   * The names of the columns. Default `none`.
   *
   * - `none`: the names of the properties
   * - `snake_case`: the names of the properties in snake_case
   * - an object: the name for each property; a property that the object lacks names its column itself
   */
  columns?: 'none' | 'snake_case' | Readonly<Record<string, string>>
}

/** Makes a source of a database's table. Throws a DeclarationError if the name is empty. */
export function makeSource (database: Database, table: string, { columns = 'none' }: TableOptions): SqlSource {
  if (table === '') throw new DeclarationError('table(name): the name must not be empty')
  return { database, table, column: columnNaming(columns) }
}

/** Returns the source of a collection. Only collections with SQL sources reach this room. */
export const sourceOf = (collection: Collection) => collection.source as SqlSource

function columnNaming (columns: NonNullable<TableOptions['columns']>): SqlSource['column'] {
  if (columns === 'none') return property => property
  if (columns === 'snake_case') return property => words(property).join('_')
  return property => Object.hasOwn(columns, property) ? columns[property] ?? property : property
}
