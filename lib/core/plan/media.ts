import Negotiator from 'negotiator'
import { invalidParameter, notAcceptable, unavailableFormat } from '../errors/errors.ts'
import { suggest } from '../errors/suggest.ts'
import { memoize, memoizeRecent } from '../scheduling/memoize.ts'
import type { ValueText } from '../request/request.ts'
import { splitUnquoted } from '../request/unquoted.ts'

export const mediaTypes = {
  json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv', events: 'text/event-stream'
} as const
type Media = keyof typeof mediaTypes

/** The form of an answer (docs/http.md: Pages and links). */
export interface AnswerFormat {
  readonly media: Media
  /** CSV: whether the first record holds the names, as the client has asked; present by default (RFC 4180, 3). */
  readonly header: 'present' | 'absent' | undefined
  /** CSV: true if the text begins with a byte order mark, by which spreadsheets recognize UTF-8. */
  readonly bom: boolean
  /** CSV: true if nothing precedes what a spreadsheet would treat as a formula. */
  readonly plain: boolean
}

const json: AnswerFormat = { media: 'json', header: undefined, bom: false, plain: false }

/** The media type of errors for clients that ask for it. It is used for errors only (docs/http.md: Errors). */
export const problemType = 'application/problem+json'

/** The media that a resource has besides JSON: `rows` for NDJSON and CSV, `events` for a live document. */
interface Streamed { readonly rows: boolean, readonly events: boolean }

const onlyJson: Streamed = { rows: false, events: false }

/** Returns true for a stream of rows, which is not written as a page. */
export const isStreamed = ({ media }: AnswerFormat): boolean => media === 'ndjson' || media === 'csv'

/**
 * Returns the format of the answer: the one that the query names, otherwise the one that the client prefers of those
 * that the resource has. Throws invalid_parameter, or not_acceptable if the resource has none of them.
 */
export function planFormat (
  accept: string | undefined, asked: ValueText | undefined, { rows, events }: Streamed = onlyJson
): AnswerFormat {
  const available = mediaOf[rows ? 'rows' : 'plain'][events ? 'live' : 'still']
  if (asked !== undefined) return parseFormat(asked, available)
  // Nearly every client sends one of these; they need no negotiation.
  if (accept === undefined || accept === '*/*' || accept === mediaTypes.json) return json
  const chosen = negotiateFor(available)(accept)
  if (chosen === undefined) throw notAcceptable(available.map(media => mediaTypes[media]))
  return chosen
}

/**
 * Returns true if the client names application/problem+json in `Accept` and does not prefer JSON; a wildcard is not
 * enough.
 */
export function takesProblem (accept: string | undefined): boolean {
  if (accept?.toLowerCase().includes(problemType) !== true) return false
  const ranges = parseAccept(accept)
  const weight = weightOf(problemType, ranges)
  return weight > 0 && weight >= weightOf(mediaTypes.json, ranges)
}

/** Returns the weight of a media type that `Accept` names: 1 by default, 0 if it does not name it. */
function weightOf (type: string, ranges: readonly MediaRange[]): number {
  const range = ranges.find(one => one.type === type)
  return range === undefined ? 0 : Number(range.parameters['q'] ?? 1)
}

/** Returns true if the client prefers a page for people to every other form of an answer; a wildcard is not enough. */
export const takesPage = (accept: string | undefined): boolean =>
  accept !== undefined && accept.includes('html') && prefersPage(accept)

const prefersPage = memoizeRecent(accept => {
  const [first] = preferred(parseAccept(accept), [...Object.values(mediaTypes), pageType])
  return first === pageType
}, { most: 100, longest: 400 })

const pageType = 'text/html'

type Available = readonly Media[]

const mediaOf: Readonly<Record<'plain' | 'rows', Readonly<Record<'still' | 'live', Available>>>> = {
  plain: { still: ['json'], live: ['json', 'events'] },
  rows: { still: ['json', 'ndjson', 'csv'], live: ['json', 'ndjson', 'csv', 'events'] }
}

const negotiateFor = memoize((available: Available) =>
  memoizeRecent(accept => negotiate(accept, available), { most: 100, longest: 200 }))

function negotiate (accept: string, available: Available): AnswerFormat | undefined {
  const ranges = parseAccept(accept)
  // An empty header expresses no preference (RFC 9110, 12.5.1).
  if (ranges.length === 0) return json
  // An answer without an end is only for clients that name it.
  const isNamed = (media: Media) => media !== 'events' || ranges.some(({ type }) => type === mediaTypes.events)
  const [chosen] = preferred(ranges, available.filter(isNamed).map(media => mediaTypes[media]))
  // A client that names the type of errors alone reads JSON.
  if (chosen === undefined) return takesProblem(accept) ? json : undefined
  const media = available.find(one => mediaTypes[one] === chosen) ?? 'json'
  return formatOf(media, ranges.find(({ type }) => type === chosen)?.parameters ?? {})
}

type Parameters = Readonly<Record<string, string | undefined>>

function formatOf (media: Media, { header, bom, formulas }: Parameters): AnswerFormat {
  if (media !== 'csv') return { ...json, media }
  const asked = isPresence(header) ? header : undefined
  return { media, header: asked, bom: bom === 'present', plain: formulas === 'plain' }
}

const isPresence = (text: string | undefined): text is 'present' | 'absent' => text === 'present' || text === 'absent'

/** A media range of an `Accept`, in lower case. Its weight is a parameter. */
interface MediaRange { readonly type: string, readonly parameters: Readonly<Record<string, string>> }

function parseAccept (accept: string): readonly MediaRange[] {
  return splitUnquoted(accept, ',').map(parseRange).filter(({ type }) => type !== '')
}

function parseRange (text: string): MediaRange {
  const [type = '', ...rest] = splitUnquoted(text, ';').map(part => part.trim().toLowerCase())
  const parameters = rest.map(part => part.split('=', 2).map(word => word.trim().replaceAll('"', '')))
  return { type, parameters: Object.fromEntries(parameters.map(([name = '', value = '']) => [name, value])) }
}

/** Returns the types that the ranges accept, the most preferred first. Types are compared without parameters. */
function preferred (ranges: readonly MediaRange[], types: string[]): string[] {
  const accept = ranges.map(({ type, parameters: { q } }) => q === undefined ? type : `${type};q=${q}`).join(',')
  return new Negotiator({ headers: { accept } }).mediaTypes(types)
}

/** Parses the value of the parameter `format`, such as `csv` or `csv;header=absent;formulas=plain`. */
function parseFormat ({ text, at }: ValueText, available: Available): AnswerFormat {
  const [name = '', ...parameters] = text.toLowerCase().split(';').map(part => part.trim())
  const formats = mediaOf.rows.live
  const media = formats.find(one => one === name)
  if (media === undefined) {
    const message = `'${name}' is not a format. Formats here: ${available.join(', ')}.`
    throw invalidParameter(message, at, suggest(name, available))
  }
  const given = parameters.map(part => part.split('=', 2) as [string, string | undefined])
  for (const [parameter, value] of given) {
    if (media === 'csv' && takes(parameter, value)) continue
    const message = `'${parameter}' cannot follow here; 'csv' takes ;header=absent, ;bom=present and ;formulas=plain.`
    throw invalidParameter(message, at)
  }
  if (!available.includes(media)) throw unavailableFormat(media, available)
  return formatOf(media, Object.fromEntries(given))
}

const takes = (parameter: string, value: string | undefined) => parameter === 'formulas'
  ? value === 'plain'
  : (parameter === 'header' || parameter === 'bom') && isPresence(value)
