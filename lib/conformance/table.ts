import type { TableOptions } from '../sources/sql/source.ts'

/**
 * What a column holds. Dates, moments, times and UUIDs are given as their texts, which a column of a type of its own may hold as well; moments have three
 * digits of milliseconds. Times may have a zone or a fraction. JSON is given as values and keeps the order of its members. `key` is an integer that the
 * database makes for whoever gives none: one more than the highest there is, so that what was refused leaves no gap.
 */
export type ColumnKind = 'key' | 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'date-time' | 'time' | 'uuid' | 'json'

export interface Column {
  /** In the database. May be a word of SQL or hold spaces and quotes. */
  readonly name: string
  /** In the application: what the source must know the column by. */
  readonly property: string
  readonly kind: ColumnKind
  readonly nullable: boolean
  /** Whether two rows may not have the same value; null is none. */
  readonly unique: boolean
  /** The foreign key: it holds values of that table's key or null. Tables are given after those that they refer to, rows too. */
  readonly references?: Reference
}

export interface Reference {
  readonly table: string
  /** The column, by its name in the database. */
  readonly column: string
  /** Whether rows that refer to a row go with it, instead of holding it. */
  readonly cascade: boolean
}

/** A table for a source to be made of. */
export interface Table {
  /** In the database. May be a word of SQL or hold spaces and quotes. */
  readonly name: string
  readonly columns: readonly Column[]
  /** The columns of the primary key, by their names in the database. A table that joins may have none. */
  readonly primaryKey: readonly string[]
  /** How columns are named after properties, as `db.table(name, { columns })` takes it. */
  readonly naming: NonNullable<TableOptions['columns']>
  /** By the columns' names in the database. */
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** Tables as one would make them, for a person to read. */
export const describeTables = (tables: readonly Table[]): string => tables.map(describeTable).join('\n')

function describeTable ({ name, columns, primaryKey, rows }: Table): string {
  const lines = [
    ...columns.map(describeColumn),
    ...primaryKey.length > 0 ? [`primary key (${primaryKey.map(quote).join(', ')})`] : []
  ]
  const inserts = rows.map(row => `insert into ${quote(name)} values ${shorten(JSON.stringify(row))};`)
  return [`create table ${quote(name)} (${lines.join(', ')});`, ...inserts].join('\n')
}

const describeColumn = ({ name, kind, nullable, unique, references }: Column) => [
  quote(name), kind,
  ...nullable ? [] : ['not null'],
  ...unique ? ['unique'] : [],
  ...references === undefined
    ? []
    : [
      `references ${quote(references.table)} (${quote(references.column)})${references.cascade ? ' on delete cascade' : ''}`
    ]
].join(' ')

/** A name as SQL quotes it. */
export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

/** A text for a person to read, without the middle of what is long. */
export const shorten = (text: string) =>
  text.length <= 2000 ? text : `${text.slice(0, 1500)}...(${text.length} characters)...${text.slice(-300)}`
