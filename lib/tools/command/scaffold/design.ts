import type { ColumnNames, TableName } from '../../../core/sources/sql/tables.ts'
import type { Omission } from './tables.ts'

// A design says what is declared for a database, in values. declare.ts makes collections of it, write/ makes source.

/** The type of a field's values. */
export type TypeDesign =
  | { readonly kind: 'integer' | 'number' | 'boolean' | 'string' | 'json' }
  | { readonly kind: 'text', readonly format: 'date' | 'date-time' | 'time' | 'uuid' | 'int64' | 'decimal' | 'byte' }
  | { readonly kind: 'choice', readonly values: ReadonlyArray<string | number> }
  | { readonly kind: 'list', readonly of: TypeDesign }

export interface ScalarDesign {
  readonly kind: 'scalar'
  readonly property: string
  readonly column: string
  readonly type: TypeDesign
  /** True if a client may see no value, or leave it out. */
  readonly optional: boolean
  /** True if a client may write null. */
  readonly nullable: boolean
  readonly flags: DesignFlags
  readonly description: string | undefined
}

export interface DesignFlags {
  readonly identifier?: true
  readonly readable?: true
  readonly writable?: true
  readonly hidden?: true
  readonly filterable?: false
  readonly sortable?: false
}

interface SubItemDesign {
  readonly kind: 'sub-item'
  readonly property: string
  /** The property of the collection. */
  readonly target: string
  readonly foreignKey: readonly string[]
  readonly flags: DesignFlags
}

interface SubCollectionDesign {
  readonly kind: 'sub-collection'
  readonly property: string
  readonly target: string
  readonly foreignKey: readonly string[]
  readonly join: { readonly through: string, readonly otherKey: readonly string[] } | undefined
  readonly flags: DesignFlags
}

export type FieldDesign = ScalarDesign | SubItemDesign | SubCollectionDesign

export interface CollectionDesign {
  /** The name in the application. */
  readonly property: string
  readonly table: TableName
  readonly columns: ColumnNames
  /** The properties of the key, where no single identifier is it. */
  readonly key: readonly string[] | undefined
  readonly description: string | undefined
  readonly fields: readonly FieldDesign[]
  /** True if a client that may write could create an item. */
  readonly creatable: boolean
  /** True if the database has a statement that deletes an item. */
  readonly deletable: boolean
  /** The query of a listing that shows items of other collections by their names; undefined where there are none. */
  readonly view?: string | undefined
}

/** The collections as which a database is served. */
export interface Design {
  readonly kind: 'sqlite' | 'postgres'
  readonly collections: readonly CollectionDesign[]
  /** The tables that are served as relations alone. */
  readonly joins: readonly string[]
  readonly omissions: readonly Omission[]
  /** The columns that look secret, as `table.column`. */
  readonly secrets: readonly string[]
  /** The tables whose types are guesses by their first rows. */
  readonly partlySeen: readonly string[]
}
