import { sql } from '../load-kysely.ts'
import type { Collection } from '../../../model/model.ts'
import { isExact, traitsOf } from '../../../model/values.ts'
import type { Origin, Predicate, ReadPlan, ReadPlanOf, Step } from '../../../plan/plan.ts'
import { always, fieldsIn, keyValuesIn } from '../../../plan/predicates.ts'
import type { Missed } from '../../source.ts'
import { mayRepeatKeys } from '../catalog.ts'
import { tableOf } from '../source.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { related } from './join-conditions.ts'
import type { Cardinality, CompiledRead, ReadLimit, RowValues } from './compiled-read.ts'
import { isDirect } from './select.ts'
import { column, queryRef, selected, table, tableRef, type TableRef } from './table.ts'

// The path of a plan in SQL: each step is a common table expression of the items that the step resolves to, at most
// two.

/** Returns a reference to the common table expression of each step: `(s0)`, `(s1)` and so on. */
export const stepRefs = (steps: readonly Step[]): readonly TableRef[] =>
  steps.map((step, index) => queryRef(step.collection, `(s${index})`))

/** Returns the `with` clause of these common table expressions, or no SQL if there are none. */
export const withSteps = (steps: readonly Sql[]): Sql => steps.length === 0 ? sql`` : sql`with ${sql.join(steps)} `

/**
 * Builds the common table expression of each step, which stops at two rows, enough to prove ambiguity. Call it last:
 * `refs` must know by then which columns the rest of the statement reads. `locking` locks the item of the last step
 * against changes by others.
 */
export function buildSteps (
  steps: readonly Step[], refs: readonly TableRef[], builder: Builder, locking = false
): readonly Sql[] {
  // From the last step to the first, because each step notes which columns it needs of the step before.
  return steps.map((step, index) => ({ step, index })).toReversed().map(({ step, index }) => {
    const source = tableRef(step.collection, builder.alias())
    const start = stepCondition(step, source, refs[index - 1], step.where, builder)
    const where = index === 0 && cardinalityOf(step, builder) === 'item' ? start : builder.clockedScan(start, source)
    const columns = selected(source, refs[index] ?? source)
    // A view may join or group rows that cannot be locked; its triggers see to the rows that they change.
    const isLast = locking && index === steps.length - 1
    const isLocked = isLast && !builder.isReplaced(tableOf(step.collection))
    const lock = isLocked ? builder.dialect.lock() : sql``
    const name = sql.id(refs[index]?.alias ?? '')
    return sql`${name} as (select ${columns} from ${table(source)} where ${where} limit 2${lock})`
  }).toReversed()
}

/**
 * Builds the condition of a step's or a listing's items: `where`, and the relation `via` to the item of the step
 * before. Without `via` the items are those of the whole collection.
 */
export function stepCondition (
  { via }: Origin | Step, ref: TableRef, parent: TableRef | undefined, where: Predicate, builder: Builder
): Sql {
  const condition = buildFilter(where, ref, builder)
  if (via === undefined || parent === undefined) return condition
  const relation = related(via, ref, field => {
    return sql`(select ${column(parent, field)} from ${sql.id(parent.alias)} limit 1)`
  }, builder.dialect)
  return sql`${relation} and ${condition}`
}

/** Returns the function that builds the condition for the items of a page, those beyond its cursor. */
export const itemsOfPage = (
  { from, listing, cursorBound }: ReadPlanOf<'list'>, parent: TableRef | undefined, builder: Builder
) => (inner: TableRef): Sql => {
  const start = stepCondition(from, inner, parent, listing.where, builder)
  const conditions = sql`${start} and ${buildFilter(cursorBound, inner, builder)}`
  return isDirect(listing, from) ? conditions : builder.clockedScan(conditions, inner)
}

/** The select of one row. `outputs`: its columns; `tables`: common table expressions besides those of the steps. */
interface RowSelect {
  readonly refs: readonly TableRef[]
  readonly outputs: ReadonlyArray<readonly [name: string, value: Sql]>
  readonly from?: Sql
  readonly tables?: readonly Sql[]
  readonly locking?: boolean
}

/**
 * Builds a read whose statement gives one row: the number of items that each step resolves to, then `outputs`, which
 * `decode` takes. Its result is the first step that does not resolve to exactly one item, if there is one.
 */
export function buildRowRead<Result> (
  { steps, longest = Infinity }: ReadPlan, { refs, outputs, from = sql``, tables = [], locking }: RowSelect,
  builder: Builder, decode: (values: RowValues, limit: ReadLimit) => Result
): CompiledRead<Result | Missed> {
  const counts = refs.map(({ alias }, index) => [`c${index}`, sql`(select count(*) from ${sql.id(alias)})`] as const)
  const columns = [...counts, ...outputs]
  const select = sql`select ${sql.join(columns.map(([name, value]) => sql`${value} as ${sql.id(name)}`))}${from}`
  const path = withSteps([...buildSteps(steps, refs, builder, locking), ...tables])
  return {
    sql: sql`${path}${builder.dialect.within(select, columns.map(([name]) => name), longest)}`,
    cardinality: 'row',
    decode ([row], limit) {
      if (row === undefined) throw new TypeError('such a statement gives exactly one row')
      const step = row.slice(0, refs.length).findIndex(count => Number(count) !== 1)
      if (step >= 0) return { kind: Number(row[step]) === 0 ? 'missing' : 'ambiguous', step }
      return decode(row.slice(refs.length), limit)
    }
  }
}

/**
 * Returns the largest number of items that a step without `via` can resolve to. The values of a single identifier are
 * unique, so a comparison with one finds one item at most; only the key is sure to have an index.
 */
export function cardinalityOf ({ where, collection }: Step, builder: Builder): Cardinality {
  if (!namesOneRow(collection, builder)) return 'rows'
  if (namesKey(where, collection)) return 'item'
  if (where.kind !== 'compare') return 'rows'
  if (!isExact(where.operator) || traitsOf(where.operator).list) return 'rows'
  if (where.field.kind !== 'stored' || !where.field.identifier) return 'rows'
  return 'row'
}

/**
 * Returns true if the values of the key are compared, with or without conditions on the item's own values besides, such
 * as a scope: the index of the key finds the row.
 */
const namesKey = (where: Predicate, { key }: Collection): boolean => keyValuesIn(where, key) !== undefined ||
  (where.kind === 'all' && where.of.some(one => keyValuesIn(one, key) !== undefined) && where.of.every(isOfOwnValues))

/** Returns true if a predicate compares nothing but what is stored of the item. */
export const isOfOwnValues = (where: Predicate): boolean =>
  fieldsIn(where)?.every(({ kind }) => kind === 'stored') === true

/** Returns false if several rows may have an identifier as clients see it. */
function namesOneRow (collection: Collection, builder: Builder): boolean {
  const found = builder.findTable(tableOf(collection))
  if (found !== undefined && mayRepeatKeys(found)) return false
  const identifiers = collection.stored.filter(field => field.identifier || collection.key.includes(field))
  return identifiers.every(field => builder.dialect.isInjective(builder.columnType(collection, field)))
}

/** Builds a subquery that counts the items of a listing, whatever its page (docs/http.md: Query strings). */
export function buildTotal (
  from: Origin, parent: TableRef | undefined, where: Predicate, builder: Builder
): Sql {
  const ref = tableRef(from.collection, builder.alias())
  const condition = stepCondition(from, ref, parent, where, builder)
  // A database counts all rows faster than it loops over them.
  const isLoop = from.via !== undefined || where !== always
  return sql`(select count(*) from ${table(ref)} where ${isLoop ? builder.clockedScan(condition, ref) : condition})`
}

/** Decodes the value of a total column: `null` is the total of a plan that does not count. */
export function decodeTotal (total: unknown): { readonly total?: number } {
  return total === null ? {} : { total: Number(total) }
}
