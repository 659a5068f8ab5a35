import type { CatalogColumn, CatalogTable } from '../../../core/sources/sql/tables.ts'

/** What the rows of a table of SQLite hold in one column: the types of columns are promises there. */
export interface Sample {
  /** The storage classes of the values: `integer`, `real`, `text`, `blob`. */
  readonly classes: ReadonlySet<string>
  /** Each of these is true if all texts, or all integers, are of the form; undefined without any. */
  readonly isDate: boolean | undefined
  readonly isTimestamp: boolean | undefined
  readonly isUuid: boolean | undefined
  readonly isFlag: boolean | undefined
  /** True if an integer is beyond 2^53. */
  readonly isWide: boolean
}

/** A column of the catalog, with what its rows and the role tell. */
export interface SeenColumn extends CatalogColumn {
  /** SQLite only. */
  readonly sample?: Sample | undefined
  /** True for a timestamp in a key or a foreign key, whose microseconds must be shown; PostgreSQL only. */
  readonly isFine?: boolean
  /** True if the role may not select it. */
  readonly isForbidden?: boolean
  /** True if one of the first rows holds the hash of a password. */
  readonly holdsHash?: boolean
}

/** A table or view of the catalog, with what else its collection depends on. */
export interface SeenTable extends CatalogTable {
  readonly columns: readonly SeenColumn[]
  /** True if its name alone, without the schema, leads to it. */
  readonly isPlain: boolean
  /** The columns of unique indexes that do not identify all rows, as found in the first of them; PostgreSQL only. */
  readonly brokenKeys?: ReadonlyArray<readonly string[]>
  /** Columns of a table without a key whose values differ in its first rows; undefined if that was not looked at. */
  readonly proposedKey?: readonly string[] | undefined
  /** True if `rowid` names the rows. */
  readonly hasRowNumber: boolean
  /** The reason for which the database has no statements that write it; undefined if it has them. */
  readonly unwritable?: string | undefined
}

/** Returns true for a table that clients can write as it is. */
export const takesWrites = ({ kind, unwritable }: SeenTable) => kind === 'table' && unwritable === undefined

/** A table, a column or a relation that is not served, and why. `place`: such as `orders` or `orders.photo`. */
export interface Omission { readonly place: string, readonly reason: string }

/** The tables of a database that were read. */
export interface SeenTables {
  readonly kind: 'sqlite' | 'postgres'
  readonly tables: readonly SeenTable[]
  /** The tables that can never be served, each with the reason. */
  readonly omissions: readonly Omission[]
  /** The tables of which the time did not suffice to look at all rows; SQLite only. */
  readonly partlySeen?: readonly string[]
}
