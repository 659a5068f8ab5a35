import { sql } from '../load-kysely.ts'
import { answerTooLarge } from '../../../errors/errors.ts'
import type { DataField } from '../../../model/model.ts'
import type { Origin, Predicate, ReadPlan, ReadPlanOf } from '../../../plan/plan.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { buildAggregate, hasGroup } from './aggregate-read.ts'
import type { ReadBody, CompiledRead, ReadLimit } from './compiled-read.ts'
import { resultBytes, resultText, textsAmong } from './positions.ts'
import { buildLimit, buildList, buildRow, dataFields, decodeRows } from './select.ts'
import { buildRowRead, buildTotal, decodeTotal, itemsOfPage, stepCondition, stepRefs } from './steps.ts'
import { column, queryRef, table, tableRef, type TableRef } from './table.ts'

// The general read: one statement for a path of any length and a selection of any depth. The database writes the rows
// as JSON arrays, which the application decodes.

/**
 * Builds a read of rows, which serves every plan (docs/http.md: URLs). `locking` locks the item of the last step
 * against changes by others.
 */
export function buildRowsRead (plan: ReadPlan, builder: Builder, locking = false): CompiledRead {
  const refs = stepRefs(plan.steps)
  const body = buildBody(plan, refs.at(-1), builder)
  const tables = body.with === undefined ? [] : [body.with]
  const text = builder.dialect.writer.text(body.rows)
  const rows = ['rows', body.texts?.asBytes(text) ?? text] as const
  const outputs = [rows, ['total', body.total ?? sql`null`] as const]
  return buildRowRead(plan, { refs, outputs, tables, locking }, builder, ([rows, total], limit) =>
    body.decode(parseRows(rows, limit), decodeTotal(total), limit, () => JSON.parse(resultBytes(rows))))
}

/**
 * Parses the array of rows. Throws answer_too_large if its text was too long to be sent, or holds more arrays, each of
 * which becomes an object, than an answer may have (objectWeight). Brackets in texts count as well.
 */
function parseRows (rows: unknown, { longest }: ReadLimit): unknown {
  if (rows === null) throw answerTooLarge(longest)
  const text = resultText(rows)
  let count = 0
  for (let at = text.indexOf('['); at >= 0; at = text.indexOf('[', at + 1)) {
    if (++count * objectWeight > longest) throw answerTooLarge(longest)
  }
  return JSON.parse(text)
}

/** The characters that such an object counts for: one of two members takes some 100 bytes. */
const objectWeight = 128

function buildBody (plan: ReadPlan, parent: TableRef | undefined, builder: Builder): ReadBody {
  switch (plan.kind) {
    case 'item': return buildItemRows(plan, parent, builder)
    case 'list': return buildPageRows(plan, parent, builder)
    case 'groups': return buildGroups(plan, parent, builder)
    case 'aggregate': return buildAggregate(plan, parent, builder)
  }
}

function buildItemRows ({ select }: ReadPlanOf<'item'>, ref: TableRef | undefined, builder: Builder): ReadBody {
  if (ref === undefined) throw new TypeError('an item is reached by a step at least')
  const row = buildRow(select, [], ref, builder)
  return {
    rows: sql`(select ${builder.dialect.writer.allRows(row.sql)} from ${sql.id(ref.alias)})`,
    decode: rows => ({ kind: 'rows', rows: decodeRows(rows, row), more: false })
  }
}

function buildPageRows (plan: ReadPlanOf<'list'>, parent: TableRef | undefined, builder: Builder): ReadBody {
  const { from, listing, extra, count } = plan
  const ref = queryRef(from.collection, builder.alias())
  const texts = textsAmong(extra, ref, builder)
  const fields = dataFields(listing.select, extra)
  const list = buildList({ ...listing, extra, ahead: true }, ref, itemsOfPage(plan, parent, builder), builder)
  return {
    rows: list.sql,
    texts,
    ...count && { total: buildTotal(from, parent, listing.where, builder) },
    decode (rows, total, { limit }, bytes) {
      const read = decodeRows(rows, list).slice(0, limit)
      const stored = (index: number) => (field: DataField) =>
        (bytes() as ReadonlyArray<readonly unknown[]>)[index]?.flat()[fields.indexOf(field)]
      const told = texts === undefined
        ? read
        : read.map((row, index) =>
          index > 0 && index < read.length - 1 ? row : texts.tell(row, stored(index)))
      return { kind: 'rows', rows: told, more: isMore(rows, limit), ...total }
    }
  }
}

const isMore = (rows: unknown, limit: number) => (rows as readonly unknown[]).length > limit

function buildGroups (plan: ReadPlanOf<'groups'>, parent: TableRef | undefined, builder: Builder): ReadBody {
  const { from, by, members, count } = plan
  const { dialect } = builder
  const type = builder.columnType(from.collection, by)
  const group = sql.id(builder.alias())
  const value = sql`${group}.${sql.id('value')}`
  const ref = queryRef(from.collection, builder.alias())
  const conditions = (inner: TableRef) => {
    const own = dialect.filtered(column(inner, by), type, false)
    return dialect.clocked(sql`${stepCondition(from, inner, parent, members.where, builder)} and ${own} = ${value}`)
  }
  const list = buildList(members, ref, conditions, builder)
  const values = buildGroupValues(plan, parent, builder)
  const groups = dialect.groups(type)
  const row = dialect.writer.row([groups.encode(value), list.sql])
  return {
    rows: sql`(select ${dialect.writer.allRows(row)} from (${values}) as ${group})`,
    ...count && { total: buildGroupTotal(from, parent, members.where, by, builder) },
    decode: (rows, total, { limit }) => ({
      kind: 'groups',
      groups: (rows as ReadonlyArray<readonly [unknown, unknown]>).slice(0, limit).map(([one, items]) => ({
        value: groups.decode(one),
        rows: decodeRows(items, list)
      })),
      more: isMore(rows, limit),
      ...total
    })
  }
}

/** Builds a select of the distinct values by which the page's groups are made, in order. */
function buildGroupValues (plan: ReadPlanOf<'groups'>, parent: TableRef | undefined, builder: Builder): Sql {
  const { from, by, cursorBound, descending, range, members } = plan
  const ref = tableRef(from.collection, builder.alias())
  const start = stepCondition(from, ref, parent, members.where, builder)
  const bound = buildFilter(cursorBound, ref, builder)
  const where = builder.clockedScan(sql`${start} and ${bound} and ${hasGroup(ref, by, builder)}`, ref)
  const value = builder.dialect.filtered(column(ref, by), builder.columnType(from.collection, by), false)
  const order = sql`order by 1 ${descending ? sql`desc` : sql`asc`}`
  const limit = buildLimit(range, true, builder)
  return sql`select distinct ${value} as ${sql.id('value')} from ${table(ref)} where ${where} ${order} ${limit}`
}

/** Builds a subquery that counts the distinct values of all groups. */
function buildGroupTotal (
  from: Origin, parent: TableRef | undefined, where: Predicate, by: DataField, builder: Builder
): Sql {
  const ref = tableRef(from.collection, builder.alias())
  const value = builder.dialect.filtered(column(ref, by), builder.columnType(from.collection, by), false)
  const start = stepCondition(from, ref, parent, where, builder)
  const condition = builder.clockedScan(sql`${start} and ${hasGroup(ref, by, builder)}`, ref)
  return sql`(select count(distinct ${value}) from ${table(ref)} where ${condition})`
}
