import { carriedTerms } from '../../../plan/order.ts'
import type { ReadPlan, ReadPlanOf } from '../../../plan/plan.ts'
import type { JsonResult, ReadResult } from '../../source.ts'
import type { Builder } from './builder.ts'
import { buildItemColumns, buildItemTexts, buildPageColumns, buildPageText, columnsShown } from './columns-read.ts'
import { buildJsonRead, canWriteJson } from './json-read.ts'
import { buildJsonItem } from './json-item.ts'
import { textsAmong } from './positions.ts'
import type { CompiledRead } from './compiled-read.ts'
import { buildRowsRead } from './rows-read.ts'
import { isFlat } from './shape.ts'

/**
 * The form of a result: rows, JSON text where it is faster, or rows of an item that is locked against changes by
 * others.
 */
type ReadForm = 'rows' | 'json' | 'locking'

/**
 * Returns the read that serves a plan. A plan is served by the first line of this table that fits it.
 *
 * | Form | Engine | Plan | Read | Why |
 * |---|---|---|---|---|
 * | locking | any | any | rows | the select of the last step takes the lock |
 * | json | any | an item of one step, plain columns | columns, a text each | a driver gives columns fastest |
 * | json | PostgreSQL | a simple page, plain columns | columns, one text | the application writes it faster |
 * | json | any | a list, or an item with related items, that is writable | JSON | the text goes out unparsed |
 * | rows, json | any | an item of one step, values alone | columns | nothing writes and parses JSON |
 * | rows, json | any | a simple page, values alone | columns | nothing writes and parses JSON |
 * | rows, json | any | any other | rows | serves every plan |
 *
 * - A simple page is a page of a whole collection, without its total, where a read ends once its rows are too long for
 *   the answer (Dialect.endsLongReads), and where no bytes tell the positions at its ends (Dialect.storedTexts).
 * - "Values alone" excludes related items (isFlat); "plain columns" also excludes computed fields (columnsShown).
 * - A writable list excludes computed fields and fields of type `json`, at every depth (isWritable).
 *
 * CPU of Node and database for a request:
 *
 * - an item as texts of columns, not as JSON from the database, SQLite: 98 instead of 131 us
 * - three levels nested as JSON, not as rows, PostgreSQL: 1,035 instead of 1,172 us
 * - a dictionary of 100 as columns, not as rows: SQLite 530 instead of 640 us, PostgreSQL 730 instead of 1,030 us
 */
export function chooseRead (plan: ReadPlan, builder: Builder, form: 'rows' | 'locking'): CompiledRead
export function chooseRead (plan: ReadPlan, builder: Builder, form: ReadForm): CompiledRead<ReadResult | JsonResult>
export function chooseRead (plan: ReadPlan, builder: Builder, form: ReadForm): CompiledRead<ReadResult | JsonResult> {
  if (form === 'locking') return buildRowsRead(plan, builder, true)
  if (plan.kind === 'item' && plan.steps.length === 1) {
    const fields = form === 'json' ? columnsShown(plan.select) : undefined
    if (fields !== undefined) return buildItemTexts(plan, fields, builder)
    if (isFlat(plan.select)) return buildItemColumns(plan, builder)
  }
  if (plan.kind === 'item' && form === 'json' && !isFlat(plan.select) && canWriteJson(plan.select)) {
    return buildJsonItem(plan, builder)
  }
  if (plan.kind === 'list') {
    const { select } = plan.listing
    const isOneTable = builder.dialect.endsLongReads && plan.steps.length === 0 && !plan.count &&
      !carriesFunctions(plan) && textsAmong(plan.extra, plan.from, builder) === undefined
    const fields = form === 'json' && isOneTable && builder.dialect.fetchesPages ? columnsShown(select) : undefined
    if (fields !== undefined) return buildPageText(plan, fields, builder)
    if (form === 'json' && canWriteJson(select)) return buildJsonRead(plan, builder)
    if (isOneTable && isFlat(select)) return buildPageColumns(plan, builder)
  }
  return buildRowsRead(plan, builder)
}

/** Returns true for a page whose cursors hold values of functions, which a single select would call twice. */
const carriesFunctions = (plan: ReadPlanOf<'list'>) => carriedTerms(plan).some(({ related }) => related !== undefined)
