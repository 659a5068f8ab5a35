import { sql } from 'kysely'
import { isExact, type Operator, traitsOf } from '../../../model/values.ts'
import type { Predicate } from '../../../plan/plan.ts'
import type { Builder } from './builder.ts'
import type { ColumnType } from './columns.ts'
import type { Sql } from './dialect.ts'
import { related, relatedToAny } from './join-conditions.ts'
import type { Slot } from './shape.ts'
import { column, tableRef, table, type TableRef } from './table.ts'

type Compare = Extract<Predicate, { kind: 'compare' }>

/**
 * A condition for `where`. It may be null where the predicate is false, which `where`, `and` and `or` take alike; only under `not` is it
 * made two-valued, so that plain comparisons stay what an index can serve.
 */
export function buildFilter (predicate: Predicate, use: TableRef, builder: Builder): Sql {
  switch (predicate.kind) {
    case 'all': return join(predicate.of, use, builder, sql` and `, sql`1 = 1`)
    case 'any': return join(predicate.of, use, builder, sql` or `, sql`1 = 0`)
    case 'not': return sql`(${buildFilter(predicate.of, use, builder)}) is not true`
    case 'some': return buildSome(predicate, use, builder)
    case 'compare': return buildCompare(predicate, use, builder)
  }
}

function join (of: readonly Predicate[], use: TableRef, builder: Builder, separator: Sql, none: Sql): Sql {
  if (of.length === 0) return none
  return sql`(${sql.join(of.map(one => buildFilter(one, use, builder)), separator)})`
}

function buildSome ({ field, where }: Extract<Predicate, { kind: 'some' }>, use: TableRef, builder: Builder): Sql {
  const target = tableRef(field.target, builder.alias())
  if (isSelective(where)) {
    const condition = buildFilter(where, target, builder)
    return relatedToAny(field, use, target, far => sql`select ${far} from ${table(target)} where ${condition}`)
  }
  const conditions = sql`${related(field, target, parentField => column(use, parentField))} and ${buildFilter(where, target, builder)}`
  // The limit changes nothing but SQLite's plan: 3.51 to 3.53.0 turn a plain exists into a join, and then skip too few rows at an offset.
  return sql`exists (select 1 from ${table(target)} where ${conditions} limit 1)`
}

/**
 * Whether few elements can satisfy the condition, because it names one by an identifier. They are then looked up first, and an index on the foreign
 * key leads back from them; otherwise each item is asked in turn whether it has one, which ends as soon as the page is full.
 */
function isSelective (where: Predicate): boolean {
  switch (where.kind) {
    case 'compare': return where.field.kind === 'stored' && where.field.identifier && where.value !== null && isExact(where.operator)
    case 'some': return isSelective(where.where)
    case 'all': return where.of.some(isSelective)
    default: return false
  }
}

function buildCompare (compare: Compare, use: TableRef, builder: Builder): Sql {
  const { field, operator, value } = compare
  const plain = column(use, field)
  if (value === null) return compareNull(operator, plain)
  const [slot] = builder.slotsOf(compare)
  if (slot === undefined) throw new TypeError('a comparison with a value has a slot for it')
  const held = builder.columnType(use.collection, field)
  const makers = field.nullable ? nullable : comparisons
  const withNull = Array.isArray(value) && value.includes(null)
  const { dialect } = builder
  return (withNull ? withNulls : makers)[operator]({ plain, shown: dialect.asShown(plain, held), comparable: dialect.comparable(plain, held), slot, held, dialect })
}

/** Null equals null, and is neither before nor after anything. */
function compareNull (operator: Operator, plain: Sql): Sql {
  const { takesNull, list, negated } = traitsOf(operator)
  if (!takesNull || list) return sql`1 = 0`
  return negated ? sql`${plain} is not null` : sql`${plain} is null`
}

/** `shown`: the column's text as a client reads it. */
interface Operands {
  readonly plain: Sql, readonly shown: Sql, readonly comparable: Sql, readonly slot: Slot, readonly held: ColumnType, readonly dialect: Builder['dialect']
}

type Maker = (operands: Operands) => Sql

const compareWith = (sign: string): Maker => ({ comparable, slot, held, dialect }) => sql`${comparable} ${sql.raw(sign)} ${dialect.operand(slot, held)}`
const folded = ({ shown, ...operands }: Operands) => ({ ...operands, shown: operands.dialect.foldCase(shown) })

/** What is folded is text, however its column holds it. */
const text: ColumnType = { kind: 'string', type: '' }

/** Of a column that is never null. */
const comparisons: Readonly<Record<Operator, Maker>> = {
  equals: compareWith('='),
  not_equals: compareWith('<>'),
  greater: compareWith('>'),
  less: compareWith('<'),
  at_least: compareWith('>='),
  at_most: compareWith('<='),
  in: ({ plain, slot, held, dialect }) => dialect.among(plain, slot, held),
  not_in: operands => sql`not ${comparisons.in(operands)}`,
  starts_with: ({ shown, slot, dialect }) => dialect.startsWith(shown, slot),
  ends_with: ({ shown, slot, dialect }) => dialect.endsWith(shown, slot),
  contains: ({ shown, slot, dialect }) => dialect.contains(shown, slot),
  equals_ignoring_case: ({ shown, slot, dialect }) => sql`${dialect.foldCase(shown)} = ${dialect.operand(slot, text)}`,
  starts_with_ignoring_case: operands => comparisons.starts_with(folded(operands)),
  ends_with_ignoring_case: operands => comparisons.ends_with(folded(operands)),
  contains_ignoring_case: operands => comparisons.contains(folded(operands))
}

/** Null is no value, so it is none of those asked for, and so it is among those that are not. */
const nullable: Readonly<Record<Operator, Maker>> = {
  ...comparisons,
  not_equals: operands => sql`(${comparisons.not_equals(operands)} or ${operands.plain} is null)`,
  not_in: operands => sql`(${comparisons.not_in(operands)} or ${operands.plain} is null)`
}

/** Lists that hold null. */
const withNulls: Readonly<Record<Operator, Maker>> = {
  ...comparisons,
  in: operands => sql`(${comparisons.in(operands)} or ${operands.plain} is null)`,
  not_in: operands => sql`(${comparisons.not_in(operands)} and ${operands.plain} is not null)`
}
