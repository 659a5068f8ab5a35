import type { Collection, StoredField } from '../../../model/model.ts'
import type { ValueKind } from '../../../model/values.ts'
import { sourceOf, tableOf } from '../source.ts'
import type { TableName } from '../table-name.ts'

/**
 * The type of a column. `kind` is the kind of the field's values; `type` is the database's own name of the type, which
 * is empty if it is unknown or makes no difference. `nullable`: whether the field may be null. `element`: the kind of
 * the elements that the field declares.
 */
export interface ColumnType {
  readonly kind: ValueKind
  readonly type: string
  readonly nullable?: boolean
  readonly element?: ValueKind | undefined
}

/** The database's names of its columns' types, by table and column. */
export interface ColumnTypes { get (table: TableName): ReadonlyMap<string, string> | undefined }

/** Returns the database's name of the type of a field's column, or an empty string if it is unknown. */
export function columnType (
  types: ColumnTypes, collection: Collection, { property }: Pick<StoredField, 'property'>
): string {
  return types.get(tableOf(collection))?.get(sourceOf(collection).column(property)) ?? ''
}
