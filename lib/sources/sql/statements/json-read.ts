import { sql } from 'kysely'
import type { DataField } from '../../../model/model.ts'
import type { Listing, ReadPlan, Selection, Shown, ReadPlanOf, Row } from '../../../plan/plan.ts'
import type { Ends, ReadResult, JsonResult } from '../../source.ts'
import type { Builder } from './builder.ts'
import type { Sql, Writer } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { buildCount, buildCounts, buildSteps, type ReadCode, readOutput, startingAt, totalIn, withSteps } from './read.ts'
import { related } from './join-conditions.ts'
import { buildLimit, buildRow } from './select.ts'
import { isFlat } from './shape.ts'
import { buildSort } from './sort.ts'
import { column, tableRef, selected, table, type TableRef } from './table.ts'

type WrittenCode = ReadCode<ReadResult | JsonResult>

/** What the parts of a statement share that writes JSON. */
interface Writing { readonly writer: Writer, readonly builder: Builder }

/**
 * A listing as one statement whose answer the database writes as JSON, and which goes out untouched. Nothing for what it cannot write: fields that the
 * application computes, fields of JSON, whose text may be any, and what holds more fields than a function has arguments.
 */
export function buildJsonRead (plan: ReadPlan, builder: Builder): WrittenCode | undefined {
  if (plan.kind !== 'list') return undefined
  return isWritable(plan.listing.select) ? buildPage(plan, { writer: builder.dialect.writer, builder }) : undefined
}

function isWritable (select: Selection): boolean {
  return select.length > 0 && select.length <= mostMembers && select.every(shown => {
    // JavaScript puts names that are indexes before all others.
    if (/^\d+$/.test(shown.name)) return false
    if (shown.kind === 'value') return shown.field.kind !== 'computed' && shown.field.type.kind !== 'json'
    return isWritable(shown.kind === 'item' ? shown.select : shown.listing.select)
  })
}

// Of the hundred arguments that a function has in all databases.
const mostMembers = 50

function buildPage (plan: ReadPlanOf<'list'>, writing: Writing): WrittenCode {
  const { steps, from, listing, beyond, carry, count } = plan
  const { builder, writer } = writing
  const stands = steps.map((step, index) => tableRef(step.collection, `(s${index})`))
  const parent = stands.at(-1)
  const use = tableRef(from.collection, builder.alias())
  const object = buildObject(listing.select, use, writing)
  const cut = isFlat(listing.select) ? atObjects(listing.select) : atLines
  const carried = buildCarried(carry, listing.select, use, builder)
  const rows = buildRows(listing, use, inner => sql`${startingAt(from, inner, parent, listing.where, builder)} and ${buildFilter(beyond, inner, builder)}`, true, builder)
  const outputs = [
    ...buildCounts(stands),
    sql`${writer.join(object, cut.separator)} as ${sql.id('rows')}`,
    sql`count(*) as ${sql.id('count')}`,
    sql`${count ? buildCount(from, parent, listing.where, sql`*`, builder) : sql`null`} as ${sql.id('total')}`,
    sql`${carried.sql === undefined ? sql`null` : writer.join(carried.sql, atLines.separator)} as ${sql.id('carried')}`
  ]
  return {
    sql: sql`${withSteps(buildSteps(steps, stands, builder))}select ${sql.join(outputs)} from (${rows}) as ${sql.id(use.alias)}`,
    cardinality: 'row',
    decode ([row], { limit }) {
      const { missed, rest: [rows, count, total, told] } = readOutput(row, stands.length)
      if (missed !== undefined) return missed
      const more = Number(count) > limit
      const items = limit === 0 ? '' : writer.finish(withoutLast(textOf(rows), cut, more))
      const ends = items === '' ? undefined : carried.sql === undefined ? endsOf(items, cut, carried.decode) : endsOf(withoutLast(textOf(told), atLines, more), atLines, carried.decode)
      return { kind: 'items', text: reversed => arrayOf(items, cut, reversed), ends, more, ...totalIn(total) }
    }
  }
}

// An aggregate of nothing is null.
const textOf = (items: unknown) => items === null ? '' : String(items)

/** How items stand one behind the other, and where they part: `mark` is nowhere but between two, of which its first `before` characters belong to the one. */
interface Cut { readonly separator: string, readonly mark: string, readonly before: number }

// Behind a brace in a string stands no quote but the one that ends it, and behind that no name. Where more is nested, a line feed is what no JSON of ours holds.
const atObjects = ([first]: Selection): Cut => ({ separator: ',', mark: `},{${first?.field.label ?? ''}`, before: 1 })
const atLines: Cut = { separator: '\n', mark: '\n', before: 0 }

/** Without the row that shows that a page follows. */
const withoutLast = (items: string, { mark, before }: Cut, more: boolean) => more ? items.slice(0, Math.max(items.lastIndexOf(mark), -before) + before) : items

function endsOf (items: string, { separator, mark, before }: Cut, decode: Carried['decode']): Ends {
  return {
    first () {
      const index = items.indexOf(mark)
      return decode(index < 0 ? items : items.slice(0, index + before))
    },
    last () {
      const index = items.lastIndexOf(mark)
      return decode(index < 0 ? items : items.slice(index + before + separator.length))
    }
  }
}

function arrayOf (items: string, { separator, mark, before }: Cut, reversed: boolean): string {
  if (!reversed) return separator === ',' ? `[${items}]` : `[${items.replaceAll(separator, ',')}]`
  const parted = items.replaceAll(mark, `${mark.slice(0, before)}\n${mark.slice(before + separator.length)}`)
  return `[${parted.split('\n').reverse().join(',')}]`
}

/** The fields that links need: read off the items where these show them, else out of a second column. */
interface Carried { readonly sql: Sql | undefined, decode (line: string): Row }

function buildCarried (carry: readonly DataField[], select: Selection, use: TableRef, builder: Builder): Carried {
  const shown = carry.map(field => select.find(one => one.field === field)?.name)
  if (shown.includes(undefined)) {
    const row = buildRow([], carry, use, builder)
    return { sql: row.sql, decode: line => row.decode(JSON.parse(line) as readonly unknown[]) }
  }
  return {
    sql: undefined,
    decode (line) {
      const item = JSON.parse(line) as Row
      return Object.fromEntries(carry.map((field, index) => [field.property, item[shown[index] ?? '']]))
    }
  }
}

/** The rows of a listing, ordered and cut off first, so that what is nested is looked up for the rows shown only. */
function buildRows (listing: Listing, use: TableRef, conditions: (inner: TableRef) => Sql, ahead: boolean, builder: Builder): Sql {
  const inner = tableRef(use.collection, use.alias)
  const where = conditions(inner)
  const order = buildSort(listing.order, inner, builder)
  const columns = selected(inner, use)
  return sql`select ${columns} from ${table(inner)} where ${where} order by ${order} ${buildLimit(listing.range, ahead, builder)}`
}

const buildObject = (select: Selection, use: TableRef, writing: Writing): Sql => writing.writer.object(select.map(shown => [shown.name, buildMember(shown, use, writing)]))

function buildMember (shown: Shown, use: TableRef, writing: Writing): Sql {
  switch (shown.kind) {
    case 'value': return buildValue(shown.field as DataField, use, writing)
    case 'item': return buildSubItem(shown, use, writing)
    case 'list': return buildSubList(shown, use, writing)
  }
}

function buildValue (field: DataField, use: TableRef, { writer, builder }: Writing): Sql {
  const value = writer.value(column(use, field), builder.columnType(use.collection, field), field.kind === 'expression')
  if (value === undefined) throw new TypeError('what cannot be written is not built')
  return value
}

function buildSubItem ({ field, where, select }: Extract<Shown, { kind: 'item' }>, use: TableRef, writing: Writing): Sql {
  const { builder } = writing
  const target = tableRef(field.target, builder.alias())
  const object = buildObject(select, target, writing)
  const conditions = sql`${related(field, target, parentField => column(use, parentField))} and ${buildFilter(where, target, builder)}`
  return sql`(select ${object} from ${table(target)} where ${conditions})`
}

function buildSubList ({ field, listing }: Extract<Shown, { kind: 'list' }>, use: TableRef, writing: Writing): Sql {
  const { builder, writer } = writing
  const target = tableRef(field.target, builder.alias())
  const object = buildObject(listing.select, target, writing)
  const rows = buildRows(listing, target, inner => {
    return sql`${related(field, inner, parentField => column(use, parentField))} and ${buildFilter(listing.where, inner, builder)}`
  }, false, builder)
  return sql`(select ${writer.array(object)} from (${rows}) as ${sql.id(target.alias)})`
}
