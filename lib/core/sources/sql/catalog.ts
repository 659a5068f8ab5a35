import type { OnDelete, RowChange, SourceWrites, ValueRange } from '../../declare/source.ts'
import type { Literal } from './choices.ts'
import type { TableName } from './table-name.ts'
import { memoize } from '../../scheduling/memoize.ts'

// What a database knows about its tables, in words that all databases share. check/ compares declarations with it.

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
}

export interface CatalogForeignKey {
  readonly columns: readonly string[]
  readonly target: TableName
  /** The columns that are referred to; empty where that is the target's primary key. */
  readonly targetColumns: readonly string[]
  /** Undefined for a default that takes its place. */
  readonly onDelete: OnDelete | undefined
}

export type TableKind = 'table' | 'view' | 'materialized view' | 'foreign table' | 'virtual table'

export interface CatalogTable {
  readonly schema: string
  readonly name: string
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
  /** True if other tables inherit from this one: their rows are shown too, and its constraints do not hold for them. */
  readonly isInherited: boolean
}

/** Returns the columns of a table without triggers to which no foreign key can refer: those of no unique index. */
export function isolatedIn ({ columns, unique }: Pick<CatalogTable, 'columns' | 'unique'>): ReadonlySet<string> {
  const keys = new Set(unique.flat())
  return new Set(columns.map(({ name }) => name).filter(name => !keys.has(name)))
}

/** The facts about a table by which its statements are built. */
export interface StatementTable extends TableWrites {
  /** The types of its columns by their names, as a dialect takes them (ColumnType). */
  readonly types: ReadonlyMap<string, string>
  /** True if its rows have numbers, which Dialect.clocked needs. */
  readonly hasRowNumbers: boolean
  /** True if the table itself says what becomes of duplicates. */
  readonly hasConflictClause: boolean
  /** True if a unique constraint is deferrable, which PostgreSQL does not accept in `on conflict`. */
  readonly isDeferrable: boolean
}

/** Returns what is known of a table; undefined if nothing is. */
export type FindTable = (table: TableName) => StatementTable | undefined

/** The tables that were asked for, as one database describes them. */
export interface Catalog {
  /** Returns the table of a name that was asked for; undefined if the database has none. */
  find (name: TableName): CatalogTable | undefined
  /** Returns a column by its name, as the database compares names. */
  column (table: CatalogTable, name: string): CatalogColumn | undefined
  /** The names of the tables and views that could be meant by a wrong name. Empty where every table was found. */
  readonly others: readonly TableName[]
}

/** The writes that a table or view does not take as they are, as its database tells. */
export interface TableWrites {
  readonly refused: ReadonlySet<RowChange>
  readonly replaced: ReadonlySet<RowChange>
  /** The columns that the database computes. */
  readonly generated: ReadonlySet<string>
  /** The columns whose update changes nothing else, by a trigger or a foreign key (isolatedIn). */
  readonly isolated: ReadonlySet<string>
  /** The columns that nothing fills where an insert leaves them out; on SQLite the key alone. */
  readonly unfilled: ReadonlySet<string>
  /** True for a view whose writes its `instead of` triggers carry out. */
  readonly hasInsteadOf: boolean
  /** True if no index makes sure that every row has a key of its own: in a view, or in a table that others inherit. */
  readonly mayRepeatKeys: boolean
}

const none: ReadonlySet<never> = new Set()

/** The writes of a table that takes all as they are. */
export const plainWrites: TableWrites = {
  refused: none,
  replaced: none,
  generated: none,
  isolated: none,
  unfilled: none,
  hasInsteadOf: false,
  mayRepeatKeys: false
}

/** Returns what is known of the writes of a table; undefined if it takes all as they are, or nothing is known yet. */
type FindWrites = (table: TableName) => TableWrites | undefined

/** Returns a function that gives the writes of one table as the plans of requests need them. */
export function sourceWrites (
  find: FindWrites, table: TableName, column: (property: string) => string
): () => SourceWrites | undefined {
  const toSource = memoize(({ refused, replaced, generated, isolated, unfilled }: TableWrites): SourceWrites => ({
    refused,
    replaced,
    isGenerated: property => generated.has(column(property)),
    isIsolated: property => isolated.has(column(property)),
    isUnfilled: property => unfilled.has(column(property))
  }))
  return () => {
    const found = find(table)
    return found && toSource(found)
  }
}
