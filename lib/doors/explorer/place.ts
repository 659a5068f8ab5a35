import type { CollectionView, Face, ResourceView, Sight } from '../../core/api/face.ts'
import { decodePercent } from '../../core/request/decode.ts'
import { type sortTerm, valueText } from '../../core/request/made.ts'
import { encodePart, print, printValues } from '../../core/request/print.ts'
import type { Filter, Query } from '../../core/request/request.ts'
import { parameterOf, type Syntax } from '../../core/request/syntax.ts'
import { splitUnquoted } from '../../core/request/unquoted.ts'
import { formatPath } from '../../core/response/paths.ts'
import { type Html, html } from './html.ts'

/** The facts that all pages of one registration share. */
export interface Exploring {
  /** The API, whose listings have their links in the header, wherever the application puts them. */
  readonly face: Face
  readonly title: string
  /** The application's page for logging in. */
  readonly login: string | undefined
  /** The hosts that images come from. */
  readonly images: readonly string[]
}

/** The place of a page: the request of the API that it shows, and the caller's permissions there. */
export interface Place extends Exploring {
  readonly site: NonNullable<Face['site']>
  /** The syntax of the resource; that of the API for an error. */
  readonly syntax: Syntax
  /** True for a page of a live document. */
  readonly isLive?: boolean
  /** Returns a new key for a write of the page; undefined where the caller sends none, and for errors. */
  readonly formKey?: () => string | undefined
  /** Undefined for an error whose request leads nowhere. */
  readonly spot: Spot | undefined
  /** The segments of the path. */
  readonly parts: readonly Segment[]
  /** The parts of the query string, the explorer's own words among them. */
  readonly query: readonly Part[]
  /** What opens on the page: the number of its elements so far, and the characters of texts that it may still show. */
  readonly openings: { count: number, left: number }
}

/** A segment of a path: its parts, such as the values of a key. */
export type Segment = readonly unknown[]

export const newOpenings = (): Place['openings'] => ({ count: 0, left: 200_000 })

/** A resource, as its caller may see it. */
export interface Spot {
  /** The query of the request. */
  readonly asked: Query
  readonly resource: ResourceView
  /** Of the collection of the resource, and of the targets of its relations. */
  readonly sight: Sight
}

/** A place of one kind of resource, but for the directory. */
export interface PlaceOf<K extends Exclude<ResourceView['kind'], 'directory'>> extends Place {
  readonly spot: Spot & { readonly resource: ResourceView & { readonly kind: K, readonly collection: CollectionView } }
}

export const isOf = <K extends Exclude<ResourceView['kind'], 'directory'>>(
  kind: K, place: Place & { readonly spot: Spot }
): place is PlaceOf<K> => place.spot.resource.kind === kind

/** Returns the collection of which a resource lists items, or groups of them; undefined for any other resource. */
export const listedAt = ({ resource: { kind, collection } }: Spot): CollectionView | undefined =>
  kind === 'collection' || kind === 'dictionary' ? collection : undefined

/** Returns the path of a resource below that of the page. */
export const pathTo = ({ site, parts }: Place, more: readonly Segment[] = []): string =>
  formatPath(site, [...parts, ...more])

/** Returns the path of a resource below the API's root. */
export const rootPathTo = ({ site }: Place, parts: readonly Segment[]): string => formatPath(site, parts)

/** Returns the path of the resource one level above the page. */
export const pathAbove = ({ site, parts }: Place): string => formatPath(site, parts.slice(0, -1))

/** Returns the last segment of the path, which names the page. */
export const placeName = ({ parts, title }: Place): string => parts.at(-1)?.map(String).join(',') ?? title

/**
 * The explorer's own parameters. All begin with `_`, which no snake_case name does. Those of a form that is sent with
 * GET are answered by a redirect to the API's own URL, so that no page but a form has them.
 */
export const placeWords = [
  // The form of the answer.
  '_format',
  // Pages besides that of the resource: forms, a message after a write, and what the caller may do.
  '_new', '_edit', '_delete', '_import', '_done', '_rights',
  // Parts of a page: a count, the field that a filter is asked for, the density of tables, fields whose values are
  // counted, and a name to find.
  '_count', '_filter', '_show', '_facet', '_find',
  // The style sheet of all pages.
  '_style',
  // Forms that are sent with GET: the query that they change, and the changes.
  '_query', '_at', '_or', '_field', '_operator', '_value', '_column',
  // The rows that were selected, and the format they are wanted in.
  '_row', '_as',
  // Members of forms that write.
  '_method', '_tag', '_was', '_keep', '_set', '_link', '_key', '_csv', '_check',
  // A search for an item to refer to, and the item that was found.
  '_search', '_take'
] as const

type ParameterKind = Parameters<typeof parameterOf>[0]

/** A parameter of the explorer. */
type Word = typeof placeWords[number]

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
export function queryParts (raw: string, syntax: Syntax): readonly Part[] {
  return raw.split('&').filter(part => part !== '').map(part => readPart(part, syntax))
}

function readPart (raw: string, { parameters }: Syntax): Part {
  const text = decodePercent(raw.replaceAll('+', ' '), 'parameter')
  const equals = text.indexOf('=')
  const name = equals < 0 ? text : text.slice(0, equals)
  const value = equals < 0 ? '' : text.slice(equals + 1)
  const isOwn = placeWords.some(word => word === name)
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

export const parameterPart = (kind: ParameterKind, value: string, syntax: Syntax): string =>
  encodePart(`${parameterOf(kind, syntax)}=${value}`)

/** Returns the query that asks for items: their filters, and other parameters. */
export function asking (filters: QueryParts, { fields, sort, size }: Asked, syntax: Syntax): string {
  const asked = print({
    ...fields && { fields: fields.map(name => ({ name })) },
    ...sort && { sort: [sort] },
    ...size !== undefined && { page: { size: valueText(String(size)) } }
  }, syntax)
  return queryOf([...filters, ...asked === '' ? [] : [asked]])
}

interface Asked {
  readonly fields?: readonly string[]
  readonly sort?: ReturnType<typeof sortTerm>
  readonly size?: number
}

/** Returns a filter whose values stand in quotes, but for null. */
export function inQuotes (filter: Filter): Filter {
  if (filter.kind === 'not' || filter.kind === 'some') return { ...filter, of: inQuotes(filter.of) }
  if (filter.kind !== 'compare') return { ...filter, of: filter.of.map(inQuotes) }
  return { ...filter, values: filter.values.map(one => one.text === 'null' ? one : { ...one, quoted: true }) }
}

/** Returns the values of a list as a person may write them. */
export const formatValues = (values: readonly string[], syntax: Syntax): string =>
  printValues(values.map(valueText), syntax)

export const filterPart = (filter: Filter, syntax: Syntax): string => print({ filters: [filter] }, syntax)

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

/** Returns the density of the tables of a page, if it is not the standard. */
export const shownAs = ({ query }: Place): string | undefined =>
  ['compact', 'roomy'].find(one => one === wordOf('_show', query))

/** Returns the inputs of a form that is sent with GET and changes the query of the page, or these parts of it. */
export const hiddenQuery = (place: Place, parts = place.query): Html =>
  html`<input type="hidden" name="_query" value="${ownQuery(parts)}">${hiddenShow(place)}`

/** Returns the inputs that keep how a page is shown. */
export const hiddenShow = ({ query }: Place): Html =>
  html`${shownIn(query).map(({ name, value }) =>
    html`<input type="hidden" name="${name}" value="${value}">`)}`

/** Returns the parts with a parameter in place of those of its kind; without any for an `undefined` value. */
export function withParameter (
  parts: readonly Part[], kind: ParameterKind, value: string | undefined, syntax: Syntax
): QueryParts {
  const others = withoutPage(parts).filter(part => part.kind !== kind)
  return value === undefined ? others : [...others, parameterPart(kind, value, syntax)]
}

export const withoutPart = (parts: readonly Part[], part: Part): readonly Part[] =>
  withoutPage(parts).filter(one => one !== part)

/** Returns the parts with one filter more, or with it in place of the part `at`; without that for no filter. */
export function withFilter (
  parts: readonly Part[], filter: Filter | undefined, syntax: Syntax, at = parts.length
): QueryParts {
  const made = filter === undefined ? [] : [filterPart(filter, syntax)]
  return [...withoutPage(parts.slice(0, at)), ...made, ...withoutPage(parts.slice(at + 1))]
}

/** Returns the values of a list that a person typed, some of them in quotes. */
export const valuesIn = (text: string, { list }: Syntax): readonly string[] =>
  [...list].reduce((values, delimiter) => values.flatMap(value => splitUnquoted(value, delimiter)), [text])
    .map(value => value.trim().replace(/^"([^]*)"$/, (_, inside: string) => inside.replaceAll(/\\(.)/g, '$1')))
