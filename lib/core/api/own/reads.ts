import type { Page, PagePosition } from '../../../clients/client/page.ts'
import { invalidFields } from '../../errors/errors.ts'
import { planRead, type Read } from '../../plan/read/read.ts'
import { showGroup } from '../../plan/read/show.ts'
import { always } from '../../plan/predicates.ts'
import type { Row, Selection } from '../../plan/plan.ts'
import type { Resource } from '../../plan/path/walk.ts'
import type { Query } from '../../request/request.ts'
import { type PageLink, pageLinks } from '../../response/links.ts'
import { readBatches } from '../../run/batches.ts'
import type { Ends, FoundRows } from '../../sources/source.ts'
import type { Members } from '../own-face.ts'
import type { OwnCall } from './call.ts'
import { ownItem, itemResource } from './items.ts'

type ListRead = Extract<Read, { kind: 'list' }>

export async function listItems (call: OwnCall, query: Query, count: boolean): Promise<Page<readonly Members[]>> {
  const read = planList(call, query, count, false)
  const { rows, more, total } = await readRows(call, read)
  const { plan: { listing: { select } }, paging } = read
  const links = pageLinks(paging, { ends: endsOf(rows), more }, kind => kind)
  const to = (rel: 'next' | 'prev') => {
    const link = links.find(one => one.rel === rel)
    return link && positionOf(link.page)
  }
  return { items: rows.map(row => ownItem(row, select)), next: to('next'), previous: to('prev'), total: total ?? null }
}

export async function countFound (call: OwnCall, { filters, at }: Query): Promise<number> {
  const page = { size: { text: '0', quoted: false, at: { parameter: 'size', position: 1 } } }
  const fields = call.collection.key.filter(field => field.readable).map(({ name }) => ({ name, at: page.size.at }))
  const query = { filters, page, at, ...fields.length > 0 && { fields } }
  const { total } = await readRows(call, planList(call, query, true, false))
  return total ?? 0
}

export async function groupItems (call: OwnCall, query: Query): Promise<readonly Members[]> {
  const read = planRead(collectionResource(call), query, false, call.binding.limits.paged)
  if (read.kind !== 'aggregate') {
    throw invalidFields("A query of groups needs a function, such as 'count'.", inFields)
  }
  const found = await call.database.read(read.plan)
  if (found.kind !== 'rows') throw new TypeError('groups without steps have rows')
  return found.rows.map(row => showGroup(row, read.show))
}

const inFields = { parameter: 'fields', position: 1 }

/** Returns all items that a query finds, in batches. */
export async function * streamItems (begin: () => Promise<OwnCall>, query: Query): AsyncGenerator<Members> {
  const call = await begin()
  const read = planList(call, query, false, true)
  const { rows } = await readBatches(read.plan, call.database, read.batchSize)
  for await (const batch of rows) {
    for (const row of batch) yield ownItem(row, read.plan.listing.select)
  }
}

/** Returns the item; undefined where there is none. */
export async function findItem (call: OwnCall, id: unknown, query: Query): Promise<Members | undefined> {
  const read = planRead(itemResource(id, call), query, false, call.binding.limits.paged)
  if (read.kind !== 'item') throw new TypeError('an item is read as an item')
  const found = await call.database.read(read.plan)
  const row = found.kind === 'rows' ? found.rows[0] : undefined
  return row && ownItem(row, read.projection.show)
}

export const collectionResource = ({ collection }: OwnCall): Extract<Resource, { kind: 'collection' }> =>
  ({ kind: 'collection', from: { collection, via: undefined }, where: always, pathValues: [], walked: [] })

function planList (call: OwnCall, query: Query, count: boolean, whole: boolean): ListRead {
  const { limits } = call.binding
  const read = planRead(collectionResource(call), query, count, whole ? limits.whole : limits.paged)
  if (read.kind !== 'list') throw invalidFields("Groups are read by 'groups()'.", inFields)
  return read
}

/** Throws the denial of the rule for reading. */
export function allowRead (call: OwnCall): OwnCall {
  const denial = call.caller.denial('read', call.collection)
  if (denial !== undefined) throw denial
  return call
}

interface Rows { readonly rows: readonly Row[], readonly more: boolean, readonly total: number | undefined }

/** Reads the rows of a list, in the order that the query asks for. */
async function readRows ({ database }: OwnCall, { plan, paging }: ListRead): Promise<Rows> {
  const found = await database.read(plan)
  if (found.kind !== 'rows') throw new TypeError('a list without steps has rows')
  const { rows, more, total }: Extract<FoundRows, { kind: 'rows' }> = found
  return { rows: paging.reversed ? rows.toReversed() : rows, more, total }
}

function endsOf (rows: readonly Row[]): Ends | undefined {
  const first = rows[0]
  const last = rows.at(-1)
  return first && last && { first: () => first, last: () => last }
}

/** Returns the position of another page, for a query that may have another one. */
function positionOf (page: PageLink['page']): PagePosition {
  const none = { page: undefined, offset: undefined, after: undefined, before: undefined }
  if (page === undefined) return none
  const { name, value } = page
  return { ...none, [name]: name === 'page' || name === 'offset' ? Number(value) : value }
}

/** Returns the item that a write has read for its caller; without fields if the caller may not read it. */
export const writtenItem = (row: Row | undefined, select: Selection | undefined): Members =>
  row === undefined || select === undefined ? {} : ownItem(row, select)
