import type { Operator } from '../../lib/model/values.ts'
import type { FieldAsked, Filter, Query, SortTerm, ValueText } from '../../lib/request/request.ts'
import { compileSyntax, operatorDefaults } from '../../lib/request/syntax.ts'

/** Formats a query as a query string of the default syntax, percent-encoded: the inverse of parseQuery(). */
export function formatQuery (query: Query): string {
  return formatParts(query)
    .map(([name, value]) => name === undefined ? encodeURIComponent(value) : `${name}=${encodeURIComponent(value)}`)
    .join('&')
}

/**
 * Formats a query as parameters, each with its name and value, not encoded. The name is undefined for a comparison that
 * is a parameter by itself.
 */
export function formatParts ({
  filters,
  sort,
  fields,
  page
}: Query): ReadonlyArray<readonly [name: string | undefined, value: string]> {
  return [
    ...filters.map(filter => [isParameter(filter) ? undefined : 'where', formatFilter(filter, false)] as const),
    ...sort === undefined ? [] : [['sort', formatSort(sort)] as const],
    ...fields === undefined ? [] : [['fields', formatFields(fields)] as const],
    ...Object.entries(page).map(([kind, value]: [string, ValueText]) => [kind, value.text] as const)
  ]
}

/** Returns the first spelling of an operator. */
export const spell = (operator: Operator) => operatorDefaults[operator][0] ?? ''

const { parameters } = compileSyntax({})

/** True for a filter that can be a parameter by itself. */
const isParameter = (filter: Filter) => filter.kind === 'compare' && !parameters.has(filter.path.join('.'))

function formatFilter (filter: Filter, inside: boolean): string {
  if (filter.kind === 'not') return `!${formatFilter(filter.of, true)}`
  if (filter.kind === 'some') {
    const of = formatFilter(filter.of, true)
    return `${filter.path.join('.')}${of}`
  }
  if (filter.kind !== 'compare') {
    return `(${filter.of.map(one => formatFilter(one, true)).join(filter.kind === 'all' ? ',' : '|')})`
  }
  const { path, operator, values } = filter
  const list = values.map(formatValue).join(',')
  const isList = operator === 'in' || operator === 'not_in'
  return `${path.join('.')}${spell(operator)}${isList && inside ? `(${list})` : list}`
}

const formatValue = ({ text, quoted }: ValueText) => quoted ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : text

const formatSort = (terms: readonly SortTerm[]) =>
  terms.map(({ path, descending }) => `${path.join('.')}${descending ? ' desc' : ''}`).join(',')

const formatFields = (fields: readonly FieldAsked[]) =>
  fields.map(({ name, query }) => query === undefined ? name : `${name}(${formatNested(query)})`).join(',')

function formatNested ({ filters, sort, fields, page }: Query): string {
  const options = [
    ...filters.map(filter => `${isParameter(filter) ? '' : 'where='}${formatFilter(filter, true)}`),
    ...sort === undefined ? [] : [`sort=${formatSort(sort)}`],
    ...Object.entries(page).map(([kind, value]: [string, ValueText]) => `${kind}=${value.text}`)
  ]
  return [...fields === undefined ? [] : [formatFields(fields)], ...options].join(';')
}
