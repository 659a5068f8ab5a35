import { sql } from 'kysely'
import type { ColumnType } from '../statements/columns.ts'
import type { Sql, Writer } from '../statements/dialect.ts'
import { writeMarked } from '../statements/exact-numbers.ts'
import { formOf } from './forms.ts'

/** JSON as PostgreSQL writes it. */
export const postgresWriter: Writer = {
  value: writeValue,
  // A row, which becomes JSON with all that it stands in: a sixth faster than json_build_object(), and without its white space.
  object: members => sql`(select ${sql.id('(o)')} from (select ${sql.join(members.map(([name, value]) => sql`${value} as ${sql.id(name)}`))}) as ${sql.id('(o)')})`,
  array: object => sql`coalesce(array_to_json(array_agg(${object})), '[]')`,
  join: (object, separator) => sql`string_agg(to_json(${object})::text, ${sql.lit(separator)})`,
  finish: writeMarked
}

/** Numbers that JavaScript would write otherwise, or has no word for, are marked. */
function writeValue (column: Sql, held: ColumnType): Sql {
  const value = formOf(held).encode(column)
  if ((held.kind !== 'integer' && held.kind !== 'number') || held.type === 'smallint' || held.type === 'integer') return value
  if (held.type === 'bigint') return unlessMarked(value, sql`${value} between ${sql.lit(Number.MIN_SAFE_INTEGER)} and ${sql.lit(Number.MAX_SAFE_INTEGER)}`)
  // A column that holds no numbers has none to tell.
  if (held.type !== '' && !/^(?:numeric|real|double precision)/.test(held.type)) return sql`null`
  const double = held.type === 'real' ? sql`(${value} + 0::real)` : sql`((${value})::double precision + 0)`
  // Beyond these bounds one of the two writes an exponent.
  return unlessMarked(double, sql`${double} = 0 or abs(${double}) between 1e-4 and 999999999999999`)
}

const unlessMarked = (value: Sql, alike: Sql) => sql`case when ${alike} then to_json(${value}) when ${value} is not null then json_build_array((${value})::text) end`
