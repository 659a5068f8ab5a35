import type { Collection, StoredField } from '../model/model.ts'
import { filterableFields } from '../openapi/filters.ts'
import type { Selection, Shown } from '../plan/plan.ts'
import type { Item } from '../plan/read/select.ts'
import { formatSegment } from '../response/paths.ts'
import { type Column, columnsOf, nextId, type Openings, type Row, showCell } from './cell.ts'
import { showHeader } from './column-head.ts'
import { each, type Fragment, type Html, html } from './html.ts'
import { isName, labelOf, longestInPath, segmentsTo } from './label.ts'
import { pathTo, type Place } from './place.ts'
import { hiddenQuery, shownAs } from './rewrite.ts'
import { cut, isNumeric } from './value.ts'
import { ownQuery } from './words.ts'

/** A table of items. */
interface Table {
  readonly caption: string
  readonly collection: Collection
  readonly select: Selection
  readonly rows: readonly Row[]
  /** The path of the collection whose items these are. */
  readonly base: string
  /** True if the headers sort and filter the page. */
  readonly sorts: boolean
  /** The field by whose values rows can be selected. */
  readonly pick?: StoredField | undefined
  /** Returns what stands at the end of a row, such as a button; undefined for nothing. `path`: that of the item. */
  readonly end?: ((item: Item, path: string) => Fragment) | undefined
}

/** Returns items as a table that scrolls: its head and its first column, which has the names of the items, stay. */
export function showTable (table: Table, place: Place, openings: Openings): Html {
  const { caption, collection, rows, sorts, pick, end } = table
  const select = namesFirst(table.select, collection)
  const columns = columnsOf(select, collection, rows)
  return html`<div class="scroll" role="region" aria-label="Table of ${caption}" tabindex="0">
<table data-rows class="${shownAs(place)}"><thead><tr>${columns.map((column, index) =>
  showHeader(column, { isKey: index === 0, isPicked: pick !== undefined, sorts, select, id: nextId(openings) }, place))}
${end && html`<td></td>`}${rest}</tr></thead>
<tbody>${each(rows, row => showRow(row, columns, table, place, openings))}</tbody></table></div>`
}

/** Takes the width that no column needs, so that columns are as wide as their values. */
export const rest = html`<td class="rest" aria-hidden="true"></td>`

/** Returns a selection with the column first that names the items. */
function namesFirst (select: Selection, { key }: Collection): Selection {
  const name = select.find(({ field }) => field.schema['naming'] === true) ??
    select.find(isIdentifyingName) ?? select.find(isNaming) ??
    select.find(({ name }) => key.some(field => field.name === name)) ?? select.find(({ kind }) => kind === 'value')
  return name === undefined ? select : [name, ...select.filter(one => one !== name)]
}

const isNaming = ({ field }: Shown) => field.kind === 'stored' && isName(field)
const isIdentifyingName = ({ field }: Shown) => field.kind === 'stored' && field.identifier && isName(field)

function showRow (
  { item }: Row, columns: readonly Column[], table: Table, place: Place, openings: Openings
): Html {
  const { collection, base, end } = table
  const segments = segmentsTo(item, collection, place.syntax.dictionaryPrefix)
  const path = segments === undefined ? undefined : `${base}/${segments.map(formatSegment).join('/')}`
  return html`<tr>${columns.map((column, index) => index === 0
    ? showKey(column, item, path, table)
    : showCell(column, item, path, place, openings))}
${end && html`<td class="end">${path !== undefined && end(item, path)}</td>`}${rest}</tr>`
}

/** Returns the cell that names the item of a row, and selects and opens it. */
function showKey (column: Column, item: Item, path: string | undefined, { pick, collection }: Table): Html {
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
export function pickField (collection: Collection, select: Selection): StoredField | undefined {
  const filterable = filterableFields(collection)
  const [only, ...others] = collection.key
  const key = others.length === 0 && only !== undefined ? [only] : []
  const identifiers = [...key, ...collection.stored.filter(({ identifier }) => identifier)]
  return identifiers.find(field => filterable.includes(field) && select.some(shown => shown.name === field.name))
}

/** Returns the box that selects a row. */
function pickBox (item: Item, field: StoredField, collection: Collection): Html {
  const value = item[field.name] ?? null
  const isShort = value !== null && String(value).length <= longestInPath
  return html`${isShort && html`<input type="checkbox" form="rows" name="_row" value="${
    String(value)}" aria-label="Select ${cut(labelOf(item, collection), 60)}">`}`
}

/** Returns the form of the rows that are selected; it leads to the URL of the API that lists them, and no others. */
export function pickForm (field: StoredField, place: Place): Html {
  const kept = place.query.filter(({ kind }) => kind === 'sort' || kind === 'fields' || kind === 'size')
  return html`<form id="rows" class="picked" method="get" action="${pathTo(place)}">
<output role="status"></output>${hiddenQuery(ownQuery(kept), place)}
<input type="hidden" name="_field" value="${field.name}"><button>Show these rows</button>
<button name="_as" value="json">JSON</button>${place.hasStreams && html`<button name="_as" value="csv">CSV</button>`}
</form>`
}
