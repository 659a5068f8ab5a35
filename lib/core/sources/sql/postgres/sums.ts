import { sql } from '../load-kysely.ts'
import type { ColumnType, Sql } from '../statements/dialect.ts'
import { columnCodec, postgresKind } from './kinds.ts'
import type { TimeUnit } from '../../../plan/time-units.ts'

/** Returns the exact sum of a column, or its mean (Dialect.sum). */
export function sum (
  { column, filtered }: { readonly column: Sql, readonly filtered: Sql }, { kind, type }: ColumnType,
  call: 'sum' | 'avg'
): Sql {
  const total = sql`sum(${postgresKind(kind).add(column, filtered, type)})::numeric`
  if (call === 'sum') return total
  // A cast of a number that no double holds fails.
  const nearest = sql`case when abs(${total}) >= 1.797693134862315808e308 then sign(${total}) * 'Infinity'::float8
    when abs(${total}) < 2.5e-324 then 0 else ${total}::float8 end`
  return sql`((${nearest}) / count(${column}))::text::numeric`
}

/** The aggregates min() and max() of PostgreSQL before 18 take neither UUIDs nor bytes. */
export function extreme (call: 'min' | 'max', value: Sql, columnType: ColumnType): Sql {
  const name = sql.raw(call)
  switch (columnCodec(columnType).type) {
    case 'uuid': return sql`${name}((${value})::text collate "C")::uuid`
    case 'bytea': return sql`decode(${name}(encode(${value}, 'hex') collate "C"), 'hex')`
    default: return sql`${name}(${value})`
  }
}

/** Returns the beginning of the unit of time that a day or timestamp is in (Dialect.bucket). */
export function bucket (value: Sql, columnType: ColumnType, unit: TimeUnit) {
  const inZone = columnCodec(columnType).type === 'timestamptz'
  const local = inZone ? sql`(${value}) at time zone 'UTC'` : sql`(${value})::timestamp`
  const isWhole = sql`${local} >= '0001-01-01' and ${local} < '10000-01-01'`
  const start = sql`(case when ${isWhole} then date_trunc(${sql.lit(unit)}, ${local}) else ${local} end)`
  return unit === 'hour'
    ? { sql: start, type: { kind: 'date-time', type: 'timestamp(3) without time zone', nullable: true } as const }
    : { sql: sql`${start}::date`, type: { kind: 'date', type: 'date', nullable: true } as const }
}
