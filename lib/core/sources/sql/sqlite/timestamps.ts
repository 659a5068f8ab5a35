import { sql } from '../load-kysely.ts'
import type { Operator } from '../../../model/values.ts'
import { firstMillis } from '../../../model/numbers.ts'
import type { Sql } from '../statements/dialect.ts'

// Timestamps in SQLite, which has no type for them (docs/databases.md: Types of columns).

const form = "'%Y-%m-%dT%H:%M:%fZ'"
const canonical = "'????-??-??T??:??:??.???Z'"
const day = "'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'"

/** Returns the condition for texts that are shown as they are stored. */
export const isCanonical = (column: Sql): Sql => sql`${column} glob ${sql.raw(canonical)}`

/** Returns a column of timestamps in the form that clients see, whatever form the column has. */
export const timestamp = (column: Sql): Sql => sql`case
  when ${isCanonical(column)} then ${column}
  when typeof(${column}) in ('integer', 'real') then coalesce(${ofEpoch(column)}, cast(${column} as text))
  when ${column} glob ${sql.raw(day)} and (length(${column}) = 10 or substr(${column}, 11, 1) in (' ', 'T'))
    then coalesce(strftime(${sql.raw(form)}, ${column}), ${column})
  else cast(${column} as text) end`

/** A number is seconds since 1970, or milliseconds where it is too large for seconds. */
function ofEpoch (column: Sql): Sql {
  // abs() fails on the least integer.
  const isSeconds = sql`${column} > ${sql.lit(-firstMillis)} and ${column} < ${sql.lit(firstMillis)}`
  const seconds = sql`case when ${isSeconds} then ${column} else ${column} / 1000.0 end`
  return sql`strftime(${sql.raw(form)}, ${seconds}, 'unixepoch')`
}

/**
 * Returns a condition on the texts of a column that a comparison of timestamps implies, so that an index serves it. The
 * texts of a day begin with it, except where they have a time zone, which moves them by a day at most, or name a day
 * that their month does not have, such as 2026-02-31, which SQLite takes for one of the first three of the next month.
 */
export function timestampCondition (column: Sql, operator: Operator, value: Sql): Sql | undefined {
  const text = sql`${column} collate binary`
  const low = sql`${text} >= coalesce(date(${value}, '-4 days'), '')`
  const high = sql`${text} < coalesce(date(${value}, '+2 days'), char(1114111))`
  const bounds: Partial<Readonly<Record<Operator, Sql>>> = {
    equals: sql`${low} and ${high}`, greater: low, at_least: low, less: high, at_most: high
  }
  return Object.hasOwn(bounds, operator) ? bounds[operator] : undefined
}

/** Returns a bound timestamp as a column of its type stores it. */
export function storeTimestamp (value: Sql, type: string): Sql {
  switch (type.toUpperCase()) {
    case 'INTEGER':
    case 'INT': return sql`coalesce(cast(strftime('%s', ${value}) as integer), ${value})`
    case 'REAL': return sql`coalesce(strftime('%s', ${value}) + substr(${value}, 21, 3) / 1000.0, ${value})`
    // The column has SQLite's own form as its default. Two forms in one column would not sort as the timestamps do.
    case spacedType.toUpperCase(): return sql`replace(replace(replace(${value}, 'T', ' '), '.000Z', ''), 'Z', '')`
    default: return value
  }
}

/** The type of a column of text whose default is a timestamp of SQLite, such as `2026-01-02 03:04:05`. */
export const spacedType = 'text default current_timestamp'
