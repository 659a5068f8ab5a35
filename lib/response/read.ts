import { identifierNotFound } from '../errors.ts'
import type { Collection } from '../model/model.ts'
import type { DataRead } from '../plan/read.ts'
import { versionOf, versionOfTexts } from '../plan/tag.ts'
import type { Row } from '../plan/plan.ts'
import type { Found, JsonResult } from '../sources/source.ts'
import { type Answer, ok } from './answer.ts'
import { renderDictionary, renderGroups } from './dictionary.ts'
import { joinMembers, renderItem, renderItems, renderScalar } from './items.ts'
import { type PageEcho, type PageOptions, renderPage } from './page.ts'
import { formatPath, ownSegments } from './paths.ts'
import type { PageRead } from './links.ts'
import { tagged } from './tag.ts'

/** The answer to a read that found something. */
export function renderRead (read: DataRead, result: Found, asked: PageEcho, options: PageOptions): Answer {
  if (result.kind === 'groups') return renderGroupPage(read, result, asked, options)
  switch (read.kind) {
    case 'item': {
      const row = first(result.rows)
      const { show, variant } = read.shows
      return tagged(ok(renderItem(row, show), read.special ? ownLocation(read.collection, row, asked, options) : undefined), asked.known, versionOf(row, read.collection), variant)
    }
    case 'scalar': {
      const row = first(result.rows)
      return tagged(ok(renderScalar(row, read.shows.show)), asked.known, versionOf(row, read.collection), read.shows.variant)
    }
    case 'list': {
      const rows = inOrder(result.rows, read.paging.reversed)
      return tagged(renderPage(read.paging, renderItems(rows, read.plan.listing.select), pageOf(result, rows), asked, options), asked.known)
    }
    case 'dictionary': {
      const rows = inOrder(result.rows, read.paging.reversed)
      return tagged(renderPage(read.paging, renderDictionary(rows, read.by, read.plan.listing.select), pageOf(result, rows), asked, options), asked.known)
    }
    case 'groups': throw new TypeError('a read of groups is answered by groups')
  }
}

/** The same where what was found is text already. */
export function renderJson (read: DataRead, result: JsonResult, asked: PageEcho, options: PageOptions): Answer {
  if (result.kind === 'values' && (read.kind === 'item' || read.kind === 'scalar')) {
    const { values } = result
    const body = read.kind === 'item' ? joinMembers(values, read.shows.show) : values[0] ?? 'null'
    return tagged(ok(body), asked.known, versionOfTexts(values, read.shows), read.shows.variant)
  }
  if (result.kind === 'items' && read.kind === 'list') {
    const { ends, more, total } = result
    const { reversed } = read.paging
    const page = { ends: reversed ? ends && { first: ends.last, last: ends.first } : ends, more, ...total !== undefined && { total } }
    return tagged(renderPage(read.paging, result.text(reversed), page, asked, options), asked.known)
  }
  throw new TypeError(`text of ${result.kind} is no answer to a read of ${read.kind}`)
}

/** The answer to a read whose step found nothing. Throws identifier_not_found, but for a sub-item, which may be null. */
export function renderMissing (read: DataRead, step: number, { known }: Pick<PageEcho, 'known'>): Answer {
  if (read.kind === 'item' && read.nullable && step === read.walked.length - 1) return tagged(ok('null'), known)
  throw identifierNotFound(read.walked[step]?.segment ?? '')
}

function renderGroupPage (read: DataRead, result: Extract<Found, { kind: 'groups' }>, asked: PageEcho, options: PageOptions): Answer {
  if (read.kind !== 'groups') throw new TypeError('only a read of groups is answered by groups')
  const groups = inOrder(result.groups, read.paging.reversed)
  // For links a group is the row that holds its value.
  const rows = groups.map(({ value }): Row => ({ [read.by.property]: value }))
  return tagged(renderPage(read.paging, renderGroups(groups, read.plan.members.select), pageOf(result, rows), asked, options), asked.known)
}

function first (rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new TypeError('a source that finds an item gives its row')
  return row
}

function pageOf ({ more, total }: Found, rows: readonly Row[]): PageRead & { readonly total?: number } {
  const ends = rows.length === 0 ? undefined : { first: () => first(rows), last: () => first(rows.slice(-1)) }
  return { ends, more, ...total !== undefined && { total } }
}

const inOrder = <T>(rows: readonly T[], reversed: boolean): readonly T[] => reversed ? rows.toReversed() : rows

/** The item's own URL, where it was asked for by another (RFC 9110, 8.7). */
function ownLocation (collection: Collection, row: Row, { segments, site }: PageEcho, { dictionaryPrefix }: PageOptions): Record<string, string> {
  const own = ownSegments(collection, row[collection.key.property], dictionaryPrefix)
  return own === undefined ? {} : { 'content-location': formatPath(site(), [...segments.slice(0, -1), ...own]) }
}
