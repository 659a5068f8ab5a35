import type { Collection, StoredField } from '../../../model/model.ts'
import type { ValueKind } from '../../../model/values.ts'
import { sourceOf } from '../source.ts'

/** How a value is held: its kind, and the type of its column in the database's own words, empty where that makes no difference or is not known. */
export interface ColumnType { readonly kind: ValueKind, readonly type: string }

/** The types of a database's columns, by table and column. */
export interface ColumnTypes { get (table: string): ReadonlyMap<string, string> | undefined }

/** The type of a field's column. */
export function columnType (types: ColumnTypes, collection: Collection, { property }: Pick<StoredField, 'property'>): string {
  const { table, column } = sourceOf(collection)
  return types.get(table)?.get(column(property)) ?? ''
}
