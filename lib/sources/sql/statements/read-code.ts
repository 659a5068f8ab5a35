import type { ReadResult } from '../../source.ts'
import type { Sql } from './dialect.ts'

/** A row of a statement's result: its values, in the order of its columns. */
export type Values = readonly unknown[]

/**
 * The limit of the plan at hand. Plans that differ in their limits alone share one statement, so `decode` takes the
 * limit. `longest`: the most characters of the answer.
 */
export interface Bounds { readonly limit: number, readonly longest: number }

/**
 * The largest number of rows in a statement's result.
 *
 * - `item`: one, which an index on the key finds
 * - `row`: one, but finding it may take a scan
 * - `rows`: any number
 */
export type Cardinality = 'item' | 'row' | 'rows'

/** The statement of a read, and the decoder of its rows. */
export interface ReadCode<Result = ReadResult> {
  readonly sql: Sql
  readonly cardinality: Cardinality
  decode (rows: readonly Values[], bounds: Bounds): Result
}
