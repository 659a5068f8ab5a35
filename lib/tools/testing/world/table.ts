import type { ValueKind } from '../../../core/model/kinds.ts'
import type { TableOptions } from '../../../core/sources/sql/source.ts'

/**
 * The kind of a column's values. Rows give values as an item shows them (docs/databases.md: Types of columns).
 *
 * - `key`: an integer for which the database has a default: the highest key plus one, so that a refused insert leaves
 *   no gap
 * - `integer`: a number, or the digits of an integer beyond 2^53 as text
 * - `number`: a double; `NaN`, `Infinity` and `-Infinity` as text
 * - `real`: the same, of numbers of 32 bits, each as the shortest decimal that stands for it; doubles will do as well
 * - `numeric`: the same, for a column of decimals; each is the shortest decimal that stands for a double
 * - `int64`, `decimal`: exact numbers as text; a decimal keeps its zeros, and can be `NaN`, `Infinity` and `-Infinity`
 * - `byte`: bytes as text in base64
 * - `date`, `date-time`, `time`, `uuid`: text; the column may have a type for them. Dates and date-times can be
 *   `infinity` and `-infinity`. Date-times have three digits of milliseconds; times may have a zone or a fraction
 * - `json`: any JSON value; the column keeps the order of members
 */
export type ColumnKind = Exclude<ValueKind, 'string' | 'mixed' | 'exact_json'> | 'key' | 'text' | 'real' | 'numeric'

export interface Column {
  /** The name in the database. May be a keyword of SQL, and may contain spaces and quotes. */
  readonly name: string
  /** The property by which the source must know the column. */
  readonly property: string
  readonly kind: ColumnKind
  readonly nullable: boolean
  /** True where no two rows may have the same value. Null is not a value. */
  readonly unique: boolean
  /** The value that the database stores if an insert does not name the column; undefined for a column without one. */
  readonly default?: unknown
  /**
   * The column that this foreign key refers to; undefined where it is not one, or not constrained. Tables and rows are
   * listed after those that they refer to.
   */
  readonly references?: Reference
}

export interface Reference {
  readonly table: string
  /** The column's name in the database. */
  readonly column: string
  /** True where deleting a row deletes the rows that refer to it; false where they prevent the deletion. */
  readonly cascade: boolean
}

/** A foreign key of several columns; columns of this table and of the other, in the same order. */
export interface TableReference {
  readonly columns: readonly string[]
  readonly table: string
  readonly otherColumns: readonly string[]
  /** As of Reference. */
  readonly cascade: boolean
}

/** A table that the function under test creates and fills. */
export interface Table {
  /** The name in the database. May be a keyword of SQL, and may contain spaces and quotes. */
  readonly name: string
  readonly columns: readonly Column[]
  /** The primary key's columns, by their names in the database; empty for some join tables. */
  readonly primaryKey: readonly string[]
  /** Foreign keys of several columns; undefined for a table without one. A null in one of them refers to no row. */
  readonly references?: readonly TableReference[]
  /** The mapping of properties to column names, as the option `columns` of `db.table(name, { columns })`. */
  readonly naming: NonNullable<TableOptions['columns']>
  /** The rows' values, by the columns' names in the database. */
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** Returns statements that create and fill the tables, for people to read. */
export const describeTables = (tables: readonly Table[]): string => tables.map(describeTable).join('\n')

function describeTable ({ name, columns, primaryKey, references = [], rows }: Table): string {
  const lines = [
    ...columns.map(describeColumn),
    ...primaryKey.length > 0 ? [`primary key (${list(primaryKey)})`] : [],
    ...references.map(describeTableReference)
  ]
  const inserts = rows.map(row => `insert into ${quote(name)} values ${shorten(JSON.stringify(row))};`)
  return [`create table ${quote(name)} (${lines.join(', ')});`, ...inserts].join('\n')
}

const describeColumn = ({ name, kind, nullable, unique, references, default: fallback }: Column) => [
  quote(name), kind,
  ...nullable ? [] : ['not null'],
  ...fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`],
  ...unique ? ['unique'] : [],
  ...references === undefined ? [] : [describeReference(references)]
].join(' ')

const list = (names: readonly string[]) => names.map(quote).join(', ')

const describeTableReference = ({ columns, table, otherColumns, cascade }: TableReference) => [
  `foreign key (${list(columns)}) references ${quote(table)} (${list(otherColumns)})`,
  ...cascade ? ['on delete cascade'] : []
].join(' ')

const describeReference = ({ table, column, cascade }: Reference) =>
  `references ${quote(table)} (${quote(column)})${cascade ? ' on delete cascade' : ''}`

/** Returns a name as a quoted identifier of SQL. */
const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Returns the text without its middle, where it has more than 2,000 characters. */
export const shorten = (text: string) =>
  text.length <= 2000 ? text : `${text.slice(0, 1500)}...(${text.length} characters)...${text.slice(-300)}`
