import type { Operator } from './operators.ts'

/**
 * A value of a field, other than null, in the form in which it is shown, bound and written. What JSON cannot carry
 * exactly is text: see the kinds of values below.
 */
export type Scalar = string | number | boolean

/**
 * The kind of a type's values.
 *
 * - `integer`: a number, or the digits of an integer beyond 2^53 as text
 * - `number`: a number, or `NaN`, `Infinity`, `-Infinity` as text
 * - `int64`, `decimal`: the exact number as text; compared as numbers
 * - `byte`: bytes as text in base64; compared as bytes
 * - `mixed`: a string, number or boolean; compared as texts
 * - `json`: any JSON; not compared
 */
export type ValueKind =
  | 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'date-time' | 'time' | 'uuid' | 'int64' | 'decimal' | 'byte'
  | 'mixed' | 'json'

/** A type of values, as a field's schema declares it (docs/http.md: Query strings). */
export interface ValueType {
  readonly kind: ValueKind
  /** The type in messages, such as `an integer`. */
  readonly expected: string
  /** The operators that filters may use. Empty for `json`, which cannot be filtered, sorted or searched. */
  readonly operators: ReadonlySet<Operator>
  /** Converts a text of a URL to the value in canonical form. Returns undefined for a text of another form. */
  parse (text: string): Scalar | undefined
  /** Converts a JSON value to its canonical form. Returns undefined for null and for values of another type. */
  take (value: unknown): unknown
}
