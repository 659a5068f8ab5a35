import type { ReadPlan } from '../../../plan/plan.ts'
import type { JsonResult, ReadResult } from '../../source.ts'
import type { Builder } from './builder.ts'
import { buildItemColumns, buildItemTexts, buildPageColumns, buildPageText, columnsShown } from './columns-read.ts'
import { buildJsonRead, isWritable } from './json-read.ts'
import type { ReadCode } from './read-code.ts'
import { buildRowsRead } from './rows-read.ts'
import { isFlat } from './shape.ts'

/** The form of a result: rows, JSON text where it is faster, or rows of an item that is locked against changes by others. */
export type ReadForm = 'rows' | 'json' | 'locking'

/**
 * Returns the read that serves a plan. A plan is served by the first line of this table that fits it.
 *
 * | Form | Plan | Read | Why |
 * |---|---|---|---|
 * | locking | any | rows | its select of the last step takes the lock |
 * | json | an item of one step, all values, none computed | columns, as texts | drivers give columns fastest; an item needs no JSON of the database |
 * | json, PostgreSQL | a whole collection, no total, all values, none computed | columns, as one text | `JSON.stringify` is faster than `to_json` (`Dialect.fetchesPages`) |
 * | json | a list that the database can write (`isWritable`) | JSON | the text goes out without being parsed |
 * | rows, json | an item of one step, all values | columns | |
 * | rows, json | a whole collection, no total, all values | columns | arrays of columns are made faster than JSON is written and parsed |
 * | rows, json | any other: groups, longer paths, relations shown, totals | rows | serves every plan |
 *
 * "All values" means that no related items are shown. CPU of Node and database for a request:
 *
 * - an item as texts of columns, not as JSON from the database, SQLite: 98 instead of 131 us
 * - three levels nested as JSON, not as rows, PostgreSQL: 1,035 instead of 1,172 us
 * - a dictionary of 100 as columns, not as rows: SQLite 530 instead of 640 us, PostgreSQL 730 instead of 1,030 us
 */
export function chooseRead (plan: ReadPlan, builder: Builder, form: 'rows' | 'locking'): ReadCode
export function chooseRead (plan: ReadPlan, builder: Builder, form: ReadForm): ReadCode<ReadResult | JsonResult>
export function chooseRead (plan: ReadPlan, builder: Builder, form: ReadForm): ReadCode<ReadResult | JsonResult> {
  if (form === 'locking') return buildRowsRead(plan, builder, true)
  if (plan.kind === 'item' && plan.steps.length === 1) {
    const fields = form === 'json' ? columnsShown(plan.select) : undefined
    if (fields !== undefined) return buildItemTexts(plan, fields, builder)
    if (isFlat(plan.select)) return buildItemColumns(plan, builder)
  }
  if (plan.kind === 'list') {
    const { select } = plan.listing
    const isOneTable = plan.steps.length === 0 && !plan.count
    const fields = form === 'json' && isOneTable && builder.dialect.fetchesPages ? columnsShown(select) : undefined
    if (fields !== undefined) return buildPageText(plan, fields, builder)
    if (form === 'json' && isWritable(select)) return buildJsonRead(plan, builder)
    if (isOneTable && isFlat(select)) return buildPageColumns(plan, builder)
  }
  return buildRowsRead(plan, builder)
}
