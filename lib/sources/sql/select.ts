import { sql } from 'kysely'
import type { DataField } from '../../model/model.ts'
import type { Listing, Selection, Shown } from '../../plan/plan.ts'
import type { Row } from '../source.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { related } from './relations.ts'
import { buildSort } from './sort.ts'
import { column, makeUse, selected, table, type Use } from './use.ts'

/** How one row becomes JSON in the database, and a Row again in the application: both by position. */
export interface RowCode { readonly sql: Sql, decode (values: readonly unknown[]): Row }

interface ValueCode { readonly property: string, readonly sql: Sql, decode (value: unknown): unknown }

/** The code for what a selection needs of the table in this use, and for the fields carried besides. */
export function buildRow (select: Selection, carry: readonly DataField[], use: Use, builder: Builder): RowCode {
  const codes = [
    ...dataFields(select, carry).map(field => buildValue(field, use, builder)),
    ...select.flatMap(shown => shown.kind === 'value' ? [] : [buildNested(shown, use, builder)])
  ]
  return {
    sql: builder.dialect.row(codes.map(code => code.sql)),
    decode: values => Object.fromEntries(codes.map((code, index) => [code.property, code.decode(values[index])]))
  }
}

/** A listing as a JSON array of rows: ordered and cut off first, so that what is nested is looked up for the rows shown only. */
export function buildList (listing: Listing, carry: readonly DataField[], use: Use, conditions: (inner: Use) => Sql, builder: Builder): RowCode {
  const row = buildRow(listing.select, carry, use, builder)
  const inner = makeUse(use.collection, use.alias)
  const where = conditions(inner)
  const order = buildSort(listing.order, inner, builder)
  const columns = selected(inner, use)
  const rows = sql`select ${columns} from ${table(inner)} where ${where} order by ${order} ${buildLimit(listing.range, builder)}`
  return { ...row, sql: sql`(select ${builder.dialect.collect(row.sql)} from (${rows}) as ${sql.id(use.alias)})` }
}

export function buildLimit (range: Listing['range'], builder: Builder): Sql {
  const [limit, offset] = builder.slotsOf(range)
  return builder.dialect.limit(range.limit === Infinity ? undefined : limit, range.offset === 0 ? undefined : offset)
}

/** The fields that a source reads, each once: those shown, those that computed ones come from, and those carried. */
function dataFields (select: Selection, carry: readonly DataField[]): readonly DataField[] {
  const fields = new Set<DataField>(carry)
  for (const shown of select) {
    if (shown.kind !== 'value') continue
    if (shown.field.kind === 'computed') for (const field of shown.field.from) fields.add(field)
    else fields.add(shown.field)
  }
  return [...fields]
}

function buildValue (field: DataField, use: Use, { dialect }: Builder): ValueCode {
  const { kind } = field.type
  return { property: field.property, sql: dialect.encode(column(use, field), kind), decode: value => dialect.decode(value, kind) }
}

function buildNested (shown: Exclude<Shown, { kind: 'value' }>, use: Use, builder: Builder): ValueCode {
  const { field } = shown
  const target = makeUse(field.target, builder.alias())
  if (shown.kind === 'list') {
    const list = buildList(shown.listing, [], target, inner => {
      return sql`${related(field, inner, parentField => column(use, parentField))} and ${buildFilter(shown.listing.where, inner, builder)}`
    }, builder)
    return { property: field.property, sql: list.sql, decode: rows => decodeRows(rows, list, shown.listing.range.limit) }
  }
  const row = buildRow(shown.select, [], target, builder)
  const conditions = sql`${related(field, target, parentField => column(use, parentField))} and ${buildFilter(shown.where, target, builder)}`
  return {
    property: field.property,
    sql: sql`(select ${row.sql} from ${table(target)} where ${conditions})`,
    decode: values => Array.isArray(values) ? row.decode(values) : null
  }
}

/** Rows out of the JSON that the database made; at most as many as were asked for, without the one more. */
export function decodeRows (rows: unknown, code: RowCode, limit: number): readonly Row[] {
  return (rows as ReadonlyArray<readonly unknown[]>).slice(0, limit).map(values => code.decode(values))
}
