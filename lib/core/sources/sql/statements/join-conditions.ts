import { sql } from '../load-kysely.ts'
import type { Constant, RelationField, StoredField, SubCollectionField } from '../../../model/model.ts'
import { joinTableOf, sourceOf } from '../source.ts'
import { tableId } from '../table-name.ts'
import type { Dialect, Sql } from './dialect.ts'
import { column, type TableRef } from './table.ts'

/**
 * Builds the condition that a row of `target` is related to one parent row. `parent` returns a column of that parent.
 */
export function related (
  field: RelationField, target: TableRef, parent: (field: StoredField) => Sql, dialect: Dialect
): Sql {
  const ofParent = (fields: readonly StoredField[]) => compared(fields.map(parent), fields, dialect)
  const key = columns(target, field.target.key, dialect)
  if (field.kind === 'sub-item') return withConstants(equal(key, ofParent(field.foreignKey)), field, parent)
  const { link } = field
  const own = ofParent(field.holder.key)
  if (link.kind === 'foreign-key') {
    return withConstants(equal(columns(target, link.foreignKey, dialect), own), field, one => column(target, one))
  }
  const { table, foreignKey, otherKey } = joinedColumns(field, dialect)
  const isLinked = dialect.clocked(equal(foreignKey, own))
  // Not a join, which would give an item once for each of its links.
  return sql`${tuple(key)} in (select ${sql.join(otherKey)} from ${table} where ${isLinked})`
}

/**
 * Builds the condition that a row of `ref` is related to one of some rows of `target`. `select` builds a query of a
 * list of columns of those rows.
 */
export function relatedToAny (
  field: RelationField, ref: TableRef, target: TableRef, select: (columns: Sql) => Sql,
  dialect: Dialect
): Sql {
  // The constants beside a foreign key of the elements are a condition of `select`.
  const keys = select(sql.join(columns(target, field.target.key, dialect)))
  if (field.kind === 'sub-item') {
    const isAny = sql`${tuple(columns(ref, field.foreignKey, dialect))} in (${keys})`
    return withConstants(isAny, field, one => column(ref, one))
  }
  const { link } = field
  const own = tuple(columns(ref, field.holder.key, dialect))
  if (link.kind === 'foreign-key') {
    return sql`${own} in (${select(sql.join(columns(target, link.foreignKey, dialect)))})`
  }
  const { table, foreignKey, otherKey } = joinedColumns(field, dialect)
  const isLinked = dialect.clocked(sql`${tuple(otherKey)} in (${keys})`)
  return sql`${own} in (select ${sql.join(foreignKey)} from ${table} where ${isLinked})`
}

/** Adds the constants beside a foreign key, whose columns `columnOf` returns. */
export const withConstants = (
  condition: Sql, { constants }: Pick<RelationField, 'constants'>, columnOf: (field: StoredField) => Sql
): Sql => constants.length === 0
  ? condition
  : sql`(${sql.join([condition, ...constants.map(one => isConstant(one, columnOf))], sql` and `)})`

/** A literal, not a parameter: it belongs to the shape of the statement. */
const isConstant = ({ field, value }: Constant, columnOf: (field: StoredField) => Sql) =>
  sql`${columnOf(field)} = ${sql.lit(value)}`

const columns = (ref: TableRef, fields: readonly StoredField[], dialect: Dialect) =>
  compared(fields.map(field => column(ref, field)), fields, dialect)

/** Returns the columns of keys as they are compared: equal decimals can be stored as different texts. */
const compared = (keys: readonly Sql[], fields: readonly StoredField[], dialect: Dialect): readonly Sql[] =>
  keys.map((key, index) => {
    const kind = fields[index]?.type.kind
    return kind === 'decimal' ? dialect.comparable(key, { kind, type: '' }) : key
  })

/** Returns the join table of a many-to-many relation, and its columns, each with the table's name. */
function joinedColumns (field: SubCollectionField, dialect: Dialect) {
  const { holder, target, link } = field
  if (link.kind !== 'join') throw new TypeError('only a many-to-many relation has a join table')
  const { column: nameOf } = sourceOf(holder)
  const table = joinTableOf(field)
  const toColumn = (property: string) => sql`${sql.id(table.name)}.${sql.id(nameOf(property))}`
  return {
    table: tableId(table),
    foreignKey: compared(link.foreignKey.map(toColumn), holder.key, dialect),
    otherKey: compared(link.otherKey.map(toColumn), target.key, dialect)
  }
}

/** Builds the condition that columns equal others, each the one at its place. */
const equal = (some: readonly Sql[], others: readonly Sql[]): Sql =>
  sql.join(some.map((one, index) => sql`${one} = ${others[index]}`), sql` and `)

/** Returns columns as one value, which `in` compares: a column itself, or a row of several. */
const tuple = (some: readonly Sql[]): Sql => some.length === 1 ? sql.join(some) : sql`(${sql.join(some)})`
