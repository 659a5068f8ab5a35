import { sql } from '../load-kysely.ts'
import type { TimeUnit } from '../../../plan/time-units.ts'
import type { ColumnType } from '../statements/columns.ts'
import type { Sql } from '../statements/dialect.ts'
import { formOf } from './forms.ts'

/** Returns the beginning of the unit of time that a day or timestamp is in (Dialect.bucket). */
export function bucket (value: Sql, columnType: ColumnType, unit: TimeUnit) {
  const inZone = formOf(columnType).type === 'timestamptz'
  const local = inZone ? sql`(${value}) at time zone 'UTC'` : sql`(${value})::timestamp`
  const isWhole = sql`${local} >= '0001-01-01' and ${local} < '10000-01-01'`
  const start = sql`(case when ${isWhole} then date_trunc(${sql.lit(unit)}, ${local}) else ${local} end)`
  return unit === 'hour'
    ? { sql: start, type: { kind: 'date-time', type: 'timestamp(3) without time zone', nullable: true } as const }
    : { sql: sql`${start}::date`, type: { kind: 'date', type: 'date', nullable: true } as const }
}
