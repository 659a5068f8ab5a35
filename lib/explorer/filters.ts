import type { Collection, DataField } from '../model/model.ts'
import { type Operator, operatorNames, traitsOf } from '../model/values.ts'
import { filterableFields } from '../openapi/filters.ts'
import { memoize } from '../scheduling/memoize.ts'
import { type Html, html } from './html.ts'
import { namingField } from './value.ts'
import { pathTo, type Place } from './place.ts'
import { valueOffers } from './offers.ts'
import {
  formatFilter, formatList, formatNull, queryOf, readable, spellingOf, withoutPart
} from './rewrite.ts'
import { ownQuery, type Part, wordOf, wordsOf } from './words.ts'

/** The operators of a form, by the most that a type of values takes. */
export const families = ['equality', 'order', 'text'] as const
type Family = typeof families[number]

/** A field that the form can filter by: of the collection, or of an item that it is related to. */
interface Choice { readonly path: string, readonly field: DataField, readonly family: Family }

/** Returns the filters of a page: those that hold, each with a link that removes it, and a form for another. */
export function showFilters (collection: Collection, place: Place): Html {
  const choices = choicesOf(collection)
  const filters = place.query.filter(({ kind }) => kind === 'filter' || kind === 'where')
  return html`<div class="filters">
${filters.length > 0 && html`<ul class="chips" aria-label="Filters">${filters.map(part => showChip(part, place))}</ul>`}
${choices.length > 0 && showForm(choices, collection, place)}</div>`
}

function showChip (part: Part, place: Place): Html {
  const href = pathTo(place) + queryOf(withoutPart(place.query, part))
  return html`<li><code><bdi>${part.kind === 'where' ? part.value : part.text}</bdi></code>
<a href="${href}" aria-label="Remove the filter ${part.text}" title="Remove this filter">×</a></li>`
}

function showForm (choices: readonly Choice[], collection: Collection, place: Place): Html {
  const name = namingField(collection)?.name
  const chosen = wordOf('_filter', place.query) ?? choices.find(({ path }) => path === name)?.path
  return html`<form class="filter" method="get" action="${pathTo(place)}">
<input type="hidden" name="_query" value="${ownQuery(place.query)}">
<label><span class="unseen">Field to filter by</span><select name="_field">${choices.map(({ path, field, family }) =>
  html`<option class="${family}"${path === chosen && html` selected`}${valueOffers(path, field, place)}>${
    path}</option>`)}
</select></label>
${families.map(family => showOperators(family, place))}
<label class="value"><span class="unseen">Value</span>
<input name="_value" autocomplete="off" placeholder="value" dir="auto"></label>
<button>Filter</button></form>`
}

function showOperators (family: Family, { syntax }: Place): Html {
  return html`<label class="${family}"><span class="unseen">Operator</span><select name="_${family}">
${operatorNames.filter(operator => takes(family, operator)).map(operator =>
  html`<option value="${operator}" title="${spellingOf(operator, syntax)}">${words[operator]}</option>`)}
<option value="null">has no value</option><option value="not_null">has a value</option></select></label>`
}

/** Returns true if the types of a family take an operator. */
function takes (family: Family, operator: Operator): boolean {
  switch (traitsOf(operator).family) {
    case 'equality': return true
    case 'ordering': return family !== 'equality'
    case 'text': return family === 'text'
  }
}

const words: Readonly<Record<Operator, string>> = {
  equals: 'is',
  not_equals: 'is not',
  greater: 'is greater than',
  less: 'is less than',
  at_least: 'is at least',
  at_most: 'is at most',
  in: 'is one of (a, b)',
  not_in: 'is none of (a, b)',
  starts_with: 'starts with',
  ends_with: 'ends with',
  contains: 'contains',
  equals_ignoring_case: 'is, in any case',
  starts_with_ignoring_case: 'starts with, in any case',
  ends_with_ignoring_case: 'ends with, in any case',
  contains_ignoring_case: 'contains, in any case'
}

const choicesOf = memoize((collection: Collection): readonly Choice[] => [
  ...filterableFields(collection).map(field => choiceOf(field.name, field)),
  ...[...collection.fields.values()].flatMap(relation => {
    if (!relation.readable || !relation.filterable || !('target' in relation)) return []
    const fields = filterableFields(relation.target).filter(({ hidden, listed, name }) =>
      !hidden && (listed || relation.target.stored.some(one => one.name === name && one.identifier)))
    return fields.map(field => choiceOf(`${relation.name}.${field.name}`, field))
  })
])

function choiceOf (path: string, field: DataField): Choice {
  const { operators } = field.type
  return { path, field, family: operators.has('contains') ? 'text' : operators.has('greater') ? 'order' : 'equality' }
}

/** Returns the filter that a form for filters asks for; undefined if it asks for none. */
export function filterAsked (collection: Collection, parts: readonly Part[], { syntax }: Place): string | undefined {
  const path = wordOf('_field', parts)
  if (path === undefined) return undefined
  const rows = wordsOf('_row', parts)
  if (rows.length > 0) return formatList(path, rows, syntax)
  const value = wordOf('_value', parts)
  if (value === undefined) return undefined
  const family = choicesOf(collection).find(choice => choice.path === path)?.family ?? 'text'
  const asked = wordOf(`_${family}`, parts) ?? 'equals'
  if (asked === 'null' || asked === 'not_null') return formatNull(path, asked === 'not_null', syntax)
  const operator = operatorNames.find(name => name === asked) ?? 'equals'
  return formatFilter(path, operator, value, syntax)
}

/** Returns the filters as a person reads them. */
export const readableQuery = (parts: readonly Part[]): string =>
  parts.filter(({ kind }) => kind !== 'own').map(readable).join('&')
