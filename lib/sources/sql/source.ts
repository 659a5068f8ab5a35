import { DeclarationError } from '../../errors.ts'
import type { Collection } from '../../model/model.ts'
import { words } from '../../model/names.ts'
import type { Database, DataSource } from '../source.ts'

/** A table or view of an SQL database. */
export interface SqlSource extends DataSource {
  readonly table: string
  /** The column that holds a property. */
  column (property: string): string
}

export interface TableOptions {
  /** How columns are named: as properties are, in snake_case, or one by one; a property that is not named is its own column. Default `none`. */
  columns?: 'none' | 'snake_case' | Readonly<Record<string, string>>
}

/** A source of the database's table. Throws a DeclarationError for a name that no table has. */
export function makeSource (database: Database, table: string, { columns = 'none' }: TableOptions): SqlSource {
  if (table === '') throw new DeclarationError('table(name): the name must not be empty')
  return { database, table, column: columnNaming(columns) }
}

/** The source behind a collection. Only collections of SQL sources reach this room. */
export const sourceOf = (collection: Collection) => collection.source as SqlSource

function columnNaming (columns: NonNullable<TableOptions['columns']>): SqlSource['column'] {
  if (columns === 'none') return property => property
  if (columns === 'snake_case') return property => words(property).join('_')
  return property => Object.hasOwn(columns, property) ? columns[property] ?? property : property
}
