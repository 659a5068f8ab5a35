import type { Collection, DataField, Field } from '../model/model.ts'
import { type Operator, operatorNames, traitsOf } from '../model/values.ts'
import { filterableFields } from '../openapi/filters.ts'
import { memoize } from '../scheduling/memoize.ts'
import { choicesOf, momentOf } from './value.ts'
import { titleOf } from './label.ts'
import type { Place } from './place.ts'
import { formatFilter, formatList, formatNull, readable } from './rewrite.ts'
import { type Part, wordOf, wordsOf } from './words.ts'

/** The operators of a form, by the most that a type of values takes. */
type Family = 'equality' | 'order' | 'text'

/** A field that a form can filter by: of the collection, or of an item that it is related to. */
export interface Filterable {
  readonly path: string
  readonly title: string
  readonly field: DataField
  readonly family: Family
}

/** Returns the fields that forms can filter the items of a collection by. */
export const filterablesOf = memoize((collection: Collection): readonly Filterable[] => [
  ...filterableFields(collection).map(field => filterable([], field)),
  ...[...collection.fields.values()].flatMap(relation => {
    if (!relation.readable || !relation.filterable || !('target' in relation)) return []
    const fields = filterableFields(relation.target).filter(({ hidden, listed, name }) =>
      !hidden && (listed || relation.target.stored.some(one => one.name === name && one.identifier)))
    return fields.map(field => filterable([relation], field))
  })
])

function filterable (relations: readonly Field[], field: DataField): Filterable {
  const path = [...relations, field].map(({ name }) => name).join('.')
  const title = [...relations, field].map(titleOf).join('.')
  const { operators } = field.type
  const family = operators.has('contains') ? 'text' : operators.has('greater') ? 'order' : 'equality'
  return { path, title, field, family }
}

/** Returns the operators of a family. */
export const operatorsOf = (family: Family): readonly Operator[] =>
  operatorNames.filter(operator => takers[traitsOf(operator).family].includes(family))

const takers: Readonly<Record<ReturnType<typeof traitsOf>['family'], readonly Family[]>> = {
  equality: ['equality', 'order', 'text'], ordering: ['order', 'text'], text: ['text']
}

/** Returns the words of an operator; those of days and moments differ. */
export const wordsFor = (operator: Operator, kind: string): string =>
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
export function filterAsked (collection: Collection, parts: readonly Part[], { syntax }: Place): string | undefined {
  const path = wordOf('_field', parts)
  if (path === undefined) return undefined
  const { field, family = 'text' } = filterablesOf(collection).find(one => one.path === path) ?? {}
  const rows = wordsOf('_row', parts)
  const asked = wordOf(rows.length > 0 || choicesAsked(field, parts) ? '_equality' : `_${family}`, parts) ?? 'equals'
  if (asked === 'null' || asked === 'not_null') return formatNull(path, asked === 'not_null', syntax)
  const operator = operatorNames.find(name => name === asked) ?? 'equals'
  if (rows.length > 0) return formatList(path, traitsOf(operator).negated, rows, syntax)
  const value = wordOf('_value', parts)
  if (value === undefined) return undefined
  return formatFilter(path, operator, field?.type.kind === 'date-time' ? momentOf(value) : value, syntax)
}

const choicesAsked = (field: DataField | undefined, parts: readonly Part[]) =>
  field !== undefined && choicesOf(field) !== undefined && wordOf('_value', parts) === undefined

/** Returns the filters as a person reads them. */
export const readableQuery = (parts: readonly Part[]): string =>
  parts.filter(({ kind }) => kind !== 'own').map(readable).join('&')
