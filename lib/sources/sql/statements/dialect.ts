import type { QueryCompiler, RawBuilder } from 'kysely'
import type { ColumnType } from './columns.ts'
import type { Slot, Value } from './shape.ts'

export type Sql = RawBuilder<unknown>

/** How a database writes JSON exactly as JSON.stringify does. */
export interface Writer {
  /** A column's value inside of `object`; nothing where values held so cannot be written. `once`: its SQL is long, and so must not stand twice. */
  value (column: Sql, held: ColumnType, once: boolean): Sql | undefined
  object (members: ReadonlyArray<readonly [name: string, value: Sql]>): Sql
  /** The array of an aggregate's objects, in the order they come in; empty over none. */
  array (object: Sql): Sql
  /** An aggregate's objects with a text between each two; null over none. */
  join (object: Sql, separator: string): Sql
  /** Numbers that the database cannot write as JavaScript does are marked in the text; this writes them. */
  finish (text: string): string
}

/** What differs from one database to another. */
export interface Dialect {
  readonly compiler: QueryCompiler
  /** A column as it is compared and ordered: text by code point. */
  comparable (column: Sql, held: ColumnType): Sql
  /** A column of text as a client reads it. */
  asShown (column: Sql, held: ColumnType): Sql
  /** A bound value as it is compared with a comparable column. */
  operand (slot: Slot, held: ColumnType): Sql
  /** Whether a column's value is among those of an array that is bound as one parameter. */
  among (column: Sql, slot: Slot, held: ColumnType): Sql
  startsWith (column: Sql, slot: Slot): Sql
  endsWith (column: Sql, slot: Slot): Sql
  contains (column: Sql, slot: Slot): Sql
  /** Text as foldCase gives it. */
  foldCase (column: Sql): Sql
  limit (limit: Sql | undefined, offset: Sql | undefined): Sql
  /** Keeps the rows that a `select` gives from being changed by others. */
  readonly lock: Sql
  /** A JSON array of values, each encoded. */
  row (values: readonly Sql[]): Sql
  /** The JSON array of a column of JSON, over rows in the order they come in; empty over none. */
  collect (row: Sql): Sql
  /** JSON as text, which no driver converts. */
  asText (json: Sql): Sql
  /** A column in a form that is exact as JSON. */
  encode (column: Sql, held: ColumnType): Sql
  /** The value that encode() stood for. */
  decode (encoded: unknown, held: ColumnType): unknown
  /** A column in a form that every driver gives as it is, outside of JSON. */
  fetch (column: Sql, held: ColumnType): Sql
  /** Makes of what fetch() gave the value that it stood for. */
  fetched (held: ColumnType): (value: unknown) => unknown
  readonly writer: Writer
  /** Whether a page of nothing but columns becomes JSON faster in the application than in the database. */
  readonly fetchesPages: boolean
  /** A bound value as it is stored in a column. */
  store (slot: Slot, held: ColumnType): Sql
  /** Between `insert`'s columns and its values, where the key is given. */
  readonly givenKey: Sql
  /** A value as the driver takes it. */
  bind (value: Value): unknown
}
