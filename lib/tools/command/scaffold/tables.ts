import type { CatalogColumn, CatalogTable } from '../../../core/sources/sql/catalog.ts'

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

export interface Column extends CatalogColumn {
  /** The values that a check constraint allows, in its order. */
  readonly choices: ReadonlyArray<string | number> | undefined
  /** SQLite only. */
  readonly sample?: Sample | undefined
  /** True for a timestamp in a key or a foreign key, whose microseconds must be shown; PostgreSQL only. */
  readonly isFine?: boolean
  /** True if the role may not select it. */
  readonly isForbidden?: boolean
  /** True if one of the first rows holds the hash of a password. */
  readonly holdsHash?: boolean
}

/** A table or view with all that a design is made from. */
export interface Table extends CatalogTable {
  readonly columns: readonly Column[]
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
export const takesWrites = ({ kind, unwritable }: Table) => kind === 'table' && unwritable === undefined

/** A table, a column or a relation that is not served, and why. `place`: such as `orders` or `orders.photo`. */
export interface Omission { readonly place: string, readonly reason: string }

/** A database as its catalog describes it. */
export interface Tables {
  readonly kind: 'sqlite' | 'postgres'
  readonly tables: readonly Table[]
  /** The tables that can never be served, each with the reason. */
  readonly omissions: readonly Omission[]
  /** The tables of which the time did not suffice to look at all rows; SQLite only. */
  readonly partlySeen?: readonly string[]
}
