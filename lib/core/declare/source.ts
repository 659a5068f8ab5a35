import type { Expression } from './computed.ts'

/**
 * The data behind a collection, made by memory(), sqlite(), postgres() or kysely(). lib/core/sources has its methods.
 */
export interface Source {
  /** The database that holds the data, compared with `===`. A relation cannot cross databases. */
  readonly database: { readonly kind: string, readonly readOnly?: boolean }
  /** What names the table in its database; undefined where no other source has its rows. */
  readonly tableName?: string
  /** Returns the name of the column that stores a property; undefined where the source has no columns. */
  readonly column?: (property: string) => string
  /** The properties that the option `columns` lists. */
  readonly namedColumns?: readonly string[]
  /**
   * Throws a DeclarationError for an expression whose SQL holds a value that changes. `place`: the beginning of its
   * message. Undefined where the source takes no SQL.
   */
  readonly checkSql?: (place: string, expression: Expression) => void
  /** The names of the join tables; undefined where the source does not know them. */
  readonly joinNames?: ReadonlySet<string>
  /**
   * Returns an object that is another one when the database tells more of the table; undefined if it has not told yet,
   * because a database is read after the plugin is registered. What follows is asked of the table for each write.
   */
  readonly known?: () => object | undefined
  /**
   * Returns the changes that the table, or the join table `through`, does not take, such as those of a view without a
   * trigger for them. Undefined where the source takes all, or nothing is known yet.
   */
  readonly refused?: (through?: string) => ReadonlySet<RowChange> | undefined
  /** Returns true for a view whose triggers `instead of` make changes, so that no row seems to have changed. */
  readonly isReplaced?: () => boolean
  /** Returns true if the database computes the column of a property, so that no statement may write it. */
  readonly isGenerated?: (property: string) => boolean
  /**
   * Returns true if an update of the property's column changes nothing else: its table has no trigger for updates, and
   * no foreign key can refer to the column.
   */
  readonly isIsolated?: (property: string) => boolean
  /** Returns true if nothing fills the column of a property where an insert leaves it out, as a key of integers. */
  readonly isUnfilled?: (property: string) => boolean
  /**
   * Returns the range of the values in the column of a property; undefined if the types of fields describe them all, or
   * nothing is known yet. It is asked for each document.
   */
  readonly range?: (property: string) => ValueRange | undefined
  /**
   * Returns what the column of a property does not take of the values of its field's type; undefined if it takes all,
   * or nothing is known yet.
   */
  readonly limits?: (property: string) => ColumnLimits | undefined
  /**
   * Returns what names the table, or the join table `through`, in the changes that its database tells of; undefined if
   * its rows may come from other tables.
   */
  readonly tableKey?: (through?: string) => unknown
  /**
   * Returns what the database does with the rows whose foreign key refers to a row that is deleted; undefined where it
   * does not tell. `foreignKey`: properties of this table, or of the join table `through`.
   */
  readonly onDelete?: (foreignKey: readonly string[], through?: string) => OnDelete | undefined
}

/** What a database does with a row that refers to one that is deleted: deletes it, empties its foreign key, refuses. */
export type OnDelete = 'cascade' | 'set null' | 'restrict'

/**
 * The values of a column that has some for which JSON, or the type of a field, has no form: they are shown as texts
 * that no client can write (docs/databases.md: Types of columns). The elements of an array of PostgreSQL may be null.
 *
 * - `int64`: integers beyond 2^53
 * - `decimal`: decimal numbers of any size, and `NaN`
 * - `float`: doubles with `NaN` and both infinities
 * - `day`: days or moments before the year 1, after 9999, and both infinities
 * - `time`: times up to `24:00:00`
 */
export type ValueRange = 'int64' | 'decimal' | 'float' | 'day' | 'time' | { readonly elements: ValueRange | undefined }

/** What a column takes: any value that is within each of these limits. */
export interface ColumnLimits {
  /** The most characters of a text, as code points. */
  readonly length?: number
  /** The lowest and the highest number, written as decimals. */
  readonly lowest?: string
  readonly highest?: string
  /** The most decimal places of a number; below zero for one whose last digits are zeros. */
  readonly places?: number
  /** The least number above zero, as a decimal; numbers below zero have the same. */
  readonly least?: string
  /** The texts that it takes. */
  readonly choices?: readonly string[]
  /** The limits of each element of an array. */
  readonly elements?: ColumnLimits
}

/** The change of a join table that makes a link, or removes one. */
export type LinkingChange = 'insert' | 'delete'

/** A change of one row. */
export type RowChange = 'insert' | 'update' | 'delete'
