// Sums and means as memory() has them (exact-sum.ts), apart from the dialect, as those of SQLite are.

import { sql } from '../load-kysely.ts'
import type { ColumnType, Sql } from '../statements/dialect.ts'
import { postgresKind } from './kinds.ts'

/** A column as it is, and as filters compare it. */
interface Summed { readonly column: Sql, readonly filtered: Sql }

/** Returns the sum of a column, or its mean (Dialect.sum). */
export function sum ({ column, filtered }: Summed, { kind, type }: ColumnType, call: 'sum' | 'avg'): Sql {
  const total = sql`sum(${postgresKind(kind).add(column, filtered, type)})::numeric`
  if (call === 'avg') return rounded(total, sql`count(${column})::numeric`, count => quotient(total, count))
  return kind === 'number' ? rounded(total, sql`1`, () => sql`${total}::float8`) : total
}

/** Returns the double that is nearest to a total divided by a count, as a decimal. `make`: returns that double. */
function rounded (total: Sql, count: Sql, make: (count: Sql) => Sql): Sql {
  // A cast of a number that no double holds fails.
  return sql`(case when abs(${total}) >= ${count} * 1.79769313486231580793728971405303e308
    then sign(${total}) * 'Infinity'::float8
    when abs(${total}) <= ${count} * 2.4703282292062327208829e-324 then 0 else ${make(count)} end)::text::numeric`
}

/** Returns a total divided by a count, rounded once (quotientOf). A division of decimals would round its result. */
function quotient (total: Sql, count: Sql): Sql {
  const withPlaces = (places: number) => {
    const dividend = sql`${total} * ${sql.raw(`1e${places}`)}`
    const rest = sql`case when mod(${dividend}, ${count}) = 0 then '' else '.1' end`
    return sql`(div(${dividend}, ${count}) || ${rest} || ${sql.lit(`e-${places}`)})::float8`
  }
  return sql`case when abs(${total}) >= ${count} * 1e-5 then ${withPlaces(80)} else ${withPlaces(1100)} end`
}
