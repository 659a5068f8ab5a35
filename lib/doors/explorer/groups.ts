import { isObject } from '../../core/errors/is-object.ts'
import type { CollectionView, GroupValue } from '../../core/api/face.ts'
import { comparison, sortTerm } from '../../core/request/made.ts'
import { nextStart } from '../../core/plan/time-units.ts'
import type { Filter } from '../../core/request/request.ts'
import { isFilterable, showSentence } from './filters.ts'
import { each, type Fragment, type Html, html, type Member } from './html.ts'
import { type LinkFormat, type PageLinks, showMenu, showNumber, showPage, showPages, showScroll } from './page.ts'
import {
  asking, filterPart, filtersIn, linkWith, placeName, pathTo, type Place, type PlaceOf, shownAs
} from './place.ts'
import { rest } from './table.ts'
import { filterableFields, identifies, longestInPath, showValue, titleOf, unitOf, groupValue } from './value.ts'

/** The groups of an answer. `heading`: returns the link of a named group. */
interface GroupsShown {
  readonly columns: readonly GroupValue[]
  readonly collection: CollectionView
  readonly members: readonly Member[]
  readonly pages: PageLinks
  readonly heading?: (name: string) => Html
}

/** Returns the page of groups: a table with a column for each value, below a chart where they are units of time. */
export function showGroupsPage (
  { columns, collection, members, pages, heading }: GroupsShown, place: Place, formats: readonly LinkFormat[]
): Html {
  const name = placeName(place)
  const few = members.length > mostBars ? [] : members.map(({ json }) => JSON.parse(json) as unknown)
  const measure = columns.find(({ call }) => call !== undefined)
  const most = measure === undefined ? 0 : Math.max(0, ...few.map(group => Number(groupValue(group, measure))))
  const linkOf = (group: unknown) =>
    heading === undefined ? linkToGroup(group, columns, collection, place) : undefined
  const main = html`${showSentence(collection, place)}<div class="stack">${showChart(few, columns, linkOf)}
${members.length === 0 && html`<p class="empty">There are no items here.</p>`}
${members.length > 0 && html`<div class="frame">${showScroll(`Table of ${name}`, html`
<table class="${shownAs(place)}"><thead><tr>${heading && html`<th scope="col">${name}</th>`}${
  columns.map(showHead)}${rest}</tr></thead>
<tbody>${each(members, ({ name, json }) => {
  const group: unknown = JSON.parse(json)
  const items = linkOf(group)
  return html`<tr>${heading && html`<th scope="row">${heading(name)}</th>`}${columns.map((column, at) =>
    showMember(group, column, column === measure ? most : 0, at === 0 || column.call === 'count' ? items : undefined)
  )}${rest}</tr>`
})}</tbody></table>`)}${showPages(members.length, pages, place, 'group')}</div>`}</div>`
  const by = columns.filter(({ call }) => call === undefined).map(titleOfColumn)
  return showPage({
    title: name,
    heading: html`<bdi>${collection.title ?? name}</bdi>${by.length > 0 && html` <small>by ${by.join(', ')}</small>`}
 <span class="total">${showNumber(members.length)}${pages.links.has('next') && '+'} group${
  members.length !== 1 && 's'}</span>`,
    acts: heading === undefined && html`<a class="button" href="${
      linkWith(filtersIn(place.query), place)}">The items themselves</a>`,
    main,
    formats,
    takesQuery: true
  }, place)
}

/** Returns the heading of a column, in words, with its unit; its title has the name in queries. */
function showHead (column: GroupValue): Html {
  const { name, call, of, unit } = column
  const isOwn = of !== undefined && call !== 'count' && call !== 'count_distinct'
  const measure = isOwn ? unitOf(of, unit ?? of.values) : ''
  return html`<th scope="col"${call !== undefined && html` class="num"`} title="${name}"><span><bdi>${
    titleOfColumn(column)}</bdi>${measure !== '' && html`<small>${measure}</small>`}</span></th>`
}

/** Returns the words for a column, such as `sum of total`. */
function titleOfColumn ({ name, call, of, unit }: GroupValue): string {
  if (of === undefined) return 'count'
  const path = call === undefined && unit === undefined ? name : name.slice(0, name.lastIndexOf('.'))
  const title = path.includes('.') ? path : of.schema.title ?? path
  return call === undefined && unit === undefined ? title : `${unit ?? callWords[call ?? 'count']} of ${title}`
}

const callWords: Readonly<Record<GroupValue['call'] & string, string>> = {
  count: 'number', count_distinct: 'different values', sum: 'sum', avg: 'average', min: 'minimum', max: 'maximum'
}

/**
 * Returns a value of a group, with a bar where the greatest of its column, `most`, is positive. `items`: the link to
 * the items of the group.
 */
function showMember (group: unknown, column: GroupValue, most: number, items: string | undefined): Html {
  const value = groupValue(group, column)
  const text = column.call === undefined
    ? showUnit(value, column) ?? showValue(value, column.of, { longest: longestValue })
    : showMean(value) ?? showValue(value, undefined, { longest: longestValue })
  const shown = items === undefined ? text : html`<a class="ref" href="${items}">${text}</a>`
  if (column.call === undefined) return html`<td class="m">${shown}</td>`
  const share = typeof value === 'number' ? value / most : NaN
  return html`<td class="num"><div class="sum">${
    share >= 0 && share <= 1 && showBar(share)}<span>${shown}</span></div></td>`
}

/** Returns a number with many digits behind its point, of which a page shows some; undefined for other values. */
function showMean (value: unknown): Fragment {
  const [text, shown, hidden] = /^(-?\d+\.\d{4})(\d{3,})$/.exec(String(value)) ?? []
  return text === undefined ? undefined : html`<span title="${text}">${shown}<i class="u">${hidden}</i></span>`
}

/** Returns a year or a month as people write it; undefined for other values. */
function showUnit (value: unknown, { unit }: GroupValue): Fragment {
  const text = shortUnit(value, unit)
  return text === undefined || text === value
    ? undefined
    : html`<time datetime="${text}" title="${
    String(value)}">${text}</time>`
}

const shortUnit = (value: unknown, unit: GroupValue['unit']): string | undefined =>
  typeof value === 'string' ? value.slice(0, unit === 'year' ? 4 : unit === 'month' ? 7 : undefined) : undefined

// Groups that have bars.
const mostBars = 40

// In characters.
const longestValue = 200

/** Returns a bar of a chart: a share of the width that it stands in. */
export const showBar = (share: number): Html => html`<svg aria-hidden="true" preserveAspectRatio="none"><rect width="${
  Math.max(1, Math.round(share * 100))}%" height="100%" rx="2"/></svg>`

// Of a chart, in its own units: its least width, the height of its longest bar, and about that of a letter's width.
const chartWidth = 720
const chartHeight = 106
const letter = 6

/** Returns the first numbers of groups as bars in the order of time; undefined where no unit of time groups them. */
function showChart (
  groups: readonly unknown[], columns: readonly GroupValue[], linkOf: (group: unknown) => string | undefined
): Html | undefined {
  const [by, ...others] = columns.filter(({ call }) => call === undefined)
  const measure = columns.find(({ call }) => call !== undefined)
  if (by?.unit === undefined || others.length > 0 || measure === undefined) return undefined
  const bars = groups.flatMap(group => {
    const [start, value] = [groupValue(group, by), Number(groupValue(group, measure))]
    return typeof start === 'string' ? [{ start, name: shortUnit(start, by.unit) ?? start, value, group }] : []
  }).toSorted((one, other) => one.start < other.start ? -1 : 1)
  const most = Math.max(...bars.map(({ value }) => value))
  if (bars.length < 2 || !(most > 0) || bars.some(({ value }) => !(value >= 0))) return undefined
  const step = Math.max(18, chartWidth / bars.length)
  const width = step * bars.length
  const every = Math.ceil(((bars[0]?.name.length ?? 0) + 1) * letter / step)
  return html`<div class="frame">${showScroll('Chart', html`<svg class="chart" role="group"
 viewBox="-12 0 ${width + 24} 150"
 aria-label="${titleOfColumn(measure)} by ${titleOfColumn(by)}"><line x1="0" x2="${width}" y1="128.5" y2="128.5"/>${
    bars.map(({ name, value, group }, at) => {
      const height = value / most * chartHeight
      const middle = (at + 0.5) * step
      const bar = html`<rect x="${at * step + step * 0.13}" y="${128 - height}" width="${step * 0.74}" height="${
        height}" rx="3"/>${String(value).length * letter <= step && html`<text x="${middle}" y="${
        122 - height}">${value}</text>`}`
      const link = linkOf(group)
      return html`${link === undefined ? bar : html`<a href="${link}" aria-label="${name}: ${value}">${bar}</a>`}${
        at % every === 0 && html`<text x="${middle}" y="145">${name}</text>`}`
    })}</svg>`)}</div>`
}

/** Returns the link to the items of a group; undefined where no filter by its values finds them. */
function linkToGroup (
  group: unknown, columns: readonly GroupValue[], collection: CollectionView, place: Place
): string | undefined {
  const { syntax } = place
  const filters: Filter[] = []
  for (const column of columns) {
    if (column.call !== undefined) continue
    const { name, unit, of } = column
    const value = groupValue(group, column)
    const text = String(value)
    const path = unit === undefined ? name : name.slice(0, name.lastIndexOf('.'))
    if (!isFilterable(path, collection) || text.length > longestInPath || isObject(value)) return undefined
    const end = unit && value !== null ? nextStart(text, unit) : undefined
    if (end === undefined) filters.push(comparison(path, 'equals', value === null ? null : text))
    else {
      const time = of?.values === 'date-time' && !text.includes('T') ? 'T00:00:00Z' : ''
      filters.push(comparison(path, 'at_least', text + time), comparison(path, 'less', end + time))
    }
  }
  return linkWith([...filtersIn(place.query), ...filters.map(one => filterPart(one, syntax))], place)
}

/** Returns the menu of the groups that the items of a page can be counted in: of time by months, else by values. */
export function showGroups (place: PlaceOf<'collection'>): Html | undefined {
  const { collection } = place.spot.resource
  const fields = filterableFields(collection).filter(field =>
    field.groupable && !field.hidden && !identifies(field, collection))
  if (fields.length === 0 || !collection.strategies.aggregates) return undefined
  const { syntax } = place
  return showMenu('groups', 'Group by', html`<ul>${fields.map(field => {
    const name = field.units.includes('month') ? `${field.name}.month()` : field.name
    const sort = name === field.name ? sortTerm('count()', true) : sortTerm(name, false)
    const query = asking(filtersIn(place.query), { fields: [name, 'count()'], sort }, syntax)
    return html`<li><a href="${pathTo(place)}${query}">${titleOf(field)}</a></li>`
  })}</ul>`)
}
