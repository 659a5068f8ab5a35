import type { CollectionView, FieldView, ValueView } from '../../core/api/face.ts'
import { type Operator, operatorNames, traitsOf } from '../../core/model/operators.ts'
import { comparison } from '../../core/request/made.ts'
import { memoize } from '../../core/scheduling/memoize.ts'
import { spellingOf } from '../../core/request/print.ts'
import { parseQuery } from '../../core/request/query.ts'
import type { Filter } from '../../core/request/request.ts'
import { choicesOf, comparedFields, cut, momentOf, titleOf } from './value.ts'
import {
  filtersIn, formatValues, hiddenQuery, inQuotes, linkWith, type Part, pathTo, type Place, valuesIn, withoutPart,
  wordOf, wordsOf
} from './place.ts'
import { filterLink } from './columns.ts'
import { showInput } from './form.ts'
import { type Fragment, type Html, html } from './html.ts'
import { valueOffers } from './search.ts'
import { orElse } from './attempt.ts'

type Comparison = ReturnType<typeof comparison>

/** The families of operators: a type of values that takes one of them takes those before it, too, JSON only null. */
const families = ['null', 'equality', 'ordering', 'text'] as const

type Family = typeof families[number]

/** A field that a form can filter by: of the collection, or of an item that it is related to. */
interface Filterable {
  readonly path: string
  readonly title: string
  readonly field: ValueView
  readonly family: Family
}

/** Returns the fields that forms can filter the items of a collection by. */
const filterablesOf = memoize((collection: CollectionView): readonly Filterable[] => [
  ...comparedFields(collection).map(field => filterable([], field)),
  ...collection.fields.flatMap(relation => {
    if (!relation.filterable || !('target' in relation)) return []
    const fields = comparedFields(relation.target).filter(({ hidden, listed, identifier }) =>
      !hidden && (listed || identifier))
    return fields.map(field => filterable([relation], field))
  })
])

export const isFilterable = (path: string, collection: CollectionView): boolean =>
  filterablesOf(collection).some(one => one.path === path)

function filterable (relations: readonly FieldView[], field: ValueView): Filterable {
  const path = [...relations, field].map(({ name }) => name).join('.')
  const title = [...relations, field].map(titleOf).join('.')
  return { path, title, field, family: familyOf(field) }
}

function familyOf ({ operators, comparesNull }: ValueView): Family {
  if (comparesNull) return 'null'
  return operators.has('contains') ? 'text' : operators.has('greater') ? 'ordering' : 'equality'
}

const operatorsOf = (family: Family): readonly Operator[] =>
  operatorNames.filter(operator => families.indexOf(traitsOf(operator).family) <= families.indexOf(family))

/** Returns the words of an operator; those of days and moments differ. */
const wordsFor = (operator: Operator, kind: string): string =>
  (kind === 'date' || kind === 'date-time' ? timeWords[operator] : undefined) ?? words[operator]

const words: Readonly<Record<Operator, string>> = {
  equals: 'is',
  not_equals: 'is not',
  greater: 'is greater than',
  less: 'is less than',
  at_least: 'is at least',
  at_most: 'is at most',
  in: 'is one of',
  not_in: 'is none of',
  starts_with: 'starts with',
  ends_with: 'ends with',
  contains: 'contains',
  equals_ignoring_case: 'is, in any case',
  starts_with_ignoring_case: 'starts with, in any case',
  ends_with_ignoring_case: 'ends with, in any case',
  contains_ignoring_case: 'contains, in any case'
}

const timeWords: Readonly<Partial<Record<Operator, string>>> = {
  greater: 'is after', less: 'is before', at_least: 'is on or after', at_most: 'is on or before'
}

/** Returns the filter that a form for filters asks for; undefined if it asks for none. */
export function filterAsked (
  collection: CollectionView, parts: readonly Part[], { syntax }: Place
): Filter | undefined {
  const path = wordOf('_field', parts)
  if (path === undefined) return undefined
  const rows = wordsOf('_row', parts)
  const asked = wordOf('_operator', parts)
  if (asked === 'null') return comparison(path, 'equals', null)
  if (asked === 'not_null') return comparison(path, 'not_equals', null)
  const operator = operatorNames.find(name => name === asked) ?? 'equals'
  const { list, negated } = traitsOf(operator)
  if (rows.length > 0) return comparison(path, negated ? 'not_in' : 'in', rows)
  const value = wordOf('_value', parts)
  if (value === undefined) return undefined
  const isMoment = filterablesOf(collection).find(one => one.path === path)?.field.values === 'date-time'
  return comparison(path, operator, list ? valuesIn(value, syntax) : isMoment ? momentOf(value) : value)
}

/** Returns the filters of a page as a sentence: each part opens its form, and a cross removes it. */
export function showSentence (collection: CollectionView, place: Place): Html {
  const fields = filterablesOf(collection)
  const parts = filtersIn(place.query)
  const asked = fields.find(({ path }) => path === wordOf('_filter', place.query))
  const conditions = [
    ...parts.map((part, index) => showPart(part, `f${index}`, collection, place)),
    ...asked === undefined ? [] : [showNew(asked, place)]
  ]
  const none = linkWith(place.query.filter(part => !parts.includes(part)), place)
  return html`<div class="sentence" role="group" aria-label="Filters">${conditions.map((condition, index) =>
    html`<span class="word">${index === 0 ? 'where' : 'and'}</span>${condition}`)}
${fields.length > 0 && showFields(fields, place)}
${parts.length > 1 && html`<a class="quiet button" href="${none}">Clear</a>`}</div>`
}

function showPart (part: Part, id: string, collection: CollectionView, place: Place): Html {
  const href = linkWith(withoutPart(place.query, part), place)
  const remove = html`<a class="x" href="${href}" aria-label="Remove the filter ${part.text}"
 title="Remove this filter"></a>`
  const filters = filtersOf(part, place)
  const [only] = filters
  const isOne = filters.length === 1 && only?.kind === 'compare'
  const field = isOne ? filterablesOf(collection).find(({ path }) => path === only.path.join('.')) : undefined
  const words = partInWords(part, collection, place)
  if (!isOne || field === undefined) return html`<span class="cond"><span>${words}</span>${remove}</span>`
  const at = place.query.filter(({ kind }) => kind !== 'own').indexOf(part)
  return html`<span class="cond"><button popovertarget="${id}">${words}</button>${remove}</span>
<div popover id="${id}"><h2>${field.title}</h2><form method="get" action="${pathTo(place)}">${
    hiddenQuery(place)}<input type="hidden" name="_at" value="${at}">${
    showEditor(field, only, place)}<button class="primary">Apply</button></form></div>`
}

/** Returns a filter of the query in words; as code where it is nested too deeply. */
export const partInWords = (part: Part, collection: CollectionView, place: Place): Fragment =>
  inWords({ kind: 'all', of: filtersOf(part, place) }, collection, 0) ??
  html`<code>${cut(part.text, longestCode)}</code>`

// In characters.
const longestCode = 100
const longestValue = 60

/** Parses one part of the query. A part that cannot be read has failed the answer, so this is no place to say so. */
export const filtersOf = ({ raw }: Part, { syntax }: Place): readonly Filter[] =>
  orElse(() => parseQuery(raw, syntax).filters, [])

/** Returns a filter in words; undefined for one that is nested too deeply to be read as a sentence. */
function inWords (filter: Filter, collection: CollectionView, depth: number): Fragment {
  if (filter.kind === 'compare') return comparisonInWords(filter, collection)
  if (depth > deepest) return undefined
  if (filter.kind === 'not') return joined(html`<i>not</i> `, [filter.of], '', collection, depth)
  if (filter.kind === 'some') {
    const of = filter.of.kind === 'all' ? filter.of.of : [filter.of]
    const start = html`${filter.path.join('.')} <i>${of.length === 0 ? 'has an element' : 'has one where'}</i> `
    return joined(start, of, 'and', collection, depth)
  }
  return joined(undefined, filter.of, filter.kind === 'all' ? 'and' : 'or', collection, depth)
}

// Groups in groups.
const deepest = 3

function joined (
  start: Fragment, filters: readonly Filter[], word: string, collection: CollectionView, depth: number
): Fragment {
  const words = filters.map(one => inWords(one, collection, depth + 1))
  if (words.includes(undefined)) return undefined
  if (words.length === 0 && start === undefined) return undefined
  const list = words.map((one, index) => html`${index > 0 && html` <i>${word}</i> `}${one}`)
  return depth === 0 && start === undefined ? list : html`${start}<span class="either">${list}</span>`
}

function comparisonInWords ({ path, operator, values }: Comparison, collection: CollectionView): Html {
  const name = path.join('.')
  const { title = name, field } = filterablesOf(collection).find(one => one.path === name) ?? {}
  const kind = field?.values ?? ''
  const shown = values.map(({ text, quoted }) => text === '' || (text === 'null' && quoted) ? `"${text}"` : text)
  const { list, negated } = traitsOf(operator)
  const words = wordsFor(list && values.length === 1 ? negated ? 'not_equals' : 'equals' : operator, kind)
  return html`<bdi>${title}</bdi> <i>${words}</i> ${shown.map((text, index) =>
    html`${index > 0 && html` <i>or</i> `}<b dir="auto">${cut(text, longestValue)}</b>`)}`
}

/** Returns the filter of a query or one that was asked for: what holds where either of the two does. */
export const either = (part: Part, asked: Filter, place: Place): Filter => ({
  kind: 'any', of: [...filtersOf(part, place), asked].flatMap(one => one.kind === 'any' ? one.of : [one]).map(inQuotes)
})

/** Returns the form for a new filter by a field. */
function showNew (field: Filterable, place: Place): Html {
  const cancel = linkWith(place.query.filter(({ name }) => name !== '_filter'), place)
  return html`<form class="asks" method="get" action="${pathTo(place)}" aria-label="New filter">
<span>${field.title}</span>${hiddenQuery(place)}${showEditor(field, undefined, place)}
<button class="primary">Apply</button>${filtersIn(place.query).length > 0 && html`
<button name="_or">Or the one before</button>`}<a class="button" href="${cancel}">Cancel</a></form>`
}

/** Returns the inputs of a filter: its operator, and the input of its type. */
function showEditor (one: Filterable, current: Comparison | undefined, place: Place): Html {
  const { path, field, family } = one
  const choices = choicesOf(field)
  const isNull = current?.values.some(({ text, quoted }) => text === 'null' && !quoted) === true
  const asked = current && negatesNull(current.operator, isNull)
  const name = html`<input type="hidden" name="_field" value="${path}">`
  if (family === 'null') return html`${name}${showOperators([], asked, '')}`
  const isPlain = asked === undefined || choiceOperators.has(asked)
  if (choices !== undefined && isPlain) {
    const isNot = current !== undefined && !isNull && traitsOf(current.operator).negated
    const chosen = isNull ? [] : current?.values.map(({ text }) => text) ?? []
    return html`${name}${showOperators(listOperators, isNot ? 'not_in' : asked, '')}
<fieldset><legend class="unseen">Values</legend><ul class="choices">${choices.map(choice =>
  html`<li><label><input type="checkbox" name="_row" value="${choice}"${
    chosen.includes(choice) && html` checked`}>${choice}</label></li>`)}</ul></fieldset>`
  }
  const texts = current?.values.map(({ text }) => text) ?? []
  const text = isNull ? '' : texts.length > 1 ? formatValues(texts, place.syntax) : texts[0] ?? ''
  return html`${name}${showOperators(operatorsOf(family), asked, field.values)}${
    showInput(html` name="_value" aria-label="Value"${valueOffers(path, field, place)}`, field, text, '1')}`
}

const listOperators = operatorNames.filter(name => traitsOf(name).list)

const choiceOperators: ReadonlySet<string> = new Set(['equals', 'not_equals', 'in', 'not_in', 'null', 'not_null'])

const negatesNull = (operator: Operator, isNull: boolean) =>
  isNull ? traitsOf(operator).negated ? 'not_null' : 'null' : operator

function showOperators (operators: readonly Operator[], asked: string | undefined, kind: string): Html {
  const option = (value: string, text: string) =>
    html`<option value="${value}"${value === asked && html` selected`}>${text}</option>`
  return html`<select name="_operator" aria-label="Operator">${operators.map(operator =>
    option(operator, wordsFor(operator, kind)))}${nullWords.map(([word, words]) => option(word, words))}</select>`
}

const nullWords = [['null', 'has no value', 'equals'], ['not_null', 'has a value', 'not_equals']] as const

/** Returns the menu of all fields that a filter can be added for. */
function showFields (fields: readonly Filterable[], place: Place): Html {
  const operators = families.map(family => [family, family === 'null'
    ? nullWords.map(([, words, operator]) => [`${spellingOf(operator, place.syntax)}null`, words])
    : operatorsOf(family).map(operator => [spellingOf(operator, place.syntax), wordsFor(operator, '')])] as const)
  const list = (some: readonly Filterable[]) => html`<ul>${some.map(({ path, title, field, family }) => html`<li>
<a href="${filterLink(path, place)}" data-name="${path}" data-field="${family}"${
    valueOffers(path, field, place)}>${title}</a></li>`)}</ul>`
  const related = fields.filter(({ path }) => path.includes('.'))
  return html`<button class="quiet" popovertarget="filter">+ filter</button><div popover id="filter" class="filter"
 data-operators="${JSON.stringify(Object.fromEntries(operators))}"><h2>Filter by</h2>${
    list(fields.filter(one => !related.includes(one)))}${
    related.length > 0 && html`<hr><h2>Of a related item</h2>${list(related)}`}</div>`
}
