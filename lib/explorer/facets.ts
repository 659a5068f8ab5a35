import { isObject } from '../errors/is-object.ts'
import type { Collection, DataField } from '../model/model.ts'
import { traitsOf } from '../model/values.ts'
import { filterableFields } from '../openapi/filters.ts'
import type { GroupColumn } from '../plan/plan.ts'
import { nextStart } from '../plan/time-units.ts'
import { type Fragment, type Html, html } from './html.ts'
import { longestInPath, titleOf, valueIn } from './value.ts'
import {
  asking, filterPart, filtersIn, formatFilter, formatList, formatNull, linkWith, type Part, type Place, type PlaceOf,
  sortTerm, withFilter, withoutPage, wordsOf
} from './place.ts'
import { filtersOf, isFilterable } from './filters.ts'
import type { Visit } from './visit.ts'
import { orRefusal } from './attempt.ts'

/** The values of a field that most items have, and the numbers of these items. */
export interface Facet { readonly field: DataField, readonly groups: readonly Group[] }

interface Group { readonly value: unknown, readonly count: number }

// Fields, and values of each.
const mostFacets = 5
const mostValues = 8

/** Reads the values that a page was asked for: each among the items that the filters of other fields leave. */
export async function readFacets (visit: Visit, place: PlaceOf<'collection'>): Promise<readonly Facet[]> {
  const asked = wordsOf('_facet', place.query)
  const fields = filterableFields(place.spot.resource.from.collection).filter(({ name }) => asked.includes(name))
  const facets = await Promise.all(fields.slice(0, mostFacets).map(field => readFacet(field, visit, place)))
  return facets.filter(facet => facet !== undefined)
}

async function readFacet (
  field: DataField, visit: Visit, place: PlaceOf<'collection'>
): Promise<Facet | undefined> {
  const { syntax } = place
  const filters = filtersIn(place.query).filter(part => ownFilter(part, field, place) === undefined)
  const asked = { fields: [field.name, 'count()'], sort: sortTerm('count()', true, syntax), size: mostValues }
  const read = await orRefusal(async () => visit.read(visit.ownPath + asking(filters, asked, syntax)))
  // Of too many values nothing is counted.
  if (read instanceof Error) return undefined
  return { field, groups: read.items.map(group => ({ value: group[field.name], count: Number(group['count']) })) }
}

/** Returns the filter of a part that compares this field and no other. */
function ownFilter (part: Part, field: DataField, place: PlaceOf<'collection'>) {
  const [only, ...others] = filtersIn([part]).flatMap(one => filtersOf(one, place))
  const isOwn = only?.kind === 'compare' && others.length === 0 && only.path.join('.') === field.name
  return isOwn ? only : undefined
}

/** Returns the values of fields with their numbers, each as a link that filters by it, or no longer does. */
export const showFacets = (facets: readonly Facet[], place: PlaceOf<'collection'>): Fragment =>
  facets.length > 0 && html`<aside class="facets" aria-label="Values with counts">${
    facets.map(facet => showFacet(facet, place))}</aside>`

function showFacet ({ field, groups }: Facet, place: PlaceOf<'collection'>): Html {
  const own = place.query.flatMap(part => ownFilter(part, field, place) ?? [])
  const others = place.query.filter(part => ownFilter(part, field, place) === undefined)
  const chosen = own.flatMap(({ operator, values }) =>
    traitsOf(operator).family === 'equality' && !traitsOf(operator).negated ? values : [])
    .map(({ text, quoted }) => text === 'null' && !quoted ? null : text)
  const most = Math.max(...groups.map(({ count }) => count))
  const hidden = place.query.filter(({ name, value }) => name !== '_facet' || value !== field.name)
  return html`<section><h2>${titleOf(field)}<a class="x" href="${
    linkWith(hidden, place)}" aria-label="Hide the values of ${titleOf(field)}"></a></h2><ul>${
    groups.map(({ value, count }) => {
      const text = value === null ? null : typeof value === 'string' ? value : JSON.stringify(value)
      const isChosen = chosen.includes(text)
      const filter = filterOf(isChosen ? chosen.filter(one => one !== text) : [...chosen, text], text, field, place)
      const query = filter === undefined
        ? withoutPage(others)
        : withFilter(others, filter, place.syntax)
      return html`<li><a href="${linkWith(query, place)}"${isChosen && html` aria-current="true"`}><span><bdi>${
        text === '' ? '""' : String(text)}</bdi></span><span class="n">${count}</span>${
        showBar(count / most)}</a></li>`
    })}</ul></section>`
}

/** Returns the filter for these values; for null alone where one of them is null: no list has it. */
function filterOf (
  values: ReadonlyArray<string | null>, last: string | null, { name }: DataField, { syntax }: PlaceOf<'collection'>
): string | undefined {
  const texts = values.filter(value => value !== null)
  if (values.includes(null) && (last === null || texts.length === 0)) return formatNull(name, false, syntax)
  const [first] = texts
  if (first === undefined) return undefined
  return texts.length === 1 ? formatFilter(name, 'equals', first, syntax) : formatList(name, false, texts, syntax)
}

/** Returns the link to the items of a group; undefined where no filter by its values finds them. */
export function linkToGroup (
  group: unknown, columns: readonly GroupColumn[], collection: Collection, place: Place
): string | undefined {
  const { syntax } = place
  const filters: string[] = []
  for (const column of columns) {
    if (column.call !== undefined) continue
    const { field: { name }, unit, of } = column
    const value = valueIn(group, column)
    const text = String(value)
    const path = unit === undefined ? name : name.slice(0, name.lastIndexOf('.'))
    if (!isFilterable(path, collection) || text.length > longestInPath || isObject(value)) return undefined
    const end = unit && value !== null ? nextStart(text, unit) : undefined
    if (value === null) filters.push(formatNull(path, false, syntax))
    else if (end === undefined) filters.push(formatFilter(path, 'equals', text, syntax))
    else {
      const time = of.field.type.kind === 'date-time' && !text.includes('T') ? 'T00:00:00Z' : ''
      filters.push(formatFilter(path, 'at_least', text + time, syntax), formatFilter(path, 'less', end + time, syntax))
    }
  }
  return linkWith([...filtersIn(place.query), ...filters.map(one => filterPart(one, syntax))], place)
}

/** Returns a bar of a chart: a share of the width that it stands in. */
export const showBar = (share: number): Html => html`<svg aria-hidden="true" preserveAspectRatio="none"><rect width="${
  Math.max(1, Math.round(share * 100))}%" height="100%" rx="2"/></svg>`
