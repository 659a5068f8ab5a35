import { sql } from 'kysely'
import type { DataField } from '../../../model/model.ts'
import type { Listing, Selection, Shown, Row } from '../../../plan/plan.ts'

import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { related } from './join-conditions.ts'
import { isRoundLimit } from './shape.ts'
import { buildSort } from './sort.ts'
import { column, tableRef, selected, table, type TableRef } from './table.ts'

/** How one row becomes JSON in the database, and a Row again in the application: both by position. */
export interface RowCode { readonly sql: Sql, decode (values: readonly unknown[]): Row }

interface ValueCode { readonly property: string, readonly sql: Sql, decode (value: unknown): unknown }

/** The code for what a selection needs of the table in this use, and for the fields carried besides. */
export function buildRow (select: Selection, carry: readonly DataField[], use: TableRef, builder: Builder): RowCode {
  const codes = [
    ...dataFields(select, carry).map(field => buildValue(field, use, builder)),
    ...select.flatMap(shown => shown.kind === 'value' ? [] : [buildNested(shown, use, builder)])
  ]
  const decode = (values: readonly unknown[]) => Object.fromEntries(codes.map((code, index) => [code.property, code.decode(values[index])]))
  if (codes.length <= mostArguments) return { sql: builder.dialect.row(codes.map(code => code.sql)), decode }
  const parts = chunks(codes, mostArguments).map(part => builder.dialect.row(part.map(code => code.sql)))
  return { sql: builder.dialect.row(parts), decode: values => decode(values.flat()) }
}

// Databases bound the arguments of a function: SQLite, as it comes, at 100 or 127.
const mostArguments = 100

function chunks<T> (list: readonly T[], size: number): ReadonlyArray<readonly T[]> {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size))
}

/** A listing to build. `carry`: fields that rows hold besides what is shown. `ahead`: whether there is to be one row more, which tells that a page follows. */
export interface ListAsked extends Listing { readonly carry?: readonly DataField[], readonly ahead?: boolean }

/** A listing as a JSON array of rows: ordered and cut off first, so that what is nested is looked up for the rows shown only. */
export function buildList ({ carry = [], ahead = false, ...listing }: ListAsked, use: TableRef, conditions: (inner: TableRef) => Sql, builder: Builder): RowCode {
  const row = buildRow(listing.select, carry, use, builder)
  const inner = tableRef(use.collection, use.alias)
  const where = conditions(inner)
  const order = buildSort(listing.order, inner, builder)
  const columns = selected(inner, use)
  const rows = sql`select ${columns} from ${table(inner)} where ${where} order by ${order} ${buildLimit(listing.range, ahead, builder)}`
  return { ...row, sql: sql`(select ${builder.dialect.collect(row.sql)} from (${rows}) as ${sql.id(use.alias)})` }
}

export function buildLimit (range: Listing['range'], ahead: boolean, builder: Builder): Sql {
  const [slot, offset] = builder.slotsOf(range).map(slot => sql`${sql.val(slot)}`)
  const given = ahead ? sql`${slot} + 1` : slot
  const limit = isRoundLimit(range.limit) ? sql`${sql.lit(ahead ? range.limit + 1 : range.limit)}` : given
  return builder.dialect.limit(range.limit === Infinity ? undefined : limit, range.offset === 0 ? undefined : offset)
}

/** The fields that a source reads, each once: those shown, those that computed ones come from, and those carried. */
export function dataFields (select: Selection, carry: readonly DataField[]): readonly DataField[] {
  const fields = new Set<DataField>(carry)
  for (const shown of select) {
    if (shown.kind !== 'value') continue
    if (shown.field.kind === 'computed') for (const field of shown.field.from) fields.add(field)
    else fields.add(shown.field)
  }
  return [...fields]
}

function buildValue (field: DataField, use: TableRef, { dialect, columnType: held }: Builder): ValueCode {
  const of = held(use.collection, field)
  return { property: field.property, sql: dialect.encode(column(use, field), of), decode: value => dialect.decode(value, of) }
}

function buildNested (shown: Exclude<Shown, { kind: 'value' }>, use: TableRef, builder: Builder): ValueCode {
  const { field } = shown
  const target = tableRef(field.target, builder.alias())
  if (shown.kind === 'list') {
    const list = buildList(shown.listing, target, inner => {
      return sql`${related(field, inner, parentField => column(use, parentField))} and ${buildFilter(shown.listing.where, inner, builder)}`
    }, builder)
    return { property: field.property, sql: list.sql, decode: rows => decodeRows(rows, list) }
  }
  const row = buildRow(shown.select, [], target, builder)
  const conditions = sql`${related(field, target, parentField => column(use, parentField))} and ${buildFilter(shown.where, target, builder)}`
  return {
    property: field.property,
    sql: sql`(select ${row.sql} from ${table(target)} where ${conditions})`,
    decode: values => Array.isArray(values) ? row.decode(values) : null
  }
}

/** Rows out of the JSON that the database made. */
export function decodeRows (rows: unknown, code: RowCode): readonly Row[] {
  return (rows as ReadonlyArray<readonly unknown[]>).map(values => code.decode(values))
}
