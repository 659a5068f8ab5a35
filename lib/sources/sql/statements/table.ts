import { expressionBuilder, sql } from 'kysely'
import type { Tables } from '../../../collection.ts'
import type { Collection, DataField, ExpressionField, StoredField } from '../../../model/model.ts'
import type { Sql } from './dialect.ts'
import { sourceOf } from '../source.ts'

/** One use of a collection's table in a statement, under an alias of its own. It notes what is asked of it, so that no more is selected. */
export interface TableRef {
  readonly collection: Collection
  readonly alias: string
  readonly columns: Set<string>
  readonly expressions: Set<ExpressionField>
}

export const tableRef = (collection: Collection, alias: string): TableRef => ({ collection, alias, columns: new Set(), expressions: new Set() })

/** A field's column in this use of the table. */
export function column (use: TableRef, field: DataField): Sql {
  const name = columnName(use.collection, field)
  use.columns.add(name)
  if (field.kind === 'expression') use.expressions.add(field)
  return sql.id(use.alias, name)
}

/** The table under its alias; where expressions are asked of it, a derived table that has them as columns. */
export function table (use: TableRef): Sql {
  const { table } = sourceOf(use.collection)
  if (use.expressions.size === 0) return sql`${sql.id(table)} as ${sql.id(use.alias)}`
  const expressions = [...use.expressions].map(field => sql`(${expressionOf(field)}) as ${sql.id(columnName(use.collection, field))}`)
  // Inside it the table has its own name, which the application's expressions may use.
  return sql`(select ${sql.id(table)}.*, ${sql.join(expressions)} from ${sql.id(table)}) as ${sql.id(use.alias)}`
}

/** The columns that were asked of another use of the same table, for a query that this one stands in. */
export function selected (use: TableRef, outer: TableRef): Sql {
  for (const field of outer.expressions) use.expressions.add(field)
  if (outer.columns.size === 0) return sql`1 as ${sql.id('nothing')}`
  return sql.join([...outer.columns].map(name => sql.id(use.alias, name)))
}

/** A stored field's column, alone. */
export const columnOf = (collection: Collection, field: StoredField): Sql => sql.id(columnName(collection, field))

// No column of a table is likely to be named so.
const columnName = (collection: Collection, field: DataField) => field.kind === 'expression' ? `(${field.property})` : sourceOf(collection).column(field.property)

function expressionOf ({ property, expression }: ExpressionField) {
  if (expression.sql === undefined) throw new TypeError(`the expression '${property}' has no part for SQL`)
  return expression.sql(expressionBuilder<Tables, string>())
}
