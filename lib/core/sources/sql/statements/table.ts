import { sql } from '../load-kysely.ts'
import type { Collection, DataField, StoredField, SubItemField } from '../../../model/model.ts'
import { placeOfExpression } from '../../../model/fields.ts'
import { buildOwnSql } from '../own-sql.ts'
import { sourceOf, tableOf } from '../source.ts'
import { tableId } from '../table-name.ts'
import type { Sql } from './dialect.ts'

/**
 * A reference to a collection's rows under an alias: those of its table, or those that an inner query selects of it. It
 * collects the fields that a statement reads, so that no others are selected.
 */
export interface TableRef {
  readonly collection: Collection
  readonly alias: string
  /** Whether the rows are those of an inner query. */
  readonly isQuery: boolean
  /**
   * The fields that are read, with the names of their columns where these are of a derived table: `c0`, `c1`, ... The
   * names of the application's columns stand beside tables alone: SQLite renames a column of a derived table that is
   * called `true`, and an expression could have the name of a column.
   */
  readonly fields: Map<DataField, string>
  /** The values of a row that functions have made of the collection's items. */
  readonly values?: ReadonlyMap<DataField, Sql>
  /** The sub-items that are joined to the table. */
  readonly joins: Map<SubItemField, { readonly target: TableRef, readonly condition: Sql }>
  /** The columns that hold what functions make of relations already, by its names (relatedName). */
  readonly known: Map<string, Sql>
}

/** Makes a reference to a collection's table that nothing has read yet. */
export const tableRef = (collection: Collection, alias: string): TableRef => makeRef(collection, alias, false)

/** Makes a reference to the rows of an inner query that selects what the reference reads (selected). */
export const queryRef = (collection: Collection, alias: string): TableRef => makeRef(collection, alias, true)

const makeRef = (collection: Collection, alias: string, isQuery: boolean): TableRef =>
  ({ collection, alias, isQuery, fields: new Map(), joins: new Map(), known: new Map() })

/** Returns a field's column under the alias, and adds the field to those that are read. */
export function column (ref: TableRef, field: DataField): Sql {
  const value = ref.values?.get(field)
  if (value !== undefined) return value
  const derived = ref.fields.get(field) ?? `c${ref.fields.size}`
  ref.fields.set(field, derived)
  if (ref.isQuery || field.kind === 'expression') return sql.id(ref.alias, derived)
  const own = columnName(ref.collection, field)
  // What is read after this field decides whether the table becomes a derived one.
  return sql`${sql.id(ref.alias)}.${sql.late(() => isDerived(ref) ? derived : own)}`
}

/** Returns true for a table whose expressions are read. */
const isDerived = ({ fields }: TableRef) => [...fields.keys()].some(({ kind }) => kind === 'expression')

/**
 * Returns the table under its alias, or a derived table if expressions are read, and the tables that are joined to it.
 * Call it after every `column(ref, ...)`.
 */
export function table (ref: TableRef): Sql {
  return ref.joins.size === 0 ? withoutJoins(ref) : sql`${withoutJoins(ref)}${joinsOf(ref)}`
}

function joinsOf ({ joins }: TableRef): Sql {
  return sql.join([...joins.values()].map(({ target, condition }) =>
    sql` left join ${withoutJoins(target)} on ${condition}${joinsOf(target)}`), sql``)
}

function withoutJoins (ref: TableRef): Sql {
  const name = tableOf(ref.collection)
  const table = tableId(name)
  if (!isDerived(ref)) return sql`${table} as ${sql.id(ref.alias)}`
  // Inside the derived table, the table and its columns keep their names, which the application's expressions may use.
  const columns = [...ref.fields].map(([field, derived]) => {
    const value = field.kind === 'expression'
      ? sql`(${buildOwnSql(placeOfExpression(ref.collection.property, field.property), field.expression)})`
      : sql.id(name.name, columnName(ref.collection, field))
    return sql`${value} as ${sql.id(derived)}`
  })
  return sql`(select ${sql.join(columns)} from ${table}) as ${sql.id(ref.alias)}`
}

/** Returns the columns that an inner query must select for the outer query that reads it as `outer`. */
export function selected (inner: TableRef, outer: TableRef): Sql {
  if (outer.fields.size === 0) return sql`1 as ${sql.id('nothing')}`
  return sql.join([...outer.fields].map(([field, derived]) => sql`${column(inner, field)} as ${sql.id(derived)}`))
}

/** Returns a stored field's column without an alias. */
export const columnOf = (collection: Collection, field: StoredField): Sql => sql.id(columnName(collection, field))

const columnName = (collection: Collection, { property }: StoredField): string => sourceOf(collection).column(property)
