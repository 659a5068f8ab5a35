import type { Collection, StoredField } from '../model/model.ts'
import type { Selection, Shown } from '../plan/plan.ts'
import type { Item } from '../plan/read/to-item.ts'
import { formatSegment } from '../response/paths.ts'
import { isObject } from '../errors/is-object.ts'
import { showMember } from './cell.ts'
import { each, type Fragment, type Html, html } from './html.ts'
import { segmentsTo } from './label.ts'
import type { Member } from './members.ts'
import { pickBox } from './pick.ts'
import { pathTo, type Place } from './place.ts'
import { sortTerm, queryOf, withParameter } from './rewrite.ts'
import { alignmentOf, cut } from './value.ts'

/** A table of items. */
export interface Table {
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

function showHeader ({ name, field }: Shown, sorts: boolean, place: Place): Html {
  const alignment = alignmentOf(field)
  const isSortable = sorts && field.sortable && (field.kind === 'stored' || field.kind === 'expression') &&
    field.type.operators.size > 0
  if (!isSortable) return html`<th scope="col" class="${alignment}">${name}</th>`
  const [first] = place.spot?.request.query.sort ?? []
  const sorted = first?.name === name ? first.descending ? 'descending' : 'ascending' : undefined
  const next = sorted === 'descending' ? undefined : sortTerm(name, sorted === 'ascending', place.syntax)
  const href = pathTo(place) + queryOf(withParameter(place.query, 'sort', next, place.syntax))
  const mark = sorted === undefined ? '' : sorted === 'ascending' ? '▲' : '▼'
  return html`<th scope="col" class="${alignment}"${sorted !== undefined && html` aria-sort="${sorted}"`}>
<a href="${href}" title="Sort by ${name}">${name}<span aria-hidden="true">${mark}</span></a></th>`
}

function showRow (item: unknown, table: Table, opener: Shown | undefined, place: Place): Html {
  if (!isObject(item)) return html``
  const { collection, select, base, pick, end } = table
  const segments = segmentsTo(item, collection, place.syntax.dictionaryPrefix)
  const path = segments === undefined ? undefined : `${base}/${segments.map(formatSegment).join('/')}`
  const cells = select.map(shown => {
    const content = showMember(shown, item, path, place, longestInRow)
    const isOpener = shown === opener && path !== undefined
    return html`<td class="${alignmentOf(shown.field)}">${isOpener
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
