import { sql } from '../load-kysely.ts'
import type { DataField } from '../../../model/model.ts'
import { isExact, type Operator } from '../../../model/values.ts'
import type { Predicate } from '../../../plan/plan.ts'
import type { Builder } from './builder.ts'
import type { ColumnType, Sql } from './dialect.ts'
import { buildRelated, comparing } from './function-columns.ts'
import { related, relatedToAny, withConstants } from './join-conditions.ts'
import { isTextual } from './shape.ts'
import type { Slot } from './slots.ts'
import { column, table, tableRef, type TableRef } from './table.ts'

type Compare = Extract<Predicate, { kind: 'compare' }>

/**
 * Builds a predicate as a condition for `where`. The condition may be null if the predicate is false, which `where`,
 * `and` and `or` treat alike. Only `not` makes its operand two-valued, so that an index can serve plain comparisons.
 */
export function buildFilter (predicate: Predicate, ref: TableRef, builder: Builder): Sql {
  switch (predicate.kind) {
    case 'all': return join(predicate.of, ref, builder, sql` and `, sql`1 = 1`)
    case 'any': return join(predicate.of, ref, builder, sql` or `, sql`1 = 0`)
    case 'is_null': return sql`${shownOrNull(predicate, ref, builder)} is null`
    case 'not':
      if (predicate.of.kind === 'is_null') return sql`${shownOrNull(predicate.of, ref, builder)} is not null`
      // Not `is not true`: SQLite takes that word for a column that is called so.
      return sql`not coalesce(${buildFilter(predicate.of, ref, builder)}, 1 = 0)`
    case 'some': return buildSome(predicate, ref, builder)
    case 'related': return buildRelated(predicate, [predicate.value], ref, builder, columns => {
      const values = comparing(columns, ref, builder)
      return buildFilter(predicate.having, values.ref, values.builder)
    })
    case 'compare': return buildCompare(predicate, ref, builder)
  }
}

function join (predicates: readonly Predicate[], ref: TableRef, builder: Builder, separator: Sql, empty: Sql): Sql {
  if (predicates.length === 0) return empty
  return sql`(${sql.join(predicates.map(one => buildFilter(one, ref, builder)), separator)})`
}

function buildSome ({ field, where }: Extract<Predicate, { kind: 'some' }>, ref: TableRef, builder: Builder): Sql {
  const target = tableRef(field.target, builder.alias())
  if (isSelective(where)) {
    const found = buildFilter(where, target, builder)
    const condition = field.kind === 'sub-item' ? found : withConstants(found, field, one => column(target, one))
    const { dialect } = builder
    return relatedToAny(field, ref, target, key => {
      return sql`select ${key} from ${table(target)} where ${dialect.clocked(condition)}`
    }, dialect)
  }
  const relation = related(field, target, parentField => column(ref, parentField), builder.dialect)
  const conditions = builder.dialect.clocked(sql`${relation} and ${buildFilter(where, target, builder)}`)
  // The limit changes SQLite's plan alone: 3.51 to 3.53.0 turn a plain exists into a join, and then skip too few rows
  // at an offset.
  return sql`exists (select 1 from ${table(target)} where ${conditions} limit 1)`
}

/**
 * Whether a condition names its elements by an identifier, so that few elements satisfy it. The statement then looks up
 * these elements first, and an index on the foreign key leads back to the items. Otherwise it looks for an element of
 * each item in turn, and stops when the page is full.
 */
function isSelective (where: Predicate): boolean {
  switch (where.kind) {
    case 'compare': return namesByIdentifier(where)
    case 'some': return isSelective(where.where)
    case 'all': return where.of.some(isSelective)
    default: return false
  }
}

function namesByIdentifier ({ field, operator }: Compare): boolean {
  return field.kind === 'stored' && field.identifier && isExact(operator)
}

function buildCompare (compare: Compare, ref: TableRef, builder: Builder): Sql {
  const { field, operator } = compare
  const plain = column(ref, field)
  const type = builder.columnType(ref.collection, field)
  const { dialect } = builder
  const [slot] = builder.slotsOf(compare)
  if (slot === undefined) throw new TypeError('a comparison with a value has a slot for it')
  const shown = dialect.asShown(plain, type)
  const textual = isTextual(compare)
  const made = (field.nullable ? nullable : comparisons)[operator]({
    plain,
    shown,
    slot,
    type,
    textual,
    dialect,
    ...compare.stored
      ? { comparable: dialect.comparable(plain, type), operand: dialect.storedOperand(slot, type, textual) }
      : { comparable: dialect.filtered(plain, type, textual), operand: dialect.operand(slot, type, textual) }
  })
  const bound = compare.stored ? undefined : dialect.indexCondition(plain, operator, slot, type, textual)
  return bound === undefined ? made : sql`(${bound} and ${made})`
}

/** Returns the column, with null for other values that are shown as null. */
const shownOrNull = ({ field }: { readonly field: DataField }, ref: TableRef, { dialect, columnType }: Builder): Sql =>
  dialect.jsonNullAsNull(column(ref, field), columnType(ref.collection, field))

/** The column in three forms, the value, and its slot. `shown`: the column's text as a client reads it. */
interface Operands {
  readonly plain: Sql
  readonly shown: Sql
  readonly comparable: Sql
  readonly operand: Sql
  readonly slot: Slot
  readonly type: ColumnType
  readonly textual: boolean
  readonly dialect: Builder['dialect']
}

type Maker = (operands: Operands) => Sql
type Makers = Readonly<Record<Operator, Maker>>

function compareWith (sign: string): Maker {
  return ({ comparable, operand }) => sql`${comparable} ${sql.raw(sign)} ${operand}`
}

const folded = ({ shown, ...operands }: Operands) => ({ ...operands, shown: operands.dialect.foldCase(shown) })

/** The type of folded text, whatever the type of its column. */
const text: ColumnType = { kind: 'string', type: '' }

/** Comparisons with a column that is never null. */
const comparisons: Makers = {
  equals: compareWith('='),
  not_equals: compareWith('<>'),
  greater: compareWith('>'),
  less: compareWith('<'),
  at_least: compareWith('>='),
  at_most: compareWith('<='),
  in: ({ plain, slot, type, textual, dialect }) => dialect.among(plain, slot, type, textual),
  not_in: operands => sql`not ${comparisons.in(operands)}`,
  starts_with: ({ shown, slot, dialect }) => dialect.textTests.starts_with(shown, slot),
  ends_with: ({ shown, slot, dialect }) => dialect.textTests.ends_with(shown, slot),
  contains: ({ shown, slot, dialect }) => dialect.textTests.contains(shown, slot),
  equals_ignoring_case: ({ shown, slot, dialect }) =>
    sql`${dialect.foldCase(shown)} = ${dialect.operand(slot, text, false)}`,
  starts_with_ignoring_case: operands => comparisons.starts_with(folded(operands)),
  ends_with_ignoring_case: operands => comparisons.ends_with(folded(operands)),
  contains_ignoring_case: operands => comparisons.contains(folded(operands))
}

const nullAsShown = ({ plain, type, dialect }: Operands) => dialect.jsonNullAsNull(plain, type)

/** Comparisons with a column that may be null. Null differs from every value. */
const nullable: Makers = {
  ...comparisons,
  not_equals: operands => sql`(${comparisons.not_equals(operands)} or ${nullAsShown(operands)} is null)`,
  not_in: operands => sql`(${comparisons.not_in(operands)} or ${nullAsShown(operands)} is null)`
}
