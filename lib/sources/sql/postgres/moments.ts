import { sql } from '../load-kysely.ts'
import type { Sql } from '../statements/dialect.ts'
import { boundOf, type Inexact } from './inexact.ts'

// Moments in PostgreSQL, whose types hold microseconds where the wire has milliseconds.

const milliseconds = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
const microseconds = 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'

/** The text of a moment. A moment before the year 1 says so, and an endless one is `infinity` or `-infinity`. */
export const moment = (column: Sql, inUtc = column, form = milliseconds): Sql => {
  const isUsual = sql`${column} >= '0001-01-01 00:00:00Z' and isfinite(${column})`
  return sql`case when ${isUsual} then to_char(${inUtc}, ${sql.lit(form)})
    when isfinite(${column}) then to_char(${inUtc}, ${sql.lit(`${form} BC`)}) else (${column})::text end`
}

const inUtc = (column: Sql) => sql`(${column}) at time zone 'UTC'`
export const momentInZone = (column: Sql) => moment(column, inUtc(column))

/** A column with a time zone, of microseconds: a client sees it cut to milliseconds. */
export const fineMomentInZone = fine('timestamptz', column => moment(column, inUtc(column), microseconds))
/** The reading of a `timestamp` column, which has no time zone. */
export const fineMoment = fine('timestamp', column => moment(column, column, microseconds))

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
    bound: (column, operator, operand) => boundOf(column, operator, { low: operand, high: next(operand) })
  }
}
