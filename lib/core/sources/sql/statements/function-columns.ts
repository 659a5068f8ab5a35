import { sql } from '../load-kysely.ts'
import type { DataField } from '../../../model/model.ts'
import { relatedName } from '../../../plan/order.ts'
import type { Elements, FunctionColumn, GroupColumn, Row } from '../../../plan/plan.ts'
import type { Builder } from './builder.ts'
import type { ColumnType, Dialect, Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { valueColumn } from './item-values.ts'
import { related } from './join-conditions.ts'
import { column, table, tableRef, type TableRef } from './table.ts'

// What functions make of the rows of a group, and of those that a relation leads to.

/** A value in the form in which filters compare it, and the type of that. */
export interface BuiltColumn { readonly field: DataField, readonly sql: Sql, readonly type: ColumnType }

export function buildColumn (column: GroupColumn, ref: TableRef, builder: Builder): BuiltColumn {
  const { field, call, of } = column
  if (of === undefined) return { field, sql: sql`count(*)`, type: countColumn }
  const { dialect } = builder
  const { sql: value, type: declared } = valueColumn(of, ref, builder)
  const type = { ...declared, nullable: true }
  const shown = () => dialect.filtered(dialect.jsonNullAsNull(value, type), type, false)
  switch (call) {
    case undefined: return column.unit === undefined
      ? { field, sql: shown(), type }
      : { field, ...dialect.bucket(shown(), type, column.unit) }
    case 'count': return { field, sql: sql`count(${dialect.jsonNullAsNull(value, type)})`, type: countColumn }
    case 'count_distinct': return { field, sql: sql`count(distinct ${shown()})`, type: countColumn }
    case 'sum':
    case 'avg': {
      const isExact = call === 'sum' && type.kind !== 'number'
      return { field, sql: dialect.sum(value, type, call), type: isExact ? sumColumn : roundedColumn }
    }
    default: return { field, sql: dialect.extreme(call, shown(), type), type }
  }
}

/** The type of what `count(*)` gives. */
const countColumn: ColumnType = { kind: 'integer', type: 'bigint', nullable: false }

/** The type of exact sums. */
const sumColumn: ColumnType = { kind: 'decimal', type: 'numeric', nullable: true }

/** The type of sums and means that are shown as doubles: the decimals of these. */
const roundedColumn: ColumnType = { ...sumColumn, type: 'double precision' }

/**
 * Builds a subquery of what `make` returns for the values of functions of a row's elements. Where columns of an inner
 * query hold all of the values, `make` gets these, and there is no subquery.
 */
export function buildRelated (
  { field, where }: Elements, values: readonly FunctionColumn[], ref: TableRef, builder: Builder,
  make: (columns: readonly BuiltColumn[]) => Sql
): Sql {
  const target = tableRef(field.target, builder.alias())
  const columns = values.map(value => buildColumn(value, target, builder))
  const known = columns.flatMap((one, index) => {
    const value = values[index]
    const sql = value && ref.known.get(relatedName({ field, where, value }))
    return sql === undefined ? [] : [{ ...one, sql }]
  })
  if (known.length === columns.length) return make(known)
  const relation = related(field, target, parentField => column(ref, parentField), builder.dialect)
  const conditions = sql`${relation} and ${buildFilter(where, target, builder)}`
  // An element has one parent by its foreign key, so the functions of many parents visit it once, as one scan does.
  const isScan = field.link.kind === 'foreign-key'
  const clocked = isScan ? builder.clockedScan(conditions, target) : builder.dialect.clocked(conditions)
  return sql`(select ${make(columns)} from ${table(target)} where ${clocked})`
}

/** Returns the row and the builder for conditions and orders of values, which have the compared form already. */
export function comparing (
  columns: readonly BuiltColumn[], { collection }: TableRef, builder: Builder
): { readonly ref: TableRef, readonly builder: Builder } {
  const types = new Map(columns.map(({ field, type }) => [field, type]))
  const asIs = (column: Sql) => column
  const dialect: Dialect = {
    ...builder.dialect,
    comparable: asIs,
    filtered: asIs,
    jsonNullAsNull: asIs,
    asShown: asIs,
    // Without positions, a cursor has the value as it is shown.
    ...builder.dialect.filteredPosition === undefined && { storedOperand: builder.dialect.operand },
    indexCondition: () => undefined
  }
  const values = new Map(columns.map(({ field, sql }) => [field, sql]))
  return {
    ref: { ...tableRef(collection, ''), values },
    builder: { ...builder, dialect, columnType: (_collection, field) => types.get(field) ?? countColumn }
  }
}

/** Builds an array of the values of columns for JSON. */
export const encodeRow = (columns: readonly BuiltColumn[], dialect: Dialect): Sql =>
  dialect.writer.row(columns.map(one => dialect.groups(one.type).encode(one.sql)))

/** Decodes the array that encodeRow() made. */
export function decodeRow (row: readonly unknown[], columns: readonly BuiltColumn[], dialect: Dialect): Row {
  return Object.fromEntries(columns.map(({ field, type }, index) => {
    const value = row[index] ?? null
    return [field.property, value === null ? null : dialect.groups(type).decode(value)]
  }))
}
