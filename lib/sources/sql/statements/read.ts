import { sql } from 'kysely'
import type { DataField } from '../../../model/model.ts'
import { isExact, traitsOf } from '../../../model/values.ts'
import type { Origin, Predicate, ReadPlan, Step, ReadPlanOf } from '../../../plan/plan.ts'
import type { Found, Missed, ReadResult } from '../../source.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { related } from './join-conditions.ts'
import { buildLimit, buildList, buildRow, decodeRows } from './select.ts'
import { column, tableRef, selected, table, type TableRef } from './table.ts'

/** A row that a statement gives: its values, in the order of its columns. */
export type Values = readonly unknown[]

/** The range of this plan, which its shape leaves open. */
export interface Bounds { readonly limit: number }

/** What a statement gives: `item`, the row of one key at the most; `row`, one at the most, whatever it is made of. */
export type Cardinality = 'item' | 'row' | 'rows'

/** A read as one statement, and how the rows that it gives become a result. */
export interface ReadCode<Result = ReadResult> { readonly sql: Sql, readonly cardinality: Cardinality, decode (rows: readonly Values[], bounds: Bounds): Result }

interface Body { readonly rows: Sql, readonly total?: Sql, decode (rows: unknown, total: { readonly total?: number }, bounds: Bounds): Found }

/** Builds the statement of a read, however long its path and deep its selection (docs/http.md: URLs). */
export function buildRead (plan: ReadPlan, builder: Builder, locking = false): ReadCode {
  const stands = plan.steps.map((step, index) => tableRef(step.collection, `(s${index})`))
  const [only, ...others] = stands
  if (plan.kind === 'item' && only !== undefined && others.length === 0 && !locking) return buildOnlyItem(plan, only, builder)
  const body = buildBody(plan, stands.at(-1), builder)
  const steps = buildSteps(plan.steps, stands, builder, locking)
  const outputs = [...buildCounts(stands), sql`${builder.dialect.asText(body.rows)} as ${sql.id('rows')}`, sql`${body.total ?? sql`null`} as ${sql.id('total')}`]
  return {
    sql: sql`${withSteps(steps)}select ${sql.join(outputs)}`,
    cardinality: 'row',
    decode ([row], bounds) {
      const output = readOutput(row, stands.length)
      return output.missed ?? body.decode(JSON.parse(String(output.rest[0])), totalIn(output.rest[1]), bounds)
    }
  }
}

function buildOnlyItem ({ steps, select }: ReadPlanOf<'item'>, stand: TableRef, builder: Builder): ReadCode {
  const row = buildRow(select, [], stand, builder)
  const rows = builder.dialect.asText(builder.dialect.collect(row.sql))
  const [found] = buildStands(steps, [stand], builder)
  return {
    sql: sql`select count(*) as ${sql.id('c0')}, ${rows} as ${sql.id('rows')} from (${found}) as ${sql.id(stand.alias)}`,
    cardinality: 'row',
    decode ([output]) {
      const { missed, rest: [json] } = readOutput(output, 1)
      return missed ?? { kind: 'rows', rows: decodeRows(JSON.parse(String(json)), row), more: false }
    }
  }
}

/** How many items each step stands on, as `c0` and so on. */
export const buildCounts = (stands: readonly TableRef[]): readonly Sql[] =>
  stands.map((stand, index) => sql`(select count(*) from ${sql.id(stand.alias)}) as ${sql.id(`c${index}`)}`)

export const withSteps = (steps: readonly Sql[]): Sql => steps.length === 0 ? sql`` : sql`with ${sql.join(steps)} `

/** The one row of a statement that tells how many items each of its steps stands on: the first that does not stand on one, and the other values. */
export function readOutput (row: Values | undefined, steps: number): { readonly missed: Missed | undefined, readonly rest: Values } {
  if (row === undefined) throw new TypeError('such a statement gives exactly one row')
  const step = row.slice(0, steps).findIndex(count => Number(count) !== 1)
  return { missed: step < 0 ? undefined : { kind: Number(row[step]) === 0 ? 'missing' : 'ambiguous', step }, rest: row.slice(steps) }
}

export const totalIn = (total: unknown): { readonly total?: number } => total === null ? {} : { total: Number(total) }

/** What the items are of which a step finds any: one, where a single identifier names it, since its values are unique. Only the key is sure to have an index. */
export function cardinalityOf ({ where, collection }: Step): Cardinality {
  if (where.kind !== 'compare' || !isExact(where.operator) || traitsOf(where.operator).list || where.value === null || where.field.kind !== 'stored' || !where.field.identifier) return 'rows'
  return where.field === collection.key ? 'item' : 'row'
}

/** Each step a common table expression of the items it stands on. */
export function buildSteps (steps: readonly Step[], stands: readonly TableRef[], builder: Builder, locking = false): readonly Sql[] {
  return buildStands(steps, stands, builder, locking).map((items, index) => sql`${sql.id(stands[index]?.alias ?? '')} as (${items})`)
}

/** The items that each step stands on: two are enough to know that they are too many. `locking` keeps the last one's from being changed. */
export function buildStands (steps: readonly Step[], stands: readonly TableRef[], builder: Builder, locking = false): readonly Sql[] {
  // From the last to the first, since each says which columns it needs of the one before.
  return steps.map((step, index) => ({ step, index })).toReversed().map(({ step, index }) => {
    const use = tableRef(step.collection, builder.alias())
    const where = startingAt(step, use, stands[index - 1], step.where, builder)
    const stand = stands[index] ?? use
    const columns = selected(use, stand)
    const lock = locking && index === steps.length - 1 ? builder.dialect.lock : sql``
    return sql`select ${columns} from ${table(use)} where ${where} limit 2${lock}`
  }).toReversed()
}

/** What a step or listing starts from: the whole collection, or what leads to it from the item of the step before. */
export function startingAt ({ via }: Origin | Step, use: TableRef, parent: TableRef | undefined, where: Predicate, builder: Builder): Sql {
  const condition = buildFilter(where, use, builder)
  if (via === undefined || parent === undefined) return condition
  return sql`${related(via, use, field => sql`(select ${column(parent, field)} from ${sql.id(parent.alias)} limit 1)`)} and ${condition}`
}

function buildBody (plan: ReadPlan, parent: TableRef | undefined, builder: Builder): Body {
  switch (plan.kind) {
    case 'item': return buildItem(plan, parent, builder)
    case 'list': return buildPage(plan, parent, builder)
    case 'groups': return buildGroups(plan, parent, builder)
  }
}

function buildItem ({ select }: ReadPlanOf<'item'>, stand: TableRef | undefined, builder: Builder): Body {
  if (stand === undefined) throw new TypeError('an item is reached by a step at least')
  const row = buildRow(select, [], stand, builder)
  return {
    rows: sql`(select ${builder.dialect.collect(row.sql)} from ${sql.id(stand.alias)})`,
    decode: rows => ({ kind: 'rows', rows: decodeRows(rows, row), more: false })
  }
}

function buildPage ({ from, listing, beyond, carry, count }: ReadPlanOf<'list'>, parent: TableRef | undefined, builder: Builder): Body {
  const list = buildList({ ...listing, carry, ahead: true }, tableRef(from.collection, builder.alias()), inner => {
    return sql`${startingAt(from, inner, parent, listing.where, builder)} and ${buildFilter(beyond, inner, builder)}`
  }, builder)
  return {
    rows: list.sql,
    ...count && { total: buildCount(from, parent, listing.where, sql`*`, builder) },
    decode: (rows, total, { limit }) => ({ kind: 'rows', rows: decodeRows(rows, list).slice(0, limit), more: isMore(rows, limit), ...total })
  }
}

const isMore = (rows: unknown, limit: number) => (rows as readonly unknown[]).length > limit

export function buildCount (from: Origin, parent: TableRef | undefined, where: Predicate, counted: Sql, builder: Builder): Sql {
  const use = tableRef(from.collection, builder.alias())
  const condition = startingAt(from, use, parent, where, builder)
  return sql`(select count(${counted}) from ${table(use)} where ${condition})`
}

function buildGroups ({ from, by, beyond, descending, range, members, count }: ReadPlanOf<'groups'>, parent: TableRef | undefined, builder: Builder): Body {
  const held = builder.columnType(from.collection, by)
  const group = sql.id(builder.alias())
  const value = sql`${group}.${sql.id('value')}`
  const list = buildList(members, tableRef(from.collection, builder.alias()), inner => {
    const own = builder.dialect.comparable(column(inner, by), held)
    return sql`${startingAt(from, inner, parent, members.where, builder)} and ${own} = ${value}`
  }, builder)
  const values = buildValues({ from, by, beyond, descending, range, members }, parent, builder)
  return {
    rows: sql`(select ${builder.dialect.collect(builder.dialect.row([builder.dialect.encode(value, held), list.sql]))} from (${values}) as ${group})`,
    ...count && { total: buildDistinct(from, parent, members.where, by, builder) },
    decode: (rows, total, { limit }) => ({
      kind: 'groups',
      groups: (rows as ReadonlyArray<readonly [unknown, unknown]>).slice(0, limit).map(([one, items]) => ({
        value: builder.dialect.decode(one, held), rows: decodeRows(items, list)
      })),
      more: isMore(rows, limit),
      ...total
    })
  }
}

/** The distinct values of the page's groups, in order. */
function buildValues ({ from, by, beyond, descending, range, members }: Omit<ReadPlanOf<'groups'>, 'kind' | 'steps' | 'count'>, parent: TableRef | undefined, builder: Builder): Sql {
  const use = tableRef(from.collection, builder.alias())
  const where = sql`${startingAt(from, use, parent, members.where, builder)} and ${buildFilter(beyond, use, builder)} and ${column(use, by)} is not null`
  const value = builder.dialect.comparable(column(use, by), builder.columnType(from.collection, by))
  return sql`select distinct ${value} as ${sql.id('value')} from ${table(use)} where ${where} order by 1 ${descending ? sql`desc` : sql`asc`} ${buildLimit(range, true, builder)}`
}

function buildDistinct (from: Origin, parent: TableRef | undefined, where: Predicate, by: DataField, builder: Builder): Sql {
  const use = tableRef(from.collection, builder.alias())
  const value = builder.dialect.comparable(column(use, by), builder.columnType(from.collection, by))
  const condition = startingAt(from, use, parent, where, builder)
  return sql`(select count(distinct ${value}) from ${table(use)} where ${condition})`
}
