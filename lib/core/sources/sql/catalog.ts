import type { ColumnLimits, OnDelete, RowChange, ValueRange } from '../../declare/source.ts'
import type { Literal } from './choices.ts'
import type { TableName } from './table-name.ts'
import { memoize } from '../../scheduling/memoize.ts'

// What a database has of tables, in words that all databases share: check/ compares declarations with it, plans ask it
// by their source, the command designs collections by it. What statements need besides stands in StatementTable.

/** A kind of databases with a catalog. */
export type Engine = 'sqlite' | 'postgres'

/**
 * The family of a column's type. `any`: a column that may hold values of every type, as in SQLite. `other`: a type that
 * the plugin knows nothing about, and shows as text.
 */
export type TypeFamily =
  | 'integer' | 'decimal' | 'float' | 'money' | 'boolean' | 'text' | 'enum' | 'date' | 'timestamp' | 'time' | 'interval'
  | 'uuid' | 'json' | 'bytes' | 'array' | 'other' | 'any'

export interface CatalogColumn {
  readonly name: string
  /** The type as the database writes it. The type of a domain is the type under it. */
  readonly type: string
  readonly family: TypeFamily
  readonly nullable: boolean
  /** True if the database fills a column that an insert leaves out: by a default, an identity, or as its row number. */
  readonly filled: boolean
  /** The expression of the default; undefined where there is none. */
  readonly default: string | undefined
  readonly generated: boolean
  /** True for a column that a view computes, while others of its columns can be written. */
  readonly computed: boolean
  readonly identity: 'always' | 'by default' | undefined
  /** The members of an enum, in its order. */
  readonly members: readonly string[] | undefined
  /** The values that a check constraint of the column alone lists; undefined where none does. */
  readonly choices: readonly Literal[] | undefined
  /** The collation by which SQLite compares it, unless the connection does not have it; undefined in PostgreSQL. */
  readonly collation: string | undefined
  readonly comment: string | undefined
  /** The range of its values; undefined where the types of fields describe them all. */
  readonly range: ValueRange | undefined
  /** What it takes of the values that its family has; undefined where it takes all. */
  readonly limits: ColumnLimits | undefined
}

/** What most columns do not have. */
export const plainColumn = {
  default: undefined,
  generated: false,
  computed: false,
  identity: undefined,
  members: undefined,
  choices: undefined,
  collation: undefined,
  comment: undefined,
  range: undefined,
  limits: undefined
} as const

export interface CatalogForeignKey {
  readonly columns: readonly string[]
  readonly target: TableName
  /** The columns that are referred to; empty where that is the target's primary key. */
  readonly targetColumns: readonly string[]
  /** Undefined for a default that takes its place. */
  readonly onDelete: OnDelete | undefined
}

export type TableKind = 'table' | 'view' | 'materialized view' | 'foreign table' | 'virtual table'

/** A table or view. The schema is undefined for one that is not there yet, where a statement finds it by its name. */
export interface CatalogTable extends TableName {
  readonly kind: TableKind
  readonly comment: string | undefined
  readonly columns: readonly CatalogColumn[]
  /** The columns of the primary key; empty where there is none. */
  readonly primaryKey: readonly string[]
  /** The columns of each constraint or index that proves uniqueness: whole, valid, of columns alone. */
  readonly unique: ReadonlyArray<readonly string[]>
  readonly foreignKeys: readonly CatalogForeignKey[]
  /** True if a trigger may fill the columns of a row before it is inserted. */
  readonly fillsRows: boolean
  /** True if an update may change more than the columns that it names, as by a trigger, or in the tables of a view. */
  readonly amendsRows: boolean
  /** The changes that the database refuses, such as those of a view without a trigger for them. */
  readonly refused: ReadonlySet<RowChange>
  /** The changes of a view that its triggers `instead of` make, so that no row seems to have changed. */
  readonly replaced: ReadonlySet<RowChange>
  /** True if other tables inherit from this one: their rows are shown too, and its constraints do not hold for them. */
  readonly isInherited: boolean
}

/** Returns true for a view some of whose changes its triggers `instead of` make. */
export const isReplaced = ({ replaced }: CatalogTable): boolean => replaced.size > 0

/**
 * Returns true if no index makes sure that every row has a key of its own: in a view, in a table of another server, or
 * in a table that others inherit. The module of a virtual table sees to its keys itself.
 */
export const mayRepeatKeys = ({ kind, isInherited }: CatalogTable): boolean =>
  isInherited || (kind !== 'table' && kind !== 'virtual table')

/** The columns of a table about which plans ask. */
interface ToldColumns {
  /** Those that the database computes. */
  readonly generated: ReadonlySet<string>
  /** Those whose update changes nothing else: no trigger sees it, and no foreign key can refer to them. */
  readonly isolated: ReadonlySet<string>
  /** Those that nothing fills where an insert leaves them out. A view has the defaults of its table. */
  readonly unfilled: ReadonlySet<string>
}

/** Returns the columns of a table about which plans ask (Source of declare/). */
export const toldColumns = memoize((
  { kind, columns, unique, fillsRows, amendsRows }: CatalogTable
): ToldColumns => {
  const keys = new Set(unique.flat())
  const isOpen = kind === 'table' && !fillsRows
  const namesOf = (those: readonly CatalogColumn[]) => new Set(those.map(({ name }) => name))
  return {
    generated: namesOf(columns.filter(({ generated }) => generated)),
    isolated: namesOf(columns.filter(({ name }) => !amendsRows && !keys.has(name))),
    unfilled: namesOf(columns.filter(({ filled }) => isOpen && !filled))
  }
})

/** What a statement needs to know of a table besides what the database has. */
export interface StatementTable {
  /** The types of its columns by their names, as a dialect takes them (ColumnType). */
  readonly types: ReadonlyMap<string, string>
  /** True if its rows have numbers, which Dialect.clocked needs. */
  readonly hasRowNumbers: boolean
  /** True if the table itself says what becomes of duplicates. */
  readonly hasConflictClause: boolean
  /** True if a unique constraint is deferrable, which PostgreSQL does not accept in `on conflict`. */
  readonly isDeferrable: boolean
  /** The columns of each constraint and unique index, by its name; none where errors name columns themselves. */
  readonly constraints: ReadonlyMap<string, readonly string[]>
}

/** Returns what is known of a table; undefined if there is none, or nothing is known yet. */
export type FindTable = (table: TableName) => (CatalogTable & StatementTable) | undefined

/** The tables that were asked for, as one database describes them. */
export interface Catalog {
  /** Returns the table of a name that was asked for; undefined if the database has none. */
  find (name: TableName): CatalogTable | undefined
  /** Returns a column by its name, as the database compares names. */
  column (table: CatalogTable, name: string): CatalogColumn | undefined
  /** The names of the tables and views that could be meant by a wrong name. Empty where every table was found. */
  readonly others: readonly TableName[]
}
