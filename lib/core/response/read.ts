import { answerTooLarge, identifierNotFound } from '../errors/errors.ts'
import type { Collection, DataField } from '../model/model.ts'
import type { Row, Selection } from '../plan/plan.ts'
import type { DataRead } from '../plan/read/read.ts'
import { versionOf, versionOfTexts } from '../plan/tag.ts'
import type { Address } from '../run/address.ts'
import { after } from '../scheduling/after.ts'
import { quote, writeInParts } from '../sources/json-text.ts'
import type { FoundRows, RowsOfValue, JsonResult } from '../sources/source.ts'
import { type Answer, ok } from './answer.ts'
import { renderGroup, renderGroups } from './groups.ts'
import { itemWriter, joinMembers, renderItem, renderItems, renderScalar } from './items.ts'
import { type PageEcho, type PageOptions, type RenderedPage, renderPage } from './page.ts'
import { formatPath, formatSegment, ownSegments } from './paths.ts'
import { tagged, taggedInParts } from './tag.ts'

type ReadOf<K extends DataRead['kind']> = Extract<DataRead, { kind: K }>

/** `address`: that of an item at a special identifier. */
export function renderRead (
  read: DataRead, result: FoundRows, address: Address | undefined, echo: PageEcho, options: PageOptions
): Answer | Promise<Answer> {
  if (result.kind === 'groups') return renderGroupPage(read, result, echo, options)
  switch (read.kind) {
    case 'item': return renderItemRead(read, first(result.rows), address, echo, options)
    case 'scalar': {
      const row = first(result.rows)
      const { show, variant } = read.projection
      const body = checkLength(renderScalar(row, show), options)
      return taggedInParts(ok(body), echo.conditions, versionOf(row, read.collection), variant)
    }
    case 'list': {
      const rows = inOrder(result.rows, read.paging.reversed)
      const body = renderItems(rows, read.plan.listing.select, options.length)
      return renderTaggedPage({ paging: read.paging, body, read: pageOf(result, rows) }, echo, options)
    }
    case 'dictionary': {
      const rows = inOrder(result.rows, read.paging.reversed)
      const body = renderDictionary(rows, read.by, read.plan.listing.select, options.length)
      return renderTaggedPage({ paging: read.paging, body, read: pageOf(result, rows) }, echo, options)
    }
    case 'aggregate': {
      const body = renderAggregate(read, result.rows, options.length)
      return renderTaggedPage({ paging: read.paging, body, read: pageOf(result, []) }, echo, options)
    }
    case 'groups': throw new TypeError('a read of groups is answered by groups')
  }
}

export function renderJson (
  read: DataRead, result: JsonResult, echo: PageEcho, options: PageOptions
): Answer | Promise<Answer> {
  if (result.kind === 'values' && (read.kind === 'item' || read.kind === 'scalar')) {
    const { values } = result
    const { show, variant } = read.projection
    const body = checkLength(read.kind === 'item' ? joinMembers(values, show) : values[0] ?? 'null', options)
    return taggedInParts(ok(body), echo.conditions, versionOfTexts(values, read.projection), variant)
  }
  if (result.kind === 'items' && read.kind === 'list') {
    const { more, total } = result
    const { reversed } = read.paging
    const ends = reversed && result.ends ? { first: result.ends.last, last: result.ends.first } : result.ends
    const page = { ends, more, ...total !== undefined && { total } }
    return renderTaggedPage({ paging: read.paging, body: result.text(reversed), read: page }, echo, options)
  }
  throw new TypeError(`text of ${result.kind} is no answer to a read of ${read.kind}`)
}

/** Returns `null` for a missing sub-item. Throws identifier_not_found for every other missing step. */
export function renderMissing (read: DataRead, step: number, { conditions }: Pick<PageEcho, 'conditions'>): Answer {
  const isSubItem = read.kind === 'item' && read.nullable && step === read.walked.length - 1
  if (isSubItem) return tagged(ok('null'), conditions)
  throw identifierNotFound(read.walked[step]?.segment ?? '', read.walked[step]?.advice)
}

function renderItemRead (
  read: ReadOf<'item'>, row: Row, address: Address | undefined, echo: PageEcho, options: PageOptions
): Answer | Promise<Answer> {
  const { collection, projection: { show, variant } } = read
  const headers = read.special ? ownLocation(collection, address, echo, options) : undefined
  const body = checkLength(renderItem(row, show), options)
  return taggedInParts(ok(body, headers), echo.conditions, versionOf(row, collection), variant)
}

type GroupResult = Extract<FoundRows, { kind: 'groups' }>

function renderGroupPage (
  read: DataRead, result: GroupResult, echo: PageEcho, options: PageOptions
): Answer | Promise<Answer> {
  if (read.kind !== 'groups') throw new TypeError('only a read of groups is answered by groups')
  const groups = inOrder(result.groups, read.paging.reversed)
  // The cursors of links are made from rows, so each group becomes a row that holds its value.
  const rows = groups.map(({ value }): Row => ({ [read.by.property]: value }))
  const body = renderLists(groups, read.plan.members.select, options.length)
  return renderTaggedPage({ paging: read.paging, body, read: pageOf(result, rows) }, echo, options)
}

/** `body`: a promise where it is long. */
interface WrittenPage extends Omit<RenderedPage, 'body'> { readonly body: string | Promise<string> }

const renderTaggedPage = (
  { paging, body, read }: WrittenPage, echo: PageEcho, options: PageOptions
): Answer | Promise<Answer> => after(body, text =>
  taggedInParts(renderPage({ paging, body: checkLength(text, options), read }, echo, options), echo.conditions))

/** Returns the text. Throws answer_too_large if it is longer than the limit. */
function checkLength (body: string, { length }: Pick<PageOptions, 'length'>): string {
  if (body.length > length) throw answerTooLarge(length)
  return body
}

function first (rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new TypeError('a source that finds an item gives its row')
  return row
}

function pageOf ({ more, total }: FoundRows, rows: readonly Row[]): RenderedPage['read'] {
  const ends = rows.length === 0 ? undefined : { first: () => first(rows), last: () => first(rows.slice(-1)) }
  return { ends, more, ...total !== undefined && { total } }
}

const inOrder = <T>(rows: readonly T[], reversed: boolean): readonly T[] => reversed ? rows.toReversed() : rows

/** Returns the item's own URL as the header `content-location` (RFC 9110, 8.7), for an item at a special identifier. */
function ownLocation (
  collection: Collection, address: Address | undefined, { parts, site }: PageEcho, { dictionaryPrefix }: PageOptions
): Record<string, string> {
  if (address === undefined) return {}
  const own = ownSegments(collection, address, dictionaryPrefix)
  return { 'content-location': formatPath(site(), [...parts.slice(0, -1), ...own]) }
}

/** Returns a dictionary of items by the value of an identifier, as JSON text (docs/http.md: URLs). */
function renderDictionary (
  rows: readonly Row[], by: readonly DataField[], select: Selection, longest: number
): string | Promise<string> {
  const write = itemWriter(select)
  return renderMembers(rows, row => memberName(row, by), write, longest)
}

/** Returns the value of an identifier; for a key of several fields the segment that leads to the item. */
function memberName (row: Row, by: readonly DataField[]): string {
  const [only, other] = by
  if (only !== undefined && other === undefined) return String(row[only.property])
  return formatSegment(by.map(({ property }) => row[property]))
}

/** Returns a dictionary of arrays of items by the value that they share, as JSON text (docs/http.md: URLs). */
function renderLists (
  groups: readonly RowsOfValue[], select: Selection, longest: number
): string | Promise<string> {
  const write = itemWriter(select)
  return renderMembers(groups, ({ value }) => String(value), ({ rows }) => `[${rows.map(write).join(',')}]`, longest)
}

/** Returns an array of groups or, if a column names them, a dictionary of them. */
function renderAggregate (
  { show, name }: ReadOf<'aggregate'>, rows: readonly Row[], longest: number
): string | Promise<string> {
  if (name === undefined) return renderGroups(rows, show, longest)
  return renderMembers(rows, row => String(row[name.field.property]), row => renderGroup(row, show), longest)
}

/** Writes the members in their order: a JavaScript object would move names that are array indexes to the front. */
function renderMembers<T> (
  list: readonly T[], nameOf: (one: T) => string, write: (one: T) => string, longest: number
): string | Promise<string> {
  const members = (part: readonly T[]) => {
    // Of items that share a name, which an application's objects in memory may, the last is shown.
    const texts = new Map<string, string>()
    for (const one of part) texts.set(nameOf(one), write(one))
    let text = ''
    for (const [name, value] of texts) text += `${text === '' ? '' : ','}${quote(name)}:${value}`
    return text
  }
  return after(writeInParts(list, longest, members), text => `{${text}}`)
}
