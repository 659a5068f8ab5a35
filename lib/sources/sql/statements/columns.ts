import type { ValueKind } from '../../../model/values.ts'

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
