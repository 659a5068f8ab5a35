import { kindOf } from '../../../model/kinds.ts'
import type { DataField } from '../../../model/model.ts'
import type { FoundRows, ReadResult } from '../../source.ts'
import type { Sql } from './dialect.ts'
import type { TextsOfPage } from './positions.ts'

/** A row of a statement's result: its values, in the order of its columns. */
export type RowValues = readonly unknown[]

/**
 * The limit of the plan at hand. Plans that differ in their limits alone share one statement, so `decode` takes the
 * limit. `longest`: the most characters of the answer.
 */
export interface ReadLimit { readonly limit: number, readonly longest: number }

/**
 * The largest number of rows in a statement's result.
 *
 * - `item`: one, which an index on the key finds
 * - `row`: one, but finding it may take a scan
 * - `rows`: any number
 */
export type Cardinality = 'item' | 'row' | 'rows'

/** The statement of a read, and the decoder of its rows. */
export interface CompiledRead<Result = ReadResult> {
  readonly sql: Sql
  readonly cardinality: Cardinality
  /** The values of a row that can be long. Default: one. */
  readonly longValues?: number
  decode (rows: readonly RowValues[], limit: ReadLimit): Result
}

export const mayBeLong = ({ type }: DataField): boolean => kindOf(type.kind).isLong

/**
 * The part of a statement that reads rows: their column, and that of the total. `with`: a common table expression that
 * both read. `texts`: fields for which the column is read as bytes; then `bytes` returns the rows with a character for
 * each byte. `total` is undefined if the plan does not count.
 */
export interface ReadBody {
  readonly with?: Sql
  readonly rows: Sql
  readonly texts?: TextsOfPage | undefined
  readonly total?: Sql
  decode (rows: unknown, total: { readonly total?: number }, limit: ReadLimit, bytes: () => unknown): FoundRows
}
