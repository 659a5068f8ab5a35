import { sql } from '../load-kysely.ts'
import type { ItemValue, Listing, Order, Related, SubItemStep } from '../../../plan/plan.ts'
import { functionsShown, isExtreme, positionName, relatedName, rowName } from '../../../plan/order.ts'
import type { Builder } from './builder.ts'
import type { ColumnType, PositionSql, Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { buildColumn, buildRelated } from './function-columns.ts'
import { related } from './join-conditions.ts'
import { column, type TableRef, tableRef } from './table.ts'

// Values of sub-items, by which an order goes. A sub-item is joined to the row that refers to it, once for all values.
// It is found by its key, so that a row is joined to one row at most.

/** Returns the column of a value, of `ref` or of a sub-item that is joined to it, and the type of the column. */
export function valueColumn (
  { path = [], field, related: value }: ItemValue, ref: TableRef, builder: Builder
): { readonly sql: Sql, readonly type: ColumnType } {
  const holder = path.reduce((from, step) => joined(step, from, builder), ref)
  if (value === undefined) return { sql: column(holder, field), type: builder.columnType(holder.collection, field) }
  const made = buildRelated(value, [value.value], holder, builder, ([only = failed()]) => only.sql)
  const [key] = holder.collection.key
  // Of a sub-item that is not there, nothing is counted.
  const isMissing = path.length > 0 && key !== undefined ? sql`${column(holder, key)} is null` : undefined
  const known = isMissing ? sql`case when ${isMissing} then null else ${made} end` : made
  return { sql: known, type: typeOf(value, builder) }
}

const typeOf = ({ field, value }: Related, builder: Builder): ColumnType =>
  buildColumn(value, tableRef(field.target, ''), builder).type

function joined ({ field, where }: SubItemStep, ref: TableRef, builder: Builder): TableRef {
  const known = ref.joins.get(field)
  if (known !== undefined) return known.target
  const target = tableRef(field.target, builder.alias())
  const relation = related(field, target, parentField => column(ref, parentField), builder.dialect)
  ref.joins.set(field, { target, condition: sql`${relation} and ${buildFilter(where, target, builder)}` })
  return target
}

/** A value that rows hold besides their fields, under its name in a row. */
interface CarriedValue { readonly name: string, readonly sql: Sql, decode (value: unknown): unknown }

/**
 * Returns the values of terms with a path, and their positions. `columns`: the column of each term. `form`: where the
 * values stand, inside of JSON or outside.
 */
export function carriedValues (
  terms: Order, columns: readonly Sql[], form: 'encode' | 'fetch', builder: Builder
): readonly CarriedValue[] {
  const { dialect, columnType } = builder
  return terms.flatMap((term, index): readonly CarriedValue[] => {
    const value = columns[index] ?? failed()
    const { path, field, related } = term
    if (related !== undefined) return carriedFunction(term, value, related, builder)
    const type = columnType(path?.at(-1)?.field.target ?? failed(), field)
    return [
      { name: rowName(term), sql: dialect[form](value, type), decode: dialect.decoder(type) },
      ...carriedPosition(term, dialect.position(value, type))
    ]
  })
}

function carriedFunction (term: ItemValue, value: Sql, related: Related, builder: Builder): readonly CarriedValue[] {
  const { dialect } = builder
  const type = typeOf(related, builder)
  const { encode, decode } = dialect.groups(type)
  return [
    { name: rowName(term), sql: encode(value), decode: encoded => encoded === null ? null : decode(encoded) },
    ...carriedPosition(term, isExtreme(related.value) ? dialect.filteredPosition?.(value, type) : undefined)
  ]
}

const carriedPosition = (term: ItemValue, position: PositionSql | undefined): readonly CarriedValue[] =>
  position === undefined ? [] : [{ name: positionName(term), sql: position.sql, decode: asIs }]

const asIs = (value: unknown) => value

function failed (): never {
  throw new TypeError('a term that rows carry has a path and a column')
}

/**
 * Returns the terms whose values an inner query selects for the outer one, `ref`: those that rows hold, then the
 * functions that items show, which the outer query does not call again.
 */
export function innerTerms (listing: Listing, carried: Order, ref: TableRef): Order {
  const terms = [...new Set([...carried, ...functionsShown(listing)])]
  nameKnown(terms, ref, name => sql.id(ref.alias, name))
  return terms
}

/**
 * Returns the columns that an inner query selects for the terms that the outer query reads (carriedOf). Then the order
 * of the inner query names the functions among them.
 */
export function carriedColumns (terms: Order, inner: TableRef, builder: Builder): readonly Sql[] {
  const columns = terms.map((term, index) =>
    sql`${valueColumn(term, inner, builder).sql} as ${sql.id(carriedName(index))}`)
  nameKnown(terms, inner, name => sql.id(name))
  return columns
}

function nameKnown (terms: Order, ref: TableRef, toColumn: (name: string) => Sql): void {
  for (const [index, { path, related }] of terms.entries()) {
    if (path?.length === 0 && related !== undefined) ref.known.set(relatedName(related), toColumn(carriedName(index)))
  }
}

/** Returns these columns in the outer query. */
export const carriedOf = (terms: Order, { alias }: TableRef): readonly Sql[] =>
  terms.map((_, index) => sql.id(alias, carriedName(index)))

// Beside the columns of fields: `c0` and so on.
const carriedName = (index: number) => `(sort) ${index}`
