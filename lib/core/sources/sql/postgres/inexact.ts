import { sql } from '../load-kysely.ts'
import type { Operator } from '../../../model/values.ts'
import type { Sql } from '../statements/dialect.ts'

/**
 * A type whose values are finer than what a client sees, and filters by. An order, and so a cursor, goes by the column
 * itself. `type`: the type of the column. `shownType`: the type of what is shown. `toShown`: what is shown, in that
 * type. `ends`: the least and the greatest value that may be shown as `operand`. `position`: the text of a value by
 * which a cursor finds its place, or null where that is the value as it is shown.
 */
export interface Inexact {
  readonly type: string
  readonly shownType: string
  toShown (column: Sql): Sql
  ends (operand: Sql): Range
  position? (column: Sql): Sql
}

interface Range { readonly low: Sql, readonly high: Sql }

/**
 * Returns the condition on the column, which an index serves, that a comparison of what is shown implies; undefined if
 * it implies none.
 */
export function indexConditionOf (column: Sql, operator: Operator, ends: Range): Sql | undefined {
  const make = Object.hasOwn(conditions, operator) ? conditions[operator] : undefined
  return make?.(column, ends)
}

const conditions: Partial<Readonly<Record<Operator, (column: Sql, ends: Range) => Sql>>> = {
  equals: (column, { low, high }) => sql`${column} between ${low} and ${high}`,
  greater: (column, { low }) => sql`${column} >= ${low}`,
  at_least: (column, { low }) => sql`${column} >= ${low}`,
  less: (column, { high }) => sql`${column} <= ${high}`,
  at_most: (column, { high }) => sql`${column} <= ${high}`
}

// Timestamps, whose types hold microseconds where the wire has milliseconds.

const milliseconds = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
const microseconds = 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'

/** The text of a timestamp. One before the year 1 says so, and an endless one is `infinity` or `-infinity`. */
export const timestamp = (column: Sql, inUtc = column, form = milliseconds): Sql => {
  const isUsual = sql`${column} >= '0001-01-01 00:00:00Z' and isfinite(${column})`
  return sql`case when ${isUsual} then to_char(${inUtc}, ${sql.lit(form)})
    when isfinite(${column}) then to_char(${inUtc}, ${sql.lit(`${form} BC`)}) else (${column})::text end`
}

const inUtc = (column: Sql) => sql`(${column}) at time zone 'UTC'`
export const timestampInZone = (column: Sql) => timestamp(column, inUtc(column))

/** A column with a time zone, of microseconds: a client sees it cut to milliseconds. */
export const fineTimestampInZone = fine('timestamptz', column => timestamp(column, inUtc(column), microseconds))
/** The reading of a `timestamp` column, which has no time zone. */
export const fineTimestamp = fine('timestamp', column => timestamp(column, column, microseconds))

/** A millisecond later. Nothing but infinity is later than the last one. */
const next = (operand: Sql) => sql`(case when ${operand} < '294276-12-31 23:59:59.999Z'
  then ${operand} + interval '1 millisecond' else 'infinity' end)`

function fine (type: string, toText: (column: Sql) => Sql): Inexact {
  const cut = (column: Sql) => sql`date_trunc('milliseconds', ${column})`
  return {
    type,
    shownType: type,
    toShown: cut,
    position: column => sql`case when ${cut(column)} <> ${column} then ${toText(column)} end`,
    // The end is included, because no time can be added to infinity.
    ends: operand => ({ low: operand, high: next(operand) })
  }
}

// Numbers over columns whose values are no doubles. A client sees the nearest double and filters by it.

const double = (value: Sql) => sql`(${value})::double precision`

/** By way of text, because the cast of a `real` shows digits that it does not have: 0.1 would be 0.10000000149. */
export const real: Inexact = {
  type: 'real',
  shownType: 'double precision',
  toShown: column => sql`(${column})::text::double precision`,
  ends: operand => ({ low: nearest(operand), high: nearest(operand) })
}

/** Returns the nearest `real` of a double. The cast alone fails on what is too large or too small. */
function nearest (value: Sql): Sql {
  const ofSize = sql`case when abs(${value}) < 7.1e-46 then 0 else (${value})::real end`
  const endless = sql`case when ${value} = 'NaN' or ${value} < 0 then -1 else 1 end`
  return sql`(case when abs(${value}) < 3.40282356e38 then ${ofSize} when ${value} = 'NaN' then 'NaN'::real
    else (${endless} * 'Infinity'::double precision)::real end)`
}

/** `numeric` of more than 15 digits. The cast alone fails on what is too large or too small for a double. */
export const wideNumeric: Inexact = {
  type: 'numeric',
  shownType: 'double precision',
  position: column => sql`(${column})::text`,
  toShown: column => sql`(case when abs(${column}) < 1e-320 then 0::double precision
    when abs(${column}) > ${sql.raw(largest)} and abs(${column}) < 'Infinity'
      then sign(${column})::double precision * 'Infinity'::double precision
    else ${double(column)} end)`,
  ends (operand) {
    // By way of text, because the cast of a double has 15 digits.
    const exact = sql`(${operand})::text::numeric`
    const ends = sql`${exact} * (1 - 1e-15), ${exact} * (1 + 1e-15)`
    // A value that is too large for a double is shown as infinity, and is found by it.
    const low = sql`least(${ends}, ${sql.raw(largest)}) - 1e-320`
    const high = sql`greatest(${ends}, -${sql.raw(largest)}) + 1e-320`
    return { low, high }
  }
}

/**
 * Returns a double as a `numeric`, of all its digits where it may equal an integer that is bound as text. The cast of a
 * double has 15 digits, and its text the fewest that stand for it.
 */
export function numericOf (value: Sql): Sql {
  const isWide = sql`abs(${value}) >= 9007199254740992 and ${value} >= -9223372036854775808
    and ${value} < 9223372036854775808`
  return sql`(case when ${isWide} then (${value})::bigint::numeric else (${value})::text::numeric end)`
}

const largest = '1.7976931348623157e308::numeric'
