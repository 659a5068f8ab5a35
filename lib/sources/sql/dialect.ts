import type { QueryCompiler, RawBuilder } from 'kysely'
import type { ValueKind } from '../../model/values.ts'
import type { Slot, Value } from './shape.ts'

export type Sql = RawBuilder<unknown>

/** What differs from one database to another. */
export interface Dialect {
  readonly compiler: QueryCompiler
  /** A column as it is compared and ordered: text by code point. */
  comparable (column: Sql, kind: ValueKind): Sql
  /** Whether a column's value is among those of an array that is bound as one parameter. */
  among (column: Sql, slot: Slot, kind: ValueKind): Sql
  startsWith (column: Sql, slot: Slot): Sql
  endsWith (column: Sql, slot: Slot): Sql
  contains (column: Sql, slot: Slot): Sql
  /** Text as foldCase gives it. */
  foldCase (column: Sql): Sql
  limit (limit: Sql | undefined, offset: Sql | undefined): Sql
  /** A JSON array of values, each encoded. */
  row (values: readonly Sql[]): Sql
  /** The JSON array of a column of JSON, over rows in the order they come in; empty over none. */
  collect (row: Sql): Sql
  /** A column in a form that is exact as JSON. */
  encode (column: Sql, kind: ValueKind): Sql
  /** The value that encode() stood for. */
  decode (encoded: unknown, kind: ValueKind): unknown
  /** A value as the driver takes it. */
  bind (value: Value): unknown
}
