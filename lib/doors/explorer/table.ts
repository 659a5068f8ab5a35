import type {
  CollectionView, FieldView, ShownItem, ShownMember, ShownRelation, ValueView
} from '../../core/api/face.ts'
import { isObject } from '../../core/errors/is-object.ts'
import type { InParts } from '../../core/response/answer.ts'
import { apart, columnTitle, isCount, showHeader } from './columns.ts'
import { each, type Fragment, type Html, html, type Member } from './html.ts'
import {
  choicesOf, cut, fewestGrouped, identifies, indented, isImage, isNumeric, isUrl, type JsonItem, labelOf, linkTo,
  longestInPath, none, pathBelow, showShort, showUrl, showValue, groupValue
} from './value.ts'
import { hiddenQuery, pathTo, type Place, shownAs } from './place.ts'
import { showScroll } from './page.ts'

interface Table {
  readonly caption: string
  readonly collection: CollectionView
  readonly select: ShownItem
  readonly rows: readonly TableRow[]
  /** The path of the collection whose items these are. */
  readonly base: string
  /** True if the headers sort and filter the page. */
  readonly sorts: boolean
  /** The field by whose values rows can be selected. */
  readonly pick?: ValueView | undefined
  /** Returns what stands at the end of a row, such as a button; undefined for nothing. `path`: that of the item. */
  readonly end?: ((item: JsonItem, path: string) => Fragment) | undefined
}

/** Returns items as a table that scrolls: its head and its first column, which has the names of the items, stay. */
export function renderTable (table: Table, place: Place): Html {
  const { caption, collection, rows, sorts, pick, end } = table
  const select = namesFirst(apart(table.select), collection)
  const columns = columnsOf(select, collection, rows)
  return showScroll(`Table of ${caption}`, html`<table data-rows class="${shownAs(place)}"><thead><tr>${
  columns.map((column, index) =>
  showHeader(column, { isKey: index === 0, isPicked: pick !== undefined, sorts, select, id: nextId(place) }, place))}
${end && html`<td></td>`}${rest}</tr></thead>
<tbody>${each(rows, row => showRow(row, columns, table, place))}</tbody></table>`)
}

/** Takes the width that no column needs, so that columns are as wide as their values. */
export const rest = html`<td class="rest" aria-hidden="true"></td>`

/** Returns a selection with the column first that names the items. */
function namesFirst (select: ShownItem, collection: CollectionView): ShownItem {
  const names: readonly FieldView[] = [...collection.names, ...collection.key]
  const name = select.filter(({ field }) => names.includes(field))
    .toSorted((one, other) => names.indexOf(one.field) - names.indexOf(other.field))[0] ??
    select.find(({ kind }) => kind === 'value')
  return name === undefined ? select : [name, ...select.filter(one => one !== name)]
}

function showRow ({ item }: TableRow, columns: readonly TableColumn[], table: Table, place: Place): Html {
  const { collection, base, end } = table
  const path = pathBelow(base, item, collection)
  return html`<tr>${columns.map((column, index) => index === 0
    ? showKey(column, item, path, table)
    : showCell(column, item, path, place))}
${end && html`<td class="end">${path !== undefined && end(item, path)}</td>`}${rest}</tr>`
}

/** Returns the cell that names the item of a row, and selects and opens it. */
function showKey (column: TableColumn, item: JsonItem, path: string | undefined, { pick, collection }: Table): Html {
  const value = item[column.shown.name]
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const label = html`<bdi>${text === '' ? '""' : cut(text, longestInKey)}</bdi>`
  return html`<th scope="row" class="key${isNumeric(column.kind) && ' num'}" aria-label="${cut(text, longestInKey)}">${
    pick && pickBox(item, pick, collection)}${
    path === undefined ? label : html`<a href="${path}">${label}</a>`}</th>`
}

// In characters.
const longestInKey = 92

/** Returns the field by whose values rows can be selected: an identifier that they show. Undefined if there is none. */
export function pickField ({ inUrls }: CollectionView, select: ShownItem): ValueView | undefined {
  const identifiers = inUrls.flatMap(fields => fields.length === 1 ? fields : [])
  return identifiers.find(({ filterable, name }) => filterable && select.some(shown => shown.name === name))
}

/** Returns the box that selects a row. */
function pickBox (item: JsonItem, field: ValueView, collection: CollectionView): Html {
  const value = item[field.name] ?? null
  const isShort = value !== null && String(value).length <= longestInPath
  return html`${isShort && html`<input type="checkbox" form="rows" name="_row" value="${
    String(value)}" aria-label="Select ${cut(labelOf(item, collection), 60)}">`}`
}

/** Returns the form of the rows that are selected; it leads to the URL that lists them, or to pages that write them. */
export function pickForm (
  field: ValueView, many: Readonly<Record<'update' | 'delete', boolean>>, place: Place
): Html {
  const kept = place.query.filter(({ kind }) => kind === 'sort' || kind === 'fields' || kind === 'size')
  return html`<form id="rows" class="picked" method="get" action="${pathTo(place)}">
<output role="status"></output>${hiddenQuery(place, kept)}
<input type="hidden" name="_field" value="${field.name}"><button>Show these rows</button>
<button name="_as" value="json">JSON</button>${
    place.face.streams() && html`<button name="_as" value="csv">CSV</button>`}
${many.update && html`<button name="_edit">Edit</button>`}${
    many.delete && html`<button name="_delete" class="danger">Delete</button>`}</form>`
}

/** A row of a table, and its text in the answer. */
export interface TableRow { readonly json: string, readonly item: JsonItem }

/** A column of a table, and what its numbers share. */
export interface TableColumn {
  readonly shown: ShownMember
  readonly kind: string
  /** The whole digits from which on its numbers are shown in groups; the digits behind the point of the longest. */
  readonly grouped: number
  readonly decimals: number
}

/** Returns an id for an element that opens. */
const nextId = ({ openings }: Place): string => `p${openings.count++}`

export function * parseRows (members: readonly Member[]): InParts<readonly TableRow[]> {
  const rows: TableRow[] = []
  for (const { json } of members) {
    const item: unknown = JSON.parse(json)
    if (isObject(item)) rows.push({ json, item })
    yield json.length
  }
  return rows
}

/** Returns the columns of a selection. Numbers that name items are never grouped. */
function columnsOf (select: ShownItem, collection: CollectionView, rows: readonly TableRow[]): readonly TableColumn[] {
  return select.map(shown => {
    const kind = shown.kind === 'value' ? shown.field.values : shown.kind
    if (!isNumeric(kind)) return { shown, kind, grouped: fewestGrouped, decimals: 0 }
    const texts = rows.map(({ item }) => plainNumber.exec(String(item[shown.name])) ?? [])
    const isName = (shown.kind === 'value' && shown.field.refers) || identifies(shown.field, collection)
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
function classOf ({ kind, shown }: TableColumn): string {
  if (isNumeric(kind)) return 'num'
  if (kind === 'json' || kind === 'mixed' || kind === 'array' || kind === 'object') return 'mono m'
  if (kind === 'date' || kind === 'date-time') return ''
  return shown.kind === 'value' && choicesOf(shown.field) !== undefined ? 's' : 'm'
}

/** Returns a cell. `path`: that of the item; undefined if no URL of it is known. */
function showCell (column: TableColumn, item: JsonItem, path: string | undefined, place: Place): Html {
  const { shown } = column
  const value = item[shown.name]
  const whole = path && `${path}/${encodeURIComponent(shown.name)}`
  if (shown.kind === 'related') return html`<td class="num">${showFunction(shown, value, whole)}</td>`
  if (shown.kind !== 'value') return html`<td class="m">${showItems(value, shown, whole, place)}</td>`
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
    text.length <= (isText ? longestLine : longestCode) ? text : showLong(text, isText, whole, place)}</td>`
}

/** Returns what a function makes of related items. */
export function showFunction (shown: ShownRelation, value: unknown, whole: string | undefined): Fragment {
  const [column] = shown.functions
  if (column === undefined || isCount(shown)) return showCount(value, whole)
  return showValue(groupValue(value, column), undefined, { longest: longestLine })
}

/** Returns a number of related items, which leads to them. */
export function showCount (value: unknown, whole: string | undefined): Fragment {
  const count = isObject(value) ? value['count'] : undefined
  const text = showShort(count, undefined, fewestGrouped)
  if (whole === undefined || count === 0) return html`<span class="n">${text}</span>`
  return html`<a class="ref" href="${whole}">${text}</a>`
}

/** Zeros that are not seen, so that the points of a column stand below each other. */
function padding (value: unknown, { decimals }: TableColumn): Html | undefined {
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
function showLong (text: string, isText: boolean, whole: string | undefined, place: Place): Html {
  const start = cut(text, longestInCell)
  if (place.openings.left <= 0) {
    return whole === undefined ? html`${start}` : html`<a class="cut" href="${whole}">${start}</a>`
  }
  const opened = text.length <= longestOpened && !isText ? indented(text) : cut(text, longestOpened)
  place.openings.left -= opened.length
  const id = nextId(place)
  return html`<button class="cut" popovertarget="${id}">${start}</button><div class="value" id="${id}" popover>${
    isText ? html`<p dir="auto">${opened}</p>` : html`<pre>${opened}</pre>`}<footer>${
    whole !== undefined && html`<a href="${whole}">Open</a>`}<span>${text.length} characters</span></footer></div>`
}

// Elements of a list that are shown by name; the others are behind a link.
const mostShown = 3

/** Returns an item, or the first ones of a list, as links. */
function showItems (
  value: unknown, { kind, field: { target } }: ShownRelation, whole: string | undefined, place: Place
): Fragment {
  if (kind === 'item') return isObject(value) ? linkTo(value, target, place) : none
  const elements = Array.isArray(value) ? value.filter(isObject) : []
  if (elements.length === 0) return html`<span class="null">[]</span>`
  const links = elements.slice(0, mostShown).map(element => html`${linkTo(element, target, place)} `)
  if (elements.length <= mostShown) return links
  const rest = `${elements.length - mostShown} more`
  return [links, whole === undefined ? rest : html`<a class="ref" href="${whole}">${rest}</a>`]
}
