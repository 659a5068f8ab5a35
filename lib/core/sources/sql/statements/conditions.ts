import { sql } from '../load-kysely.ts'
import type { DataField } from '../../../model/model.ts'
import type { Operator } from '../../../model/values.ts'
import type { FieldPredicate } from '../../../plan/plan.ts'
import type { Builder } from './builder.ts'
import type { ColumnType, Sql } from './dialect.ts'
import { comparedValue, type Slot, type Value } from './slots.ts'
import { column, type TableRef } from './table.ts'

/** What statements need of a condition of one field. */
interface Condition<P> {
  /** Part of the key of a shape, behind the field: what build() builds differently, without the values. */
  key (predicate: P): string
  /** The values that are bound; build() has their slots by the predicate. */
  values (predicate: P): readonly Value[]
  build (predicate: P, ref: TableRef, builder: Builder): Sql
}

type Kind = FieldPredicate['kind']
type Of<K extends Kind> = Extract<FieldPredicate, { readonly kind: K }>

const conditions: { readonly [K in Kind]: Condition<Of<K>> } = {
  is_null: {
    key: () => 'null',
    values: () => [],
    build: (predicate, ref, builder) => sql`${shownOrNull(predicate, ref, builder)} is null`
  },
  compare: {
    key: compare => `${compare.operator}${compare.stored ? '^' : ''}${isTextual(compare) ? 't' : ''}`,
    values: compare => [comparedValue(compare)],
    build: buildCompare
  }
}

export const conditionOf = <P extends FieldPredicate>({ kind }: P) => conditions[kind] as Condition<P>

export const buildIsNotNull = (predicate: Of<'is_null'>, ref: TableRef, builder: Builder): Sql =>
  sql`${shownOrNull(predicate, ref, builder)} is not null`

/**
 * Whether a number or timestamp is compared with a value of the other type: such as NaN, or an integer that no double
 * holds, which are texts in JSON.
 */
export function isTextual ({ value, field: { type: { kind } } }: Of<'compare'>): boolean {
  if (kind === 'date-time') return typeof value === 'number'
  if (kind !== 'integer' && kind !== 'number') return false
  return typeof value === 'object' ? value.some(one => typeof one === 'string') : typeof value === 'string'
}

function buildCompare (compare: Of<'compare'>, ref: TableRef, builder: Builder): Sql {
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
