import { sql } from '../load-kysely.ts'
import type { Sql } from '../statements/dialect.ts'
import { boundOf, type Inexact } from './inexact.ts'

// Fields of type Number over columns whose values are no doubles. A client sees the nearest double and filters by it.

const double = (value: Sql) => sql`(${value})::double precision`

/** By way of text, because the cast of a `real` shows digits that it does not have: 0.1 would be 0.10000000149. */
export const real: Inexact = {
  type: 'real',
  shownType: 'double precision',
  toShown: column => sql`(${column})::text::double precision`,
  bound: (column, operator, operand) => boundOf(column, operator, { low: nearest(operand), high: nearest(operand) })
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
  bound (column, operator, operand) {
    // By way of text, because the cast of a double has 15 digits.
    const exact = sql`(${operand})::text::numeric`
    const ends = sql`${exact} * (1 - 1e-15), ${exact} * (1 + 1e-15)`
    // A value that is too large for a double is shown as infinity, and is found by it.
    const low = sql`least(${ends}, ${sql.raw(largest)}) - 1e-320`
    const high = sql`greatest(${ends}, -${sql.raw(largest)}) + 1e-320`
    return boundOf(column, operator, { low, high })
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
