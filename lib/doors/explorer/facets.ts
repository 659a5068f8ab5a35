import type { ValueView } from '../../core/api/face.ts'
import { traitsOf } from '../../core/model/operators.ts'
import { showBar } from './groups.ts'
import { type Fragment, type Html, html } from './html.ts'
import { filterableFields, titleOf } from './value.ts'
import { comparison, sortTerm } from '../../core/request/made.ts'
import type { Filter } from '../../core/request/request.ts'
import { asking, filtersIn, linkWith, type Part, type PlaceOf, withFilter, wordsOf } from './place.ts'
import { filtersOf } from './filters.ts'
import type { Visit } from './visit.ts'
import { orRefusal } from './attempt.ts'

/** The values of a field that most items have, and the numbers of these items. */
export interface Facet { readonly field: ValueView, readonly groups: readonly Group[] }

interface Group { readonly value: unknown, readonly count: number }

// Fields, and values of each.
const mostFacets = 5
const mostValues = 8

/** Reads the values that a page was asked for: each among the items that the filters of other fields leave. */
export async function readFacets (visit: Visit, place: PlaceOf<'collection'>): Promise<readonly Facet[]> {
  const asked = wordsOf('_facet', place.query)
  const fields = filterableFields(place.spot.resource.collection).filter(({ name }) => asked.includes(name))
  const facets = await Promise.all(fields.slice(0, mostFacets).map(field => readFacet(field, visit, place)))
  return facets.filter(facet => facet !== undefined)
}

async function readFacet (
  field: ValueView, visit: Visit, place: PlaceOf<'collection'>
): Promise<Facet | undefined> {
  const { syntax } = place
  const filters = filtersIn(place.query).filter(part => ownFilter(part, field, place) === undefined)
  const asked = { fields: [field.name, 'count()'], sort: sortTerm('count()', true), size: mostValues }
  const read = await orRefusal(async () => visit.read(visit.ownPath + asking(filters, asked, syntax)))
  // Of too many values nothing is counted.
  if (read instanceof Error) return undefined
  return { field, groups: read.items.map(group => ({ value: group[field.name], count: Number(group['count']) })) }
}

/** Returns the filter of a part that compares this field and no other. */
function ownFilter (part: Part, field: ValueView, place: PlaceOf<'collection'>) {
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
      const filter = filterOf(isChosen ? chosen.filter(one => one !== text) : [...chosen, text], text, field)
      const href = linkWith(withFilter(others, filter, place.syntax), place)
      return html`<li><a href="${href}"${isChosen && html` aria-current="true"`}><span><bdi>${
        text === '' ? '""' : String(text)}</bdi></span><span class="n">${count}</span>${
        showBar(count / most)}</a></li>`
    })}</ul></section>`
}

/** Returns the filter for these values; for null alone where one of them is null: no list has it. */
function filterOf (
  values: ReadonlyArray<string | null>, last: string | null, { name }: ValueView
): Filter | undefined {
  const texts = values.filter(value => value !== null)
  if (values.includes(null) && (last === null || texts.length === 0)) return comparison(name, 'equals', null)
  const [first, ...others] = texts
  if (others.length > 0) return comparison(name, 'in', texts)
  return first === undefined ? undefined : comparison(name, 'equals', first)
}
