import { type Operator, traitsOf } from '../model/values.ts'
import { type ParameterKind, parameterOf, type Syntax } from '../request/syntax.ts'
import { type Html, html } from './html.ts'
import { pathTo, type Place } from './place.ts'
import { type Part, wordOf } from './words.ts'

/** QueryParts of a query, and raw texts of others. */
export type QueryParts = ReadonlyArray<Part | string>

/** Returns a raw query string, fit for a link and for a `Location`. */
export const queryOf = (parts: QueryParts): string =>
  parts.map((part, at) => `${at === 0 ? '?' : '&'}${typeof part === 'string' ? part : part.raw}`).join('')

/** Returns a link to the page with another query. */
export const linkWith = (parts: QueryParts, place: Place): string => pathTo(place) + queryOf(parts)

/** Returns the query that asks for items: their filters, and other parameters. */
export const asking = (filters: QueryParts, asked: Asked, syntax: Syntax): string =>
  queryOf([...filters, ...(['fields', 'sort', 'size'] as const).filter(kind => asked[kind] !== undefined).map(kind =>
    encodePart(`${parameterOf(kind, syntax)}=${[asked[kind]].flat().join([...syntax.fields][0])}`))])

interface Asked { readonly fields?: readonly string[], readonly sort?: string, readonly size?: number }

/** Returns a filter as a part of a query. */
export const filterPart = (filter: string, syntax: Syntax): string =>
  encodePart(syntax.fieldParameters ? filter : `${parameterOf('where', syntax)}=${filter}`)

/** Encodes a decoded part of a query; characters that URLs can show stay as they are, so that people can read them. */
export const encodePart = (text: string): string =>
  text.replaceAll(/[^\w.~!$'()*,;:@/?=^|-]+/g, encodeURIComponent).replaceAll('%20', '+')

/** Encodes what a person typed as a raw query string: what is percent-encoded already stays so. */
export const encodeTyped = (text: string): string =>
  text.replaceAll(/%(?![\dA-Fa-f]{2})|[^\x21-\x7e]+|["<>\\`{}#]+/gu, encodeURIComponent).replaceAll('%20', '+')

/** Returns a part as a person reads and writes it; only what would change its meaning is percent-encoded. */
export const readable = ({ text }: Part): string =>
  // eslint-disable-next-line no-control-regex
  text.replaceAll(/[%&+#\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, encodeURIComponent)
    .replaceAll(' ', '+')

const pageKinds: ReadonlySet<Part['kind']> = new Set(['page', 'offset', 'after', 'before'])

/** Returns the parts that links keep, without those of pages: what changes a listing begins it anew. */
export const withoutPage = (parts: readonly Part[]): readonly Part[] =>
  parts.filter(part => isKept(part) && !pageKinds.has(part.kind))

/** Returns true for a part of the API, and for what only changes how it is shown. */
export const isKept = ({ kind, name }: Pick<Part, 'kind' | 'name'>): boolean =>
  kind !== 'own' || name === '_show' || name === '_facet'

/** Returns the parts that only change how a page is shown. */
export const shownIn = (query: readonly Part[]): readonly Part[] =>
  query.filter(part => part.kind === 'own' && isKept(part))

/** The densities of tables, beside the standard. */
const densities = ['compact', 'roomy'] as const

/** Returns the density of the tables of a page. */
export const shownAs = ({ query }: Place): typeof densities[number] | undefined =>
  densities.find(one => one === wordOf('_show', query))

/** Returns the inputs of a form that is sent with GET and changes a query. */
export const hiddenQuery = (query: string, place: Place): Html =>
  html`<input type="hidden" name="_query" value="${query}">${hiddenShow(place)}`

/** Returns the inputs that keep how a page is shown. */
export const hiddenShow = ({ query }: Place): Html =>
  html`${shownIn(query).map(({ name, value }) =>
    html`<input type="hidden" name="${name}" value="${value}">`)}`

/** Returns the parts with a parameter in place of those of its kind; without any for an `undefined` value. */
export function withParameter (
  parts: readonly Part[], kind: ParameterKind, value: string | undefined, syntax: Syntax
): QueryParts {
  const others = withoutPage(parts).filter(part => part.kind !== kind)
  return value === undefined ? others : [...others, encodePart(`${parameterOf(kind, syntax)}=${value}`)]
}

/** Returns the parts without one of them. */
export const withoutPart = (parts: readonly Part[], part: Part): readonly Part[] =>
  withoutPage(parts).filter(one => one !== part)

/** Returns the parts with one filter more, or with it in place of the part `at`; without that for no filter. */
export function withFilter (
  parts: readonly Part[], filter: string | undefined, syntax: Syntax, at = parts.length
): QueryParts {
  const made = filter === undefined ? [] : [filterPart(filter, syntax)]
  return [...withoutPage(parts.slice(0, at)), ...made, ...withoutPage(parts.slice(at + 1))]
}

/** Returns the part that asks for a format. */
export const formatPart = (format: string, syntax: Syntax): string =>
  encodePart(`${parameterOf('format', syntax)}=${format}`)

/** Returns a term of an order in the API's own words. */
export function sortTerm (name: string, descending: boolean, { directions, direction }: Syntax): string {
  if (!descending) return name
  const word = [...directions].find(([, isDescending]) => isDescending)?.[0] ?? 'desc'
  const [delimiter = ' '] = direction
  return `${name}${delimiter}${word}`
}

/** Returns the shortest spelling of an operator. */
export function spellingOf (operator: Operator, { operators }: Syntax): string {
  const spellings = operators.flatMap(([spelling, of]) => of === operator ? [spelling] : [])
  const [shortest = '='] = spellings.toSorted((one, other) => one.length - other.length)
  return shortest
}

/** Returns a filter in the API's own language, with the operand that a person typed. */
export function formatFilter (path: string, operator: Operator, operand: string, syntax: Syntax): string {
  const spelling = spellingOf(operator, syntax)
  if (!traitsOf(operator).list) return path + spelling + quoted(operand, spelling, syntax)
  // A client that quotes its values has written the list as the API reads it.
  if (operand.includes('"')) return path + spelling + operand
  const [delimiter = ','] = syntax.list
  const values = split(operand, syntax.list).map(value => quoted(value.trim(), '', syntax))
  return path + spelling + values.join(delimiter)
}

/** Returns the filter for items with one of these values, or with none of them. */
export const formatList = (path: string, negated: boolean, values: readonly string[], syntax: Syntax): string =>
  path + spellingOf(negated ? 'not_in' : 'in', syntax) + formatValues(values, syntax)

/** Returns values as a list of the API. */
export function formatValues (values: readonly string[], syntax: Syntax): string {
  const [delimiter = ','] = syntax.list
  const isSplit = (value: string) => [...syntax.list].some(one => value.includes(one))
  return values.map(value => isSplit(value) || value === '' ? inQuotes(value) : quoted(value, '', syntax))
    .join(delimiter)
}

/** Returns the filter for items with no value, or with one. */
export const formatNull = (path: string, negated: boolean, syntax: Syntax): string =>
  `${path}${spellingOf(negated ? 'not_equals' : 'equals', syntax)}null`

/** Returns a text as an operand, in quotes where it would be read otherwise without them. */
function quoted (text: string, spelling: string, { operators }: Syntax): string {
  const isLonger = operators.some(([other]) => other.length > spelling.length && (spelling + text).startsWith(other))
  const isSafe = text !== 'null' && !isLonger && !/^[("=]|^\s|\s$/.test(text)
  return isSafe ? text : inQuotes(text)
}

const inQuotes = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

function split (text: string, delimiters: ReadonlySet<string>): readonly string[] {
  let values = [text]
  for (const delimiter of delimiters) values = values.flatMap(value => value.split(delimiter))
  return values
}
