import { type Operator, traitsOf } from '../model/values.ts'
import { type ParameterKind, parameterOf, type Syntax } from '../request/syntax.ts'
import { decodePercent } from '../request/decode.ts'
import type { Permissions, RequestOptions } from '../plan/request.ts'
import type { Resource } from '../plan/path/walk.ts'
import type { Query } from '../request/request.ts'
import { formatPath, type Parts, type Site } from '../response/paths.ts'
import { type Html, html } from './html.ts'

/** The place of a page: the request of the API that it shows, and the caller's permissions there. */
export interface Place {
  readonly title: string
  /** The hosts that images come from. */
  readonly images: readonly string[]
  readonly site: Site
  /** The syntax of the resource; that of the API for an error. */
  readonly syntax: Syntax
  readonly reads: RequestOptions['reads']
  /** True if collections are answered as NDJSON and CSV too. */
  readonly hasStreams: boolean
  /** True if streams of items can be imported. */
  readonly hasImports: boolean
  /** True for a page of a live document. */
  readonly isLive?: boolean
  /** Returns a new key for a write of the page; undefined where the caller sends none, and for errors. */
  readonly formKey?: () => string | undefined
  /** Undefined for an error whose request leads nowhere. */
  readonly spot: Spot | undefined
  /** The parts of each segment of the path. */
  readonly parts: readonly Parts[]
  /** The parts of the query string, the explorer's own words among them. */
  readonly query: readonly Part[]
}

/** A resource, as its caller may see it. */
export interface Spot {
  /** The query of the request. */
  readonly asked: Query
  readonly resource: Resource
  readonly permissions: Permissions
}

/** A place of one kind of resource. */
export interface PlaceOf<K extends Resource['kind']> extends Place {
  readonly spot: Spot & { readonly resource: Extract<Resource, { kind: K }> }
}

/** Returns true for a place of that kind of resource. */
export const isOf = <K extends Resource['kind']>(
  kind: K, place: Place & { readonly spot: Spot }
): place is PlaceOf<K> => place.spot.resource.kind === kind

/** Returns the path of a resource below that of the page. */
export const pathTo = ({ site, parts }: Place, more: readonly Parts[] = []): string =>
  formatPath(site, [...parts, ...more])

/** Returns the path of a resource below the API's root. */
export const rootPathTo = ({ site }: Place, parts: readonly Parts[]): string => formatPath(site, parts)

/** Returns the last segment of the path, which names the page. */
export const nameOf = ({ parts, title }: Place): string => parts.at(-1)?.map(String).join(',') ?? title

/**
 * The explorer's own parameters. All begin with `_`, which no snake_case name does. Those of a form that is sent with
 * GET are answered by a redirect to the API's own URL, so that no page but a form has them.
 */
export const words = [
  // The form of the answer.
  '_format',
  // Pages besides that of the resource: forms, and a message after a write.
  '_new', '_edit', '_delete', '_import', '_done',
  // Parts of a page: a count, the field that a filter is asked for, the density of tables, fields whose values are
  // counted, and a name to find.
  '_count', '_filter', '_show', '_facet', '_find',
  // The style sheet of all pages.
  '_style',
  // Forms that are sent with GET: the query that they change, and the changes.
  '_query', '_at', '_or', '_field', '_equality', '_order', '_text', '_value', '_column',
  // The rows that were selected, and the format they are wanted in.
  '_row', '_as',
  // Members of forms that write.
  '_method', '_tag', '_was', '_keep', '_set', '_link', '_key', '_csv', '_check',
  // A search for an item to refer to, and the item that was found.
  '_search', '_take'
] as const

/** A parameter of the explorer. */
type Word = typeof words[number]

/** A part of a query string between two `&`. */
export interface Part {
  /** As the client wrote it. */
  readonly raw: string
  /** Decoded. */
  readonly text: string
  /** `own` for a word of the explorer, `filter` for every name that is no parameter. */
  readonly kind: ParameterKind | 'own' | 'filter'
  readonly name: string
  /** The text after the first `=`. */
  readonly value: string
}

/** Splits a raw query string. Throws malformed_url. */
export function partsOf (raw: string, syntax: Syntax): readonly Part[] {
  return raw.split('&').filter(part => part !== '').map(part => readPart(part, syntax))
}

function readPart (raw: string, { parameters }: Syntax): Part {
  const text = decodePercent(raw.replaceAll('+', ' '), 'parameter')
  const equals = text.indexOf('=')
  const name = equals < 0 ? text : text.slice(0, equals)
  const value = equals < 0 ? '' : text.slice(equals + 1)
  const isOwn = words.some(word => word === name)
  const kind = isOwn ? 'own' : equals < 0 ? 'filter' : parameters.get(name) ?? 'filter'
  // The API has no such format: it asks for a page, and is not handed on.
  if (kind === 'format' && value === 'html') return { raw, text, kind: 'own', name: '_format', value }
  return { raw, text, kind, name, value }
}

/** Returns the value of a word, '' if it has none, and undefined without the word. */
export const wordOf = (word: Word, parts: readonly Part[]): string | undefined =>
  parts.find(({ kind, name }) => kind === 'own' && name === word)?.value

/** Returns all values of a word. */
export const wordsOf = (word: Word, parts: readonly Part[]): readonly string[] =>
  parts.filter(({ kind, name }) => kind === 'own' && name === word).map(({ value }) => value)

/** Returns the filters of a query. */
export const filtersIn = (parts: readonly Part[]): readonly Part[] =>
  parts.filter(({ kind }) => kind === 'filter' || kind === 'where')

/** Returns the raw query without the explorer's own words: the query of the API. */
export const ownQuery = (parts: readonly Part[]): string =>
  parts.filter(({ kind }) => kind !== 'own').map(({ raw }) => raw).join('&')

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
  encodePart(syntax.fieldParameters && !filter.startsWith('(') ? filter : `${parameterOf('where', syntax)}=${filter}`)

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

/** Returns a text as an operand in quotes. */
export const inQuotes = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

function split (text: string, delimiters: ReadonlySet<string>): readonly string[] {
  let values = [text]
  for (const delimiter of delimiters) values = values.flatMap(value => value.split(delimiter))
  return values
}

/** Returns the filters as a person reads them. */
export const readableQuery = (parts: readonly Part[]): string =>
  parts.filter(({ kind }) => kind !== 'own').map(readable).join('&')
