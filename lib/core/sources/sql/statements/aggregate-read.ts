import { sql } from '../load-kysely.ts'
import { tooManyGroups } from '../../../errors/errors.ts'
import type { DataField } from '../../../model/model.ts'
import type { ReadPlanOf } from '../../../plan/plan.ts'
import { notNullGroup } from '../../not-null.ts'
import type { Builder } from './builder.ts'
import type { ReadBody } from './compiled-read.ts'
import type { Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { buildColumn, type BuiltColumn, comparing, decodeRow, encodeRow } from './function-columns.ts'
import { buildLimit } from './select.ts'
import { buildSort } from './sort.ts'
import { stepCondition } from './steps.ts'
import { column, table, tableRef, type TableRef } from './table.ts'

/**
 * Builds the read of groups. A common table expression makes them in one loop over the items, and no more than the
 * limit and one; conditions, order and page are those of its rows.
 */
export function buildAggregate (
  plan: ReadPlanOf<'aggregate'>, parent: TableRef | undefined, builder: Builder
): ReadBody {
  const { count, mostGroups, columns: planned } = plan
  const { writer } = builder.dialect
  const ref = tableRef(plan.from.collection, builder.alias())
  const columns = planned.map(column => buildColumn(column, ref, builder))
  const check = notNullGroup(planned)
  const name = sql.id(groupsName)
  const made = columns.map((one, index) => ({ ...one, sql: sql.id(groupsName, `c${index}`) }))
  const { ref: groups, builder: outer } = comparing(made, ref, builder)
  const where = buildFilter(plan.having, groups, outer)
  const order = plan.order.length === 0 ? sql`` : sql` order by ${buildSort(plan.order, groups, outer)}`
  const page = sql`select * from ${name} where ${where}${order} ${buildLimit(plan.range, true, builder)}`
  const rows = sql`(select ${writer.rows(encodeRow(made, builder.dialect))} from (${page}) as ${name})`
  return {
    with: sql`${name} as materialized (${buildGroups(plan, columns, ref, parent, builder)})`,
    rows: sql`(select ${writer.row([sql`(select count(*) from ${name})`, rows])})`,
    ...count && { total: sql`(select count(*) from ${name} where ${where})` },
    decode (answered, total, { limit }) {
      const [made, found] = answered as readonly [number, ReadonlyArray<readonly unknown[]>]
      if (made > mostGroups) throw tooManyGroups(mostGroups)
      const read = found.slice(0, limit).map(row => check(decodeRow(row, columns, builder.dialect)))
      return { kind: 'rows', rows: read, more: found.length > limit, ...total }
    }
  }
}

// No table has such a name.
const groupsName = '(groups)'

function buildGroups (
  { from, where, columns: planned, named, mostGroups }: ReadPlanOf<'aggregate'>, columns: readonly BuiltColumn[],
  ref: TableRef, parent: TableRef | undefined, builder: Builder
): Sql {
  const start = stepCondition(from, ref, parent, where, builder)
  const [first] = planned
  const by = named ? first?.of?.field : undefined
  const items = builder.clockedScan(by === undefined ? start : sql`${start} and ${hasGroup(ref, by, builder)}`, ref)
  const values = sql.join(columns.map(({ sql: value }, index) => sql`${value} as ${sql.id(`c${index}`)}`))
  const keys = planned.flatMap(({ call }, index) => call === undefined ? [sql`${sql.lit(index + 1)}`] : [])
  const grouped = keys.length === 0 ? sql`` : sql` group by ${sql.join(keys)}`
  return sql`select ${values} from ${table(ref)} where ${items}${grouped} limit ${sql.lit(mostGroups + 1)}`
}

/** Returns the condition for rows that are in a named group: neither null nor a value that no path names. */
export function hasGroup (ref: TableRef, by: DataField, { dialect, columnType }: Builder): Sql {
  const value = column(ref, by)
  const type = columnType(ref.collection, by)
  const condition = dialect.groups(type).condition(value)
  const isShown = sql`${dialect.jsonNullAsNull(value, type)} is not null`
  return condition === undefined ? isShown : sql`${isShown} and ${condition}`
}
