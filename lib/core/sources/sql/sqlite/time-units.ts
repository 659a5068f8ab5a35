// Alone, because who asks how SQLite makes groups of days looks for units of time.
import type { TimeUnit } from '../../../plan/time-units.ts'
import { sql } from '../load-kysely.ts'
import type { ColumnType, Sql } from '../statements/dialect.ts'

/** Returns the beginning of the unit of time that a text of a day or timestamp is in (Dialect.bucket). */
export function bucket (text: Sql, { kind }: ColumnType, unit: TimeUnit) {
  const form = kind === 'date' ? day : timestamp
  const isWhole = sql`${text} glob ${sql.raw(form)} and date(substr(${text}, 1, 10)) is not null`
  return {
    sql: sql`case when ${isWhole} then ${starts[unit](text)} else ${text} end`,
    type: { kind: unit === 'hour' ? 'date-time' : 'date', type: 'TEXT', nullable: true } as const
  }
}

const day = "'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'"
const timestamp = "'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z'"

const starts: Readonly<Record<TimeUnit, (text: Sql) => Sql>> = {
  year: text => sql`substr(${text}, 1, 4) || '-01-01'`,
  quarter: text => sql`substr(${text}, 1, 5) || printf('%02d', (substr(${text}, 6, 2) - 1) / 3 * 3 + 1) || '-01'`,
  month: text => sql`substr(${text}, 1, 7) || '-01'`,
  week: text => sql`date(substr(${text}, 1, 10), '-6 days', 'weekday 1')`,
  day: text => sql`substr(${text}, 1, 10)`,
  hour: text => sql`substr(${text}, 1, 13) || ':00:00.000Z'`
}
