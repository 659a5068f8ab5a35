import type { QueryCompiler, RawBuilder } from 'kysely'
import type { Operator, ValueKind } from '../../../model/values.ts'
import type { TimeUnit } from '../../../plan/time-units.ts'
import type { Slot, Value } from './slots.ts'

export type Sql = RawBuilder<unknown>

/** The SQL by which a database writes JSON exactly as JSON.stringify does. */
export interface Writer {
  /**
   * Returns a column's value as a member of `object`, or `undefined` if the database cannot write values of the type.
   * `once`: the column's SQL is long, and must occur only once.
   */
  value (column: Sql, type: ColumnType, once: boolean): Sql | undefined
  object (members: ReadonlyArray<readonly [name: string, value: Sql, isNested: boolean]>): Sql
  /** Returns an array of values, of which some may be arrays of rows. */
  row (values: readonly Sql[]): Sql
  /** Aggregates rows to an array in the order of the rows, which is empty over no rows. */
  rows (row: Sql): Sql
  /** Aggregates the rows of a whole result, which stand in no other row. */
  allRows (row: Sql): Sql
  /** Returns an object or array as text, so that no driver parses it. */
  text (json: Sql): Sql
  /** Aggregates objects to an array in the order of the rows, which is empty over no rows. */
  array (object: Sql): Sql
  /** Aggregates objects to a text with a separator between them, which is null over no rows. */
  join (object: Sql, separator: string): Sql
  /** Replaces the numbers that the database cannot write as JavaScript does, which it marked in the text. */
  finish (text: string): string
}

/** How the values of a filtered column make groups, one for each value that is shown. */
interface Grouping {
  /** Returns the condition for a column's values that have a group; undefined where only null has none. */
  condition (column: Sql): Sql | undefined
  /** Returns a value of the filtered column for JSON. */
  encode (value: Sql): Sql
  /** Decodes a value that encode() put into JSON. */
  decode (encoded: unknown): unknown
}

/**
 * The value of a column by which cursors tell a row's place in the order, as text or a number; null where that is the
 * value as it is shown. `isNone`: a condition for null, which takes less time and need not hold for every null.
 */
export interface PositionSql { readonly sql: Sql, readonly isNone?: Sql | undefined }

/**
 * The columns whose texts may be shown otherwise than they are stored, as the order and so the position has them. SQL
 * takes a function for each row to find that out. So reads of pages select their result as bytes, and the bytes of the
 * rows at its ends tell their positions.
 */
export interface StoredTexts {
  /** Returns true for the type of such a column. */
  areIn (type: ColumnType): boolean
  /** Returns the position of a value that is no text; undefined for a column of texts alone. */
  otherPosition (column: Sql, type: ColumnType): PositionSql | undefined
  /** Returns the text of a result as bytes. */
  asBytes (text: Sql): Sql
  /** Returns the position of a text as it is shown; null if that is the text. `stored`: returns its bytes. */
  textPosition (shown: string, stored: () => Buffer): string | null
}

/** The operators that look for a text in a column, with regard to case. */
type TextOperator = Extract<Operator, 'starts_with' | 'ends_with' | 'contains'>

/** The differences between the databases. */
export interface Dialect {
  makeCompiler (): QueryCompiler
  /** Returns a column as it is ordered, and compared with stored values: text by code point. */
  comparable (column: Sql, type: ColumnType): Sql
  /** Returns a column as filters compare it: values that are shown alike are equal. `textual`: see isTextual(). */
  filtered (column: Sql, type: ColumnType, textual: boolean): Sql
  /**
   * Returns a condition that a comparison of a filtered column implies, and that an index can serve; `undefined` if it
   * can serve the comparison itself. `textual`: see isTextual().
   */
  indexCondition (column: Sql, operator: Operator, slot: Slot, type: ColumnType, textual: boolean): Sql | undefined
  /** Returns a column that is null wherever it is shown as null. */
  jsonNullAsNull (column: Sql, type: ColumnType): Sql
  /** Returns true if the shown value can differ from the stored one. */
  isLossy (type: ColumnType): boolean
  /** Returns true if two stored values are never shown alike. */
  isInjective (type: ColumnType): boolean
  /** Returns how the values of a filtered column of the type make groups. */
  groups (type: ColumnType): Grouping
  /** Returns the sum of a column's values as they are shown, or their mean, as it is shown: as a filtered decimal. */
  sum (column: Sql, type: ColumnType, call: 'sum' | 'avg'): Sql
  /** Returns the beginning of the unit of time that a filtered day or timestamp is in, and its type (startOf). */
  bucket (filtered: Sql, type: ColumnType, unit: TimeUnit): { readonly sql: Sql, readonly type: ColumnType }
  /** Returns the least or greatest of a filtered column's values, in the same form. */
  extreme (call: 'min' | 'max', filtered: Sql, type: ColumnType): Sql
  /** Returns the position of a column's values; undefined if that is the value as it is shown. */
  position (column: Sql, type: ColumnType): PositionSql | undefined
  /** Returns the same of a filtered column, whose values an order takes as they are stored. */
  filteredPosition? (filtered: Sql, type: ColumnType): PositionSql | undefined
  /** Undefined where each text is shown as it is stored. */
  readonly storedTexts?: StoredTexts
  /** Returns a bound position as it is compared with a comparable column. `textual`: see isTextual(). */
  storedOperand (slot: Slot, type: ColumnType, textual: boolean): Sql
  /** Returns a column of text as a client reads it. */
  asShown (column: Sql, type: ColumnType): Sql
  /** Returns a bound value as it is compared with a filtered column. `textual`: see isTextual(). */
  operand (slot: Slot, type: ColumnType, textual: boolean): Sql
  /**
   * Builds the condition that a column's value is among those of an array, which is bound as one parameter. `textual`:
   * see isTextual().
   */
  among (column: Sql, slot: Slot, type: ColumnType, textual: boolean): Sql
  readonly textTests: Readonly<Record<TextOperator, (column: Sql, slot: Slot) => Sql>>
  /** Returns a text folded as foldCase() does. */
  foldCase (column: Sql): Sql
  /**
   * Adds a clock to the conditions of a loop over rows, which ends a statement that takes too long. Returns the
   * conditions as they are where the server does that by itself. `numbered`: the alias of the loop's table if its rows
   * have numbers and if the loop visits each of them once, which makes a cheaper clock.
   */
  clocked (conditions: Sql, numbered?: string): Sql
  /**
   * Returns a select of one row, whose value `rows` is null if its text is too long for an answer of `longest`
   * characters. Returns the select as it is where the driver limits the length of values.
   */
  within (select: Sql, columns: readonly string[], longest: number): Sql
  limit (limit: Sql | undefined, offset: Sql | undefined): Sql
  /** Returns the clause that locks the rows of a `select` against changes by others. */
  lock (): Sql
  /** Returns a column in a form that is exact inside JSON. */
  encode (column: Sql, type: ColumnType): Sql
  /** Returns a column in a form that is exact outside JSON, with every driver. */
  fetch (column: Sql, type: ColumnType): Sql
  /** Returns the decoder of values that fetch() selects, and that encode() put into JSON. */
  decoder (type: ColumnType): (value: unknown) => unknown
  readonly writer: Writer
  /** Whether a read of columns ends once its rows are longer than the answer. */
  readonly endsLongReads: boolean
  /** Whether the application makes the JSON of a page of columns faster than the database does. */
  readonly fetchesPages: boolean
  /** Returns a bound value as it is stored in a column. */
  toColumn (slot: Slot, type: ColumnType): Sql
  /** Returns a bound value of a key as it is stored in a column of a join table, and compared with that column. */
  toJoinColumn (slot: Slot, type: ColumnType): Sql
  /**
   * Builds the rows of an insert from JSON that one parameter has, as rowsAsJson() writes them; undefined where a
   * statement inserts one row.
   */
  readonly manyRows?: (rows: Slot, types: readonly ColumnType[]) => Sql
  /** Returns the clause between the columns and the values of an insert that sets the key. */
  givenKey (): Sql
  /** Returns a value as the driver binds it. */
  bind (value: Value): unknown
}

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
