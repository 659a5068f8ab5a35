import { sql } from '../load-kysely.ts'
import type { DataField } from '../../../model/model.ts'
import { carriedTerms, fieldsOf } from '../../../plan/order.ts'
import type { Order, ReadPlanOf, Row, Selection } from '../../../plan/plan.ts'
import { textOf } from '../../json-text.ts'
import { isNeverNull } from '../../not-null.ts'
import type { JsonResult, ReadResult } from '../../source.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { valueColumn } from './item-values.ts'
import { type CompiledRead, mayBeLong, type RowValues } from './compiled-read.ts'
import { buildSort } from './sort.ts'
import { buildLimit, dataFields, fieldLayouts, objectMaker, rowMaker } from './select.ts'
import { cardinalityOf, itemsOfPage } from './steps.ts'
import { table, tableRef, type TableRef } from './table.ts'

// Reads of the columns of one table, without JSON: the most frequent reads, and those that drivers answer fastest.

/** Builds the read of an item of one step. The selection must show values alone. */
export function buildItemColumns (plan: ReadPlanOf<'item'>, builder: Builder): CompiledRead {
  return buildItemSelect(plan, dataFields(plan.select, []), builder, (values, columns) => {
    return { kind: 'rows', rows: [columns.row(values)], more: false }
  })
}

/** Builds the read of an item of one step, whose result is the JSON text of each field. `fields`: see columnsShown. */
export function buildItemTexts (
  plan: ReadPlanOf<'item'>, fields: readonly DataField[], builder: Builder
): CompiledRead<ReadResult | JsonResult> {
  return buildItemSelect(plan, fields, builder, (values, columns) => {
    return { kind: 'values', values: columns.texts(values) }
  })
}

/** Builds the read of a page of a whole collection, without its total. The selection must show values alone. */
export function buildPageColumns (plan: ReadPlanOf<'list'>, builder: Builder): CompiledRead {
  return buildPageSelect(plan, dataFields(plan.listing.select, []), builder, (rows, columns, more) => {
    return { kind: 'rows', rows: rows.map(columns.row), more }
  })
}

/**
 * Builds the read of a page of a whole collection, without its total, whose result is JSON text. `fields`: see
 * columnsShown.
 */
export function buildPageText (
  plan: ReadPlanOf<'list'>, fields: readonly DataField[], builder: Builder
): CompiledRead<JsonResult> {
  return buildPageSelect(plan, fields, builder, writePage)
}

/**
 * Returns the field of each member that a selection shows. Returns `undefined` if a member is no column (a computed
 * field, related items), is an expression that is never null, which only rows are checked for, or has an integer for
 * its name, which JavaScript would move to the front.
 */
export function columnsShown (select: Selection): readonly DataField[] | undefined {
  const fields = select.flatMap(({ kind, name, field }) => {
    return kind === 'value' && field.kind !== 'computed' && !isNeverNull(field) && !/^\d+$/.test(name) ? [field] : []
  })
  return fields.length === select.length ? fields : undefined
}

function buildItemSelect<Result> (
  { steps: [step], select }: ReadPlanOf<'item'>,
  fields: readonly DataField[],
  builder: Builder,
  decodeRow: (values: RowValues, columns: Columns) => Result
): CompiledRead<Result | ReadResult> {
  if (step === undefined) throw new TypeError('an item is reached by a step at least')
  const ref = tableRef(step.collection, builder.alias())
  const columns = makeColumns({ fields, select, extra: [], terms: [] }, ref, builder)
  const condition = buildFilter(step.where, ref, builder)
  const cardinality = cardinalityOf(step, builder)
  const where = cardinality === 'item' ? condition : builder.clockedScan(condition, ref)
  return {
    // Two rows are enough to prove ambiguity.
    sql: sql`select ${columns.sql} from ${table(ref)} where ${where}${cardinality === 'rows' ? sql` limit 2` : sql``}`,
    cardinality,
    decode ([row, other]) {
      if (row === undefined) return { kind: 'missing', step: 0 }
      return other === undefined ? decodeRow(row, columns) : { kind: 'ambiguous', step: 0 }
    }
  }
}

function buildPageSelect<Result> (
  plan: ReadPlanOf<'list'>,
  fields: readonly DataField[],
  builder: Builder,
  decodeRows: (rows: readonly RowValues[], columns: Columns, more: boolean) => Result
): CompiledRead<Result> {
  const { from, listing, extra } = plan
  const ref = tableRef(from.collection, builder.alias())
  const carried = extra.filter(field => !fields.includes(field))
  const terms = carriedTerms(plan)
  const fetched = { fields: [...fields, ...carried], select: listing.select, extra, terms }
  const columns = makeColumns(fetched, ref, builder)
  const where = itemsOfPage(plan, undefined, builder)(ref)
  const order = buildSort(listing.order, ref, builder)
  const limited = buildLimit(listing.range, true, builder)
  return {
    sql: sql`select ${columns.sql} from ${table(ref)} where ${where} order by ${order} ${limited}`,
    cardinality: 'rows',
    longValues: [...fetched.fields, ...fieldsOf(terms)].filter(mayBeLong).length,
    decode (rows, { limit }) {
      const more = rows.length > limit
      return decodeRows(more ? rows.slice(0, limit) : rows, columns, more)
    }
  }
}

function writePage (rows: readonly RowValues[], columns: Columns, more: boolean): JsonResult {
  const [first] = rows
  const last = rows.at(-1)
  return {
    kind: 'items',
    // One call for the whole page: JSON.stringify for each value or item takes longer than making the items' objects.
    text: reversed => JSON.stringify((reversed ? rows.toReversed() : rows).map(columns.item)),
    ends: first && last && { first: () => columns.row(first), last: () => columns.row(last) },
    more
  }
}

/** The columns of a list of fields, and decoders of their values. A selection shows the first of these fields. */
interface Columns {
  readonly sql: Sql
  row (values: RowValues): Row
  /** Returns the JSON text of each value. */
  texts (values: RowValues): readonly string[]
  /** Returns the members that the selection shows, under their names on the wire. */
  item (values: RowValues): Readonly<Record<string, unknown>>
}

/**
 * `fields`: those to fetch, of which the selection shows the first. `extra`: those of which cursors are made. `terms`:
 * the terms with a path of which they are made besides.
 */
interface Fetched {
  readonly fields: readonly DataField[]
  readonly select: Selection
  readonly extra: readonly DataField[]
  readonly terms: Order
}

function makeColumns ({ fields, select, extra, terms }: Fetched, ref: TableRef, builder: Builder): Columns {
  const columns = terms.map(term => valueColumn(term, ref, builder).sql)
  const layouts = fieldLayouts({ fields, extra, terms, columns }, 'fetch', ref, builder)
  const values = layouts.map(({ sql: value }, index) => sql`${value} as ${sql.id(`v${index}`)}`)
  const decoders = layouts.slice(0, fields.length).map(({ decode }) => decode)
  return {
    sql: values.length === 0 ? sql`1 as ${sql.id('nothing')}` : sql.join(values),
    row: rowMaker(layouts, fields),
    texts: values => decoders.map((decode, index) => textOf(decode(values[index]))),
    item: objectMaker(select.map(({ name }) => name), decoders)
  }
}
