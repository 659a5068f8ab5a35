import { sql } from '../load-kysely.ts'
import type { DataField } from '../../../model/model.ts'
import { carriedTerms, ownFields } from '../../../plan/order.ts'
import type { Listing, Order, Origin, Row, Selection, Shown } from '../../../plan/plan.ts'
import { always } from '../../../plan/predicates.ts'
import { notNull, withKeys } from '../../not-null.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { buildColumn, buildRelated, decodeRow, encodeRow } from './function-columns.ts'
import { carriedColumns, carriedOf, carriedValues, innerTerms } from './item-values.ts'
import { related } from './join-conditions.ts'
import { positionsOf } from './positions.ts'
import { buildSort } from './sort.ts'
import { isRoundLimit } from './shape.ts'
import { column, queryRef, selected, table, tableRef, type TableRef } from './table.ts'

/** The SQL by which a row becomes a JSON array, and the decoder of that array. Both go by position. */
interface RowLayout { readonly sql: Sql, decode (values: readonly unknown[]): Row }

/** A value of a row, under its property. */
interface ValueLayout { readonly property: string, readonly sql: Sql, decode (value: unknown): unknown }

/**
 * Builds a row of the fields that a selection needs, the fields in `extra`, the related items that it shows, and the
 * terms that `ref` has of an inner query (carriedColumns).
 */
export function buildRow (
  select: Selection, extra: readonly DataField[], ref: TableRef, builder: Builder, carried: Order = []
): RowLayout {
  const fields = dataFields(select, extra)
  const layouts = [
    ...fieldLayouts({ fields, extra, terms: carried, columns: carriedOf(carried, ref) }, 'encode', ref, builder),
    ...select.flatMap(shown => shown.kind === 'value' ? [] : [buildNested(shown, ref, builder)])
  ]
  const decode = rowMaker(layouts, fields)
  const { writer } = builder.dialect
  const rowOf = (some: readonly ValueLayout[]) => writer.row(some.map(layout => layout.sql))
  if (layouts.length <= mostArguments) return { sql: rowOf(layouts), decode }
  return { sql: writer.row(chunks(layouts, mostArguments).map(rowOf)), decode: values => decode(values.flat()) }
}

const asIs = (value: unknown) => value

/** What rows hold of an item: fields, positions of those in `extra`, and terms with a path, whose columns are given. */
interface FieldsAsked {
  readonly fields: readonly DataField[]
  readonly extra: readonly DataField[]
  readonly terms: Order
  readonly columns: readonly Sql[]
}

/** Returns the values that rows hold of an item. `form`: where they stand, inside of JSON or outside. */
export function fieldLayouts (
  { fields, extra, terms, columns }: FieldsAsked, form: 'encode' | 'fetch', ref: TableRef, builder: Builder
): readonly ValueLayout[] {
  return [
    ...fields.map(field => buildValue(field, form, ref, builder)),
    ...positionsOf(extra, ref, builder).map(({ name, sql }) => ({ property: name, sql, decode: asIs })),
    ...carriedValues(terms, columns, form, builder).map(({ name, ...one }) => ({ property: name, ...one }))
  ]
}

/** Returns a function that makes rows of values. It throws for a null in a field that is never null. */
export function rowMaker (layouts: readonly ValueLayout[], fields: readonly DataField[]) {
  const check = notNull(fields)
  const makeRow = objectMaker(layouts.map(({ property }) => property), layouts.map(({ decode }) => decode))
  return (values: readonly unknown[]): Row => check(makeRow(values))
}

/**
 * Returns a function that makes an object of a row's first values, under the names given. All its objects are copies of
 * one empty object, so that they share a hidden class.
 */
export function objectMaker (
  names: readonly string[], decoders: ReadonlyArray<(value: unknown) => unknown>
): (values: readonly unknown[]) => Readonly<Record<string, unknown>> {
  const empty: Readonly<Record<string, unknown>> = Object.fromEntries(names.map(name => [name, null]))
  return values => {
    const object = { ...empty }
    for (let index = 0; index < names.length; index++) object[names[index] ?? ''] = decoders[index]?.(values[index])
    return object
  }
}

// Databases limit the arguments of a function: SQLite by default to 100 or 127.
const mostArguments = 100

function chunks<T> (list: readonly T[], size: number): ReadonlyArray<readonly T[]> {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) => {
    return list.slice(index * size, (index + 1) * size)
  })
}

/**
 * A listing to build. `extra`: fields that rows hold but do not show. `ahead`: reads one row more, which shows that a
 * page follows.
 */
interface ListAsked extends Listing { readonly extra?: readonly DataField[], readonly ahead?: boolean }

/**
 * Builds a listing as a JSON array of rows. An inner select orders and limits the rows, so that the statement looks up
 * related items for the rows shown alone.
 */
export function buildList (
  { extra = [], ahead = false, ...listing }: ListAsked,
  ref: TableRef,
  conditions: (inner: TableRef) => Sql,
  builder: Builder
): RowLayout {
  const carried = carriedTerms({ listing, extra })
  const terms = innerTerms(listing, carried, ref)
  const row = buildRow(listing.select, extra, ref, builder, carried)
  const rows = buildRows(listing, { ref, terms }, conditions, ahead, builder)
  const { writer } = builder.dialect
  const array = ahead ? writer.allRows(row.sql) : writer.rows(row.sql)
  return { ...row, sql: sql`(select ${array} from (${rows}) as ${sql.id(ref.alias)})` }
}

/**
 * Builds a select of the rows of a listing, in order and within its range, so that related items are looked up for the
 * rows shown alone. `terms`: those that the outer query reads (innerTerms). `ahead` adds one row, which shows that a
 * page follows.
 */
export function buildRows (
  listing: Listing,
  { ref, terms }: { readonly ref: TableRef, readonly terms: Order },
  conditions: (inner: TableRef) => Sql,
  ahead: boolean,
  builder: Builder
): Sql {
  const inner = tableRef(ref.collection, ref.alias)
  const where = conditions(inner)
  const columns = sql.join([selected(inner, ref), ...carriedColumns(terms, inner, builder)])
  const order = buildSort(listing.order, inner, builder)
  const limit = buildLimit(listing.range, ahead, builder)
  return sql`select ${columns} from ${table(inner)} where ${where} order by ${order} ${limit}`
}

/**
 * Returns true if a statement visits no rows but those that the listing shows: the first ones, or those after a cursor,
 * in the order of the key, which is sure to have an index. It needs no clock.
 */
export function isDirect ({ where, order, range }: Listing, { collection, via }: Origin): boolean {
  const first = ownFields(order.slice(0, collection.key.length))
  const isByKey = collection.key.every((field, index) => first[index] === field)
  return isByKey && via === undefined && where === always && range.offset === 0
}

/** `ahead` adds one row to the limit. */
export function buildLimit (range: Listing['range'], ahead: boolean, builder: Builder): Sql {
  const [slot, offset] = builder.slotsOf(range).map(slot => sql`${sql.val(slot)}`)
  const bound = ahead ? sql`${slot} + 1` : slot
  const limit = isRoundLimit(range.limit) ? sql`${sql.lit(ahead ? range.limit + 1 : range.limit)}` : bound
  return builder.dialect.limit(range.limit === Infinity ? undefined : limit, range.offset === 0 ? undefined : offset)
}

/**
 * Returns the fields that a source reads, each once: those carried, those shown, those that computed fields depend on,
 * and keys (withKeys).
 */
export function dataFields (select: Selection, extra: readonly DataField[]): readonly DataField[] {
  const fields = new Set<DataField>(extra)
  for (const shown of select) {
    if (shown.kind !== 'value') continue
    if (shown.field.kind === 'computed') for (const field of shown.field.from) fields.add(field)
    else fields.add(shown.field)
  }
  return withKeys([...fields])
}

function buildValue (
  field: DataField, form: 'encode' | 'fetch', ref: TableRef, { dialect, columnType }: Builder
): ValueLayout {
  const type = columnType(ref.collection, field)
  return { property: field.property, sql: dialect[form](column(ref, field), type), decode: dialect.decoder(type) }
}

function buildNested (shown: Exclude<Shown, { kind: 'value' }>, ref: TableRef, builder: Builder): ValueLayout {
  const { field } = shown
  const { property } = field
  if (shown.kind === 'related') return buildFunctions(shown, ref, builder)
  if (shown.kind === 'list') {
    const elements = queryRef(field.target, builder.alias())
    const list = buildList(shown.listing, elements, elementsOf(shown, ref, builder), builder)
    return { property, sql: list.sql, decode: rows => decodeRows(rows, list) }
  }
  const target = tableRef(field.target, builder.alias())
  const row = buildRow(shown.select, [], target, builder)
  return {
    property,
    sql: selectItem(shown, row.sql, { ref, target }, builder),
    decode: values => Array.isArray(values) ? row.decode(values) : null
  }
}

/** Selects what is made of the sub-item of a row, which is null if there is none. `target`: the row of the sub-item. */
export function selectItem (
  { field, where }: Extract<Shown, { kind: 'item' }>, made: Sql,
  { ref, target }: { readonly ref: TableRef, readonly target: TableRef }, builder: Builder
): Sql {
  const relation = related(field, target, parentField => column(ref, parentField), builder.dialect)
  const conditions = sql`${relation} and ${buildFilter(where, target, builder)}`
  return sql`(select ${made} from ${table(target)} where ${conditions})`
}

/** Returns the function that builds the condition for the elements of a row that a listing shows. */
export const elementsOf = (
  { field, listing }: Pick<Extract<Shown, { kind: 'list' }>, 'field' | 'listing'>, ref: TableRef, builder: Builder
) => (inner: TableRef): Sql => {
  const relation = related(field, inner, parentField => column(ref, parentField), builder.dialect)
  const conditions = sql`${relation} and ${buildFilter(listing.where, inner, builder)}`
  // A list of few rows may have no number at which the clock is looked at, and what it nests takes long.
  const isLeaf = listing.select.every(({ field }) => field.kind === 'stored')
  return isLeaf ? builder.clockedScan(conditions, inner) : builder.dialect.clocked(conditions)
}

function buildFunctions (shown: Extract<Shown, { kind: 'related' }>, ref: TableRef, builder: Builder): ValueLayout {
  const { field, values } = shown
  const sql = buildRelated(shown, values, ref, builder, columns => encodeRow(columns, builder.dialect))
  const columns = values.map(value => buildColumn(value, tableRef(field.target, ''), builder))
  return {
    property: field.property, sql, decode: row => decodeRow(row as readonly unknown[], columns, builder.dialect)
  }
}

/** Decodes the array of rows in JSON that buildList() or Writer.rows() made. */
export function decodeRows (rows: unknown, layout: RowLayout): readonly Row[] {
  return (rows as ReadonlyArray<readonly unknown[]>).map(values => layout.decode(values))
}
