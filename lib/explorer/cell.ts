import { isObject } from '../errors/is-object.ts'
import type { Collection } from '../model/model.ts'
import type { Selection, Shown } from '../plan/plan.ts'
import type { Item } from '../plan/read/select.ts'
import type { InParts } from '../response/answer.ts'
import { choicesOf } from './choices.ts'
import { columnTitle } from './columns.ts'
import { type Fragment, type Html, html } from './html.ts'
import { linkTo } from './label.ts'
import type { Member } from './members.ts'
import type { Place } from './place.ts'
import { cut, fewestGrouped, indented, isImage, isNumeric, isUrl, kindOf, none, showShort, showUrl } from './value.ts'

/** A row of a table, and its text in the answer. */
export interface Row { readonly json: string, readonly item: Item }

/** A column of a table, and what its numbers share. */
export interface Column {
  readonly shown: Shown
  readonly kind: string
  /** The whole digits from which on its numbers are shown in groups; the digits behind the point of the longest. */
  readonly grouped: number
  readonly decimals: number
}

/** What opens on a page: the number of its elements so far, and the characters of texts that it may still show. */
export interface Openings { count: number, left: number }

/** Returns the openings of a new page. */
export const newOpenings = (): Openings => ({ count: 0, left: 200_000 })

/** Returns an id for an element that opens. */
export const nextId = (openings: Openings): string => `p${openings.count++}`

/** Parses the items of a listing. */
export function * rowsOf (members: readonly Member[]): InParts<readonly Row[]> {
  const rows: Row[] = []
  for (const { json } of members) {
    const item: unknown = JSON.parse(json)
    if (isObject(item)) rows.push({ json, item })
    yield json.length
  }
  return rows
}

/** Returns the columns of a selection. Numbers that name items are never grouped. */
export function columnsOf (select: Selection, { key, fields }: Collection, rows: readonly Row[]): readonly Column[] {
  const relations = [...fields.values()].filter(field => field.kind === 'sub-item')
  const names = new Set<unknown>([...key, ...relations.flatMap(({ foreignKey }) => foreignKey)])
  return select.map(shown => {
    const kind = shown.kind === 'value' ? kindOf(shown.field) : shown.kind
    if (!isNumeric(kind)) return { shown, kind, grouped: fewestGrouped, decimals: 0 }
    const texts = rows.map(({ item }) => plainNumber.exec(String(item[shown.name])) ?? [])
    const isName = names.has(shown.field) || (shown.field.kind === 'stored' && shown.field.identifier)
    // One number of five digits has all of its column grouped.
    const isLong = texts.some(([, whole = '']) => whole.length >= fewestGrouped)
    const decimals = Math.max(0, ...texts.map(([, , rest = '']) => rest.length))
    const grouped = isName ? Infinity : isLong ? fewestGrouped - 1 : fewestGrouped
    return { shown, kind, grouped, decimals: decimals > mostDecimals ? 0 : decimals }
  })
}

const plainNumber = /^-?(\d+)(?:\.(\d+))?$/

// Points of numbers with more digits than this are not aligned: they would stand in the middle of a column.
const mostDecimals = 6

/** Returns the class of a column, by which its width and alignment are those of its type. */
function classOf ({ kind, shown }: Column): string {
  if (isNumeric(kind)) return 'num'
  if (kind === 'json' || kind === 'mixed' || kind === 'array' || kind === 'object') return 'mono m'
  if (kind === 'date' || kind === 'date-time') return ''
  return shown.kind === 'value' && choicesOf(shown.field) !== undefined ? 's' : 'm'
}

/** Returns a cell. `path`: that of the item; undefined if no URL of it is known. */
export function showCell (
  column: Column, item: Item, path: string | undefined, place: Place, openings: Openings
): Html {
  const { shown } = column
  const value = item[shown.name]
  const whole = path && `${path}/${encodeURIComponent(shown.name)}`
  if (shown.kind === 'item') {
    return html`<td class="m">${isObject(value) ? linkTo(value, shown.field.target, place) : none}</td>`
  }
  if (shown.kind === 'list') return html`<td class="m">${showElements(value, shown, whole, place)}</td>`
  if (shown.kind === 'count') return html`<td class="num">${showCount(value, whole)}</td>`
  const short = showShort(value, shown.field, column.grouped)
  if (short !== undefined) {
    return html`<td class="${classOf(column)}"${padding(value, column)}>${short}</td>`
  }
  if (isTags(value)) return html`<td class="m">${showTags(value)}</td>`
  const isText = typeof value === 'string'
  const text = isText ? value : JSON.stringify(value)
  if (isImage(text, shown.field, place)) {
    return html`<td><a href="${text}" rel="noreferrer"><img class="thumb" src="${text}" alt="${columnTitle(shown)}"
 loading="lazy" width="24" height="24"></a></td>`
  }
  if (isUrl(text)) return html`<td class="m">${showUrl(text, longestInCell)}</td>`
  return html`<td class="${isText ? classOf(column) : 'mono m'}" dir="auto">${
    text.length <= (isText ? longestLine : longestCode) ? text : showLong(text, isText, whole, openings)}</td>`
}

/** Returns a number of related items, which leads to them. */
export function showCount (value: unknown, whole: string | undefined): Fragment {
  const count = isObject(value) ? value['count'] : undefined
  const text = showShort(count, undefined, fewestGrouped)
  if (whole === undefined || count === 0) return html`<span class="n">${text}</span>`
  return html`<a class="ref" href="${whole}">${text}</a>`
}

/** Zeros that are not seen, so that the points of a column stand below each other. */
function padding (value: unknown, { decimals }: Column): Html | undefined {
  const [number, , rest = ''] = plainNumber.exec(String(value)) ?? []
  if (number === undefined || rest.length >= decimals) return undefined
  return html` data-pad="${rest === '' ? '.' : ''}${'0'.repeat(decimals - rest.length)}"`
}

/** Returns the values of a short list. */
export const showTags = (value: ReadonlyArray<string | number>): Html =>
  html`${value.map(tag => html`<span class="tag">${String(tag)}</span>`)}`

/** Returns true for a short list of short values. */
export const isTags = (value: unknown): value is ReadonlyArray<string | number> =>
  Array.isArray(value) && value.every(one => typeof one === 'number' || (typeof one === 'string' && one !== '')) &&
  value.join('').length <= longestLine

// In characters: of a text and of JSON that is shown whole in its cell; of a cell; of what opens from it.
const longestLine = 34
const longestCode = 26
const longestInCell = 92
const longestOpened = 4000

/** Returns the beginning of a text, from which the whole opens; a link to the value where a page has no more room. */
function showLong (text: string, isText: boolean, whole: string | undefined, openings: Openings): Html {
  const start = cut(text, longestInCell)
  if (openings.left <= 0) {
    return whole === undefined ? html`${start}` : html`<a class="cut" href="${whole}">${start}</a>`
  }
  const opened = text.length <= longestOpened && !isText ? indented(text) : cut(text, longestOpened)
  openings.left -= opened.length
  const id = nextId(openings)
  return html`<button class="cut" popovertarget="${id}">${start}</button><div class="value" id="${id}" popover>${
    isText ? html`<p dir="auto">${opened}</p>` : html`<pre>${opened}</pre>`}<footer>${
    whole !== undefined && html`<a href="${whole}">Open</a>`}<span>${text.length} characters</span></footer></div>`
}

// Elements of a list that are shown by name; the others are behind a link.
const mostShown = 3

function showElements (
  value: unknown, { field }: Extract<Shown, { kind: 'list' }>, whole: string | undefined, place: Place
): Fragment {
  const elements = Array.isArray(value) ? value.filter(isObject) : []
  if (elements.length === 0) return html`<span class="null">[]</span>`
  const links = elements.slice(0, mostShown).map(element => html`${linkTo(element, field.target, place)} `)
  if (elements.length <= mostShown) return links
  const rest = `${elements.length - mostShown} more`
  return [links, whole === undefined ? rest : html`<a class="ref" href="${whole}">${rest}</a>`]
}
