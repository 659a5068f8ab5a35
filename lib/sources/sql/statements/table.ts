import { sql } from '../load-kysely.ts'
import type {
  Collection, DataField, ExpressionField, StoredField, SubItemField
} from '../../../model/model.ts'
import { placeOfExpression } from '../../../model/fields.ts'
import { buildOwnSql } from '../own-sql.ts'
import { sourceOf, tableOf } from '../source.ts'
import { tableId } from '../table-name.ts'
import type { Sql } from './dialect.ts'

/**
 * A reference to a collection's table under an alias. It collects the columns that a statement reads, so that no others
 * are selected.
 */
export interface TableRef {
  readonly collection: Collection
  readonly alias: string
  readonly columns: Set<string>
  readonly expressions: Set<ExpressionField>
  /** The values of a row that functions have made of the collection's items. */
  readonly values?: ReadonlyMap<DataField, Sql>
  /** The sub-items that are joined to the table. */
  readonly joins: Map<SubItemField, { readonly target: TableRef, readonly condition: Sql }>
  /** The columns that hold what functions make of relations already, by its names (relatedName). */
  readonly known: Map<string, Sql>
}

/** Makes a reference to a collection's table that nothing has read yet. */
export function tableRef (collection: Collection, alias: string): TableRef {
  return { collection, alias, columns: new Set(), expressions: new Set(), joins: new Map(), known: new Map() }
}

/** Returns a field's column under the table's alias, and adds it to the columns that are read. */
export function column (ref: TableRef, field: DataField): Sql {
  const value = ref.values?.get(field)
  if (value !== undefined) return value
  const name = columnName(ref.collection, field)
  ref.columns.add(name)
  if (field.kind === 'expression') ref.expressions.add(field)
  return sql.id(ref.alias, name)
}

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
  if (ref.expressions.size === 0) return sql`${table} as ${sql.id(ref.alias)}`
  const expressions = [...ref.expressions].map(field => {
    const built = buildOwnSql(placeOfExpression(ref.collection.property, field.property), field.expression)
    return sql`(${built}) as ${sql.id(columnName(ref.collection, field))}`
  })
  // Inside the derived table, the table keeps its own name, which the application's expressions may use.
  return sql`(select ${sql.id(name.name)}.*, ${sql.join(expressions)} from ${table}) as ${sql.id(ref.alias)}`
}

/** Returns the columns that an inner query must select for the outer query that reads it as `outer`. */
export function selected (inner: TableRef, outer: TableRef): Sql {
  for (const field of outer.expressions) inner.expressions.add(field)
  if (outer.columns.size === 0) return sql`1 as ${sql.id('nothing')}`
  return sql.join([...outer.columns].map(name => sql.id(inner.alias, name)))
}

/** Returns a stored field's column without an alias. */
export const columnOf = (collection: Collection, field: StoredField): Sql => sql.id(columnName(collection, field))

// An expression's column has parentheses, so that it is not taken for one of the table.
function columnName (collection: Collection, field: DataField): string {
  return field.kind === 'expression' ? `(${field.property})` : sourceOf(collection).column(field.property)
}
