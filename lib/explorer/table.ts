import { isObject } from '../errors/is-object.ts'
import type { Collection, StoredField } from '../model/model.ts'
import { filterableFields } from '../openapi/filters.ts'
import type { Selection, Shown } from '../plan/plan.ts'
import type { Item } from '../plan/read/select.ts'
import { isSortable } from '../plan/read/sort.ts'
import { formatSegment } from '../response/paths.ts'
import { alignmentOf, cut, labelOf, longestInPath, namingField, segmentsTo, showMember } from './value.ts'
import { columnName } from './columns.ts'
import { each, type Fragment, type Html, html } from './html.ts'
import type { Member } from './members.ts'
import { pathTo, type Place } from './place.ts'
import { queryOf, sortTerm, withParameter } from './rewrite.ts'
import { ownQuery } from './words.ts'

/** A table of items. */
interface Table {
  readonly caption: string
  readonly collection: Collection
  readonly select: Selection
  readonly items: readonly Member[]
  /** The path of the collection whose items these are. */
  readonly base: string
  /** True if the headers sort the page. */
  readonly sorts: boolean
  /** The field by whose values rows can be selected. */
  readonly pick?: StoredField | undefined
  /** Returns what stands at the end of a row, such as a button; undefined for nothing. `path`: that of the item. */
  readonly end?: ((item: Item, path: string) => Fragment) | undefined
}

/** Returns items as a table that scrolls sideways. */
export function showTable (table: Table, place: Place): Html {
  const { caption, collection, select, items, sorts, pick, end } = table
  const opener = select.find(isName) ?? select.find(({ kind }) => kind === 'value')
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
<table data-rows="${collection.name}">
<caption class="unseen">${caption}</caption>
<thead><tr>${pick && html`<td class="pick"></td>`}
${select.map(shown => showHeader(shown, sorts, place))}${end && html`<td></td>`}</tr></thead>
<tbody>${each(items, one => showRow(JSON.parse(one.json), table, opener, place))}</tbody></table></div>`
}

const isName = ({ field }: Shown) => field.kind === 'stored' && field.identifier && field.type.kind === 'string'

function showHeader (shown: Shown, sorts: boolean, place: Place): Html {
  const name = columnName(shown)
  const alignment = alignmentIn(shown)
  const term = sorts ? termOf(shown) : undefined
  if (term === undefined) return html`<th scope="col" class="${alignment}">${name}</th>`
  const [first] = place.spot?.asked.sort ?? []
  const sorted = first?.path.join('.') === term ? first.descending ? 'descending' : 'ascending' : undefined
  const next = sorted === 'descending' ? undefined : sortTerm(term, sorted === 'ascending', place.syntax)
  const href = pathTo(place) + queryOf(withParameter(place.query, 'sort', next, place.syntax))
  const mark = sorted === undefined ? '' : sorted === 'ascending' ? '▲' : '▼'
  return html`<th scope="col" class="${alignment}"${sorted !== undefined && html` aria-sort="${sorted}"`}>
<a href="${href}" title="Sort by ${name}">${name}<span aria-hidden="true">${mark}</span></a></th>`
}

const alignmentIn = (shown: Shown) => shown.kind === 'count' ? 'number' : alignmentOf(shown.field)

/** Returns what a click on a column's header sorts by; of sub-items, the name by which they are shown. */
function termOf (shown: Shown): string | undefined {
  const { field } = shown
  if (shown.kind === 'count') return field.sortable ? columnName(shown) : undefined
  if (field.kind !== 'sub-item') return isSortable(field) ? field.name : undefined
  const { target } = field
  const name = field.sortable ? namingField(target) ?? target.key[0] : undefined
  return name !== undefined && isSortable(name) ? `${field.name}.${name.name}` : undefined
}

function showRow (item: unknown, table: Table, opener: Shown | undefined, place: Place): Html {
  if (!isObject(item)) return html``
  const { collection, select, base, pick, end } = table
  const segments = segmentsTo(item, collection, place.syntax.dictionaryPrefix)
  const path = segments === undefined ? undefined : `${base}/${segments.map(formatSegment).join('/')}`
  const cells = select.map(shown => {
    const content = showMember(shown, item, path, place, longestInRow)
    const isOpener = shown === opener && path !== undefined
    return html`<td class="${alignmentIn(shown)}">${isOpener
      ? html`<a class="open" href="${path}">${plain(item[shown.name])}</a>`
      : content}</td>`
  })
  return html`<tr>${pick && pickBox(item, pick, collection)}${cells}
${end && html`<td class="end">${path !== undefined && end(item, path)}</td>`}</tr>`
}

/** A value inside a link, which can hold no other. */
function plain (value: unknown): Fragment {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return html`<bdi>${text === '' ? 'empty' : cut(text, longestInRow)}</bdi>`
}

// In characters.
const longestInRow = 72

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
  return html`<td class="pick">${isShort && html`<input type="checkbox" form="rows" name="_row" value="${
    String(value)}" aria-label="Select ${cut(labelOf(item, collection), 60)}">`}</td>`
}

/** Returns the form of the rows that are selected; it leads to the URL of the API that lists them, and no others. */
export function pickForm (field: StoredField, place: Place): Html {
  const kept = place.query.filter(({ kind }) => kind === 'sort' || kind === 'fields' || kind === 'size')
  return html`<form id="rows" class="picked" method="get" action="${pathTo(place)}">
<output role="status"></output><input type="hidden" name="_query" value="${ownQuery(kept)}">
<input type="hidden" name="_field" value="${field.name}"><button>Show these rows</button>
<button name="_as" value="json">JSON</button>${place.hasStreams && html`<button name="_as" value="csv">CSV</button>`}
</form>`
}
