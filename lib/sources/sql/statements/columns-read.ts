import { sql } from 'kysely'
import type { DataField } from '../../../model/model.ts'
import type { ReadPlan, Selection, ReadPlanOf, Row } from '../../../plan/plan.ts'
import type { ReadResult, JsonResult } from '../../source.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { cardinalityOf, type ReadCode, type Values } from './read.ts'
import { buildLimit, dataFields } from './select.ts'
import { isFlat } from './shape.ts'
import { buildSort } from './sort.ts'
import { column, tableRef, table, type TableRef } from './table.ts'

// Reads of one table's columns as they are, without JSON: what is asked for most, and what drivers give fastest.

/** An item reached by one step, of which nothing but values is shown; nothing for any other plan. */
export function buildItemColumns (plan: ReadPlan, builder: Builder): ReadCode | undefined {
  if (plan.kind !== 'item' || plan.steps.length !== 1 || !isFlat(plan.select)) return undefined
  return buildItem(plan, dataFields(plan.select, []), builder, (values, columns) => ({ kind: 'rows', rows: [columns.row(values)], more: false }))
}

/** The same as JSON text; nothing where something is computed. */
export function buildItemText (plan: ReadPlan, builder: Builder): ReadCode<ReadResult | JsonResult> | undefined {
  if (plan.kind !== 'item' || plan.steps.length !== 1) return undefined
  const fields = shownFields(plan.select)
  return fields && buildItem(plan, fields, builder, (values, columns) => ({ kind: 'values', values: columns.texts(values) }))
}

/** A page of a whole collection, of which nothing but values is shown, and nothing counted; nothing for any other plan. */
export function buildPageColumns (plan: ReadPlan, builder: Builder): ReadCode | undefined {
  if (plan.kind !== 'list' || plan.steps.length > 0 || plan.count || !isFlat(plan.listing.select)) return undefined
  return buildPage(plan, dataFields(plan.listing.select, []), builder, (rows, columns, more) => ({ kind: 'rows', rows: rows.map(columns.row), more }))
}

/** The same as JSON text; nothing where something is computed. */
export function buildPageText (plan: ReadPlan, builder: Builder): ReadCode<JsonResult> | undefined {
  if (plan.kind !== 'list' || plan.steps.length > 0 || plan.count) return undefined
  const fields = shownFields(plan.listing.select)
  return fields && buildPage(plan, fields, builder, writePage)
}

function buildItem<Result> ({ steps: [step], select }: ReadPlanOf<'item'>, fields: readonly DataField[], builder: Builder, found: (values: Values, columns: Columns) => Result): ReadCode<Result | ReadResult> {
  if (step === undefined) throw new TypeError('an item is reached by a step at least')
  const use = tableRef(step.collection, builder.alias())
  const columns = makeColumns(fields, select, use, builder)
  const where = buildFilter(step.where, use, builder)
  const gives = cardinalityOf(step)
  return {
    // Two rows are enough to know that they are too many.
    sql: sql`select ${columns.sql} from ${table(use)} where ${where}${gives === 'rows' ? sql` limit 2` : sql``}`,
    cardinality: gives,
    decode ([row, other]) {
      if (row === undefined) return { kind: 'missing', step: 0 }
      return other === undefined ? found(row, columns) : { kind: 'ambiguous', step: 0 }
    }
  }
}

type DecodeColumns<Result> = (rows: readonly Values[], columns: Columns, more: boolean) => Result

function buildPage<Result> ({ from, listing, beyond, carry }: ReadPlanOf<'list'>, fields: readonly DataField[], builder: Builder, found: DecodeColumns<Result>): ReadCode<Result> {
  const use = tableRef(from.collection, builder.alias())
  const columns = makeColumns([...fields, ...carry.filter(field => !fields.includes(field))], listing.select, use, builder)
  const where = sql`${buildFilter(listing.where, use, builder)} and ${buildFilter(beyond, use, builder)}`
  const order = buildSort(listing.order, use, builder)
  return {
    sql: sql`select ${columns.sql} from ${table(use)} where ${where} order by ${order} ${buildLimit(listing.range, true, builder)}`,
    cardinality: 'rows',
    decode: (rows, { limit }) => rows.length > limit ? found(rows.slice(0, limit), columns, true) : found(rows, columns, false)
  }
}

function writePage (rows: readonly Values[], columns: Columns, more: boolean): JsonResult {
  const [first] = rows
  const last = rows.at(-1)
  return {
    kind: 'items',
    // One call for all of them: a text for each value or item costs more than their objects.
    text: reversed => JSON.stringify((reversed ? rows.toReversed() : rows).map(columns.item)),
    ends: first && last && { first: () => columns.row(first), last: () => columns.row(last) },
    more
  }
}

/** What is shown, field by field; nothing where it is not all columns, or named as JavaScript would put before other names. */
function shownFields (select: Selection): readonly DataField[] | undefined {
  const fields = select.flatMap(({ kind, name, field }) => kind === 'value' && field.kind !== 'computed' && !/^\d+$/.test(name) ? [field] : [])
  return fields.length === select.length ? fields : undefined
}

/** Columns in the order of their fields, of which a selection shows the first. */
interface Columns {
  readonly sql: Sql
  row (values: Values): Row
  /** Each value as JSON. */
  texts (values: Values): readonly string[]
  /** What the selection shows, by the names on the wire. */
  item (values: Values): Readonly<Record<string, unknown>>
}

function makeColumns (fields: readonly DataField[], select: Selection, use: TableRef, { dialect, columnType: held }: Builder): Columns {
  const columns = fields.map((field, index) => sql`${dialect.fetch(column(use, field), held(use.collection, field))} as ${sql.id(`v${index}`)}`)
  const decoders = fields.map(field => dialect.fetched(held(use.collection, field)))
  return {
    sql: columns.length === 0 ? sql`1 as ${sql.id('nothing')}` : sql.join(columns),
    row: objects(fields.map(({ property }) => property), decoders),
    texts: values => decoders.map((decode, index) => textOf(decode(values[index]))),
    item: objects(select.map(({ name }) => name), decoders)
  }
}

type Decoder = (value: unknown) => unknown

/** Makes objects of values: all of one shape, which an empty one is copied for. There may be fewer names than values. */
function objects (names: readonly string[], decoders: readonly Decoder[]): (values: Values) => Readonly<Record<string, unknown>> {
  const empty: Readonly<Record<string, unknown>> = Object.fromEntries(names.map(name => [name, null]))
  return values => {
    const object = { ...empty }
    for (let index = 0; index < names.length; index++) object[names[index] ?? ''] = decoders[index]?.(values[index])
    return object
  }
}

/** A value as JSON.stringify writes it. */
function textOf (value: unknown): string {
  switch (typeof value) {
    case 'number': return String(value)
    case 'string': return quote(value)
    default: return JSON.stringify(value)
  }
}

/** Short texts, of which most need no escape, are looked through faster than JSON.stringify is called. */
function quote (text: string): string {
  if (text.length > 40) return JSON.stringify(text)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff)) return JSON.stringify(text)
  }
  return `"${text}"`
}
