import { urlTooLong } from '../errors/errors.ts'
import { type Body, type BodyText, decodeBody, mediaTypeOf } from './body.ts'
import { type Conditions, parseTags } from './conditions.ts'
import { parsePath, type SegmentParts, type RouterOptions } from './path.ts'
import { keptParameters, type QueryText, readQuery } from './query.ts'
import type { Syntax } from './syntax.ts'
import { splitUnquoted } from './unquoted.ts'

export interface RequestText {
  readonly method: string
  /** The request target, undecoded. */
  readonly url: string
  /** The number of path segments that lead to the API's root. */
  readonly rootLength: number
  readonly router: RouterOptions
  /**
   * Returns the API's origin according to the framework, or '' if it is unknown. Called only for answers that need
   * it.
   */
  origin (): string
  readonly accept: string | undefined
  readonly prefer: string | string[] | undefined
  readonly cacheControl: string | undefined
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  /** The header `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined
  readonly body: Body
}

/** A parsed request. Its names may be unknown to the model. */
export interface Request {
  readonly method: string
  /** Returns the API's origin, or '' if it is unknown. */
  origin (): string
  /** The segments that lead to the API's root, without empty ones. */
  readonly root: readonly string[]
  /** The segments after the API's root. */
  readonly segments: readonly string[]
  /** The parts of each of these segments. */
  readonly parts: readonly SegmentParts[]
  /**
   * Parses the query with the syntax of the resource. `otherParameters` are those of the URL, without those in the body
   * of a QUERY, because the client sends the body again. Throws what the grammars of the query string throw.
   */
  queryIn (syntax: Syntax): QueryText
  readonly accept: string | undefined
  /** True if the client prefers an exact count. */
  readonly count: boolean
  /** True if the content type is that of a query string. */
  readonly form: boolean
  /** The body that the client prefers as the answer to a write. */
  readonly returns: 'representation' | 'minimal' | undefined
  /** The most items that the client means to write by a filter; NaN for a text that is no number. */
  readonly maxAffected: number | undefined
  /** What the client wants of an import whose items exist, such as `merge`. */
  readonly resolution: string | undefined
  /** True if the client means to try a write. */
  readonly dryRun: boolean
  readonly conditions: Conditions
  /** True if a read must include all writes before it, of any client. */
  readonly noCache: boolean
  /** The header `Idempotency-Key` as it was sent; that of a batch is also that of its operations. */
  readonly idempotencyKey: string | undefined
  readonly body: Body
}

/** Where a request leads, as its target alone tells it. The query is not decoded. */
export interface RequestTarget extends Pick<Request, 'root' | 'segments' | 'parts'> { readonly query: string }

/** The media type of a QUERY's body, whose grammar is that of the URL's query (docs/http.md: URLs). */
export const formType = 'application/x-www-form-urlencoded'

/** `segments`: the most segments of a path after the API's root. */
interface ParseOptions { readonly segments: number }

/**
 * Parses a request, but for its query. `given`: the segments that lead to the API's root, where the URL begins behind
 * it. Throws malformed_url or url_too_long.
 */
export function parseRequest (
  text: RequestText, { segments: most }: ParseOptions, given: readonly string[] = noSegments
): Request {
  const { method, origin, accept, body } = text
  const { root, segments, parts, query } = parseTarget(text, given)
  if (segments.length > most) throw urlTooLong(segments.length, most)
  const form = mediaTypeOf(body.contentType) === formType
  const preferences = parsePrefer(text.prefer)
  return {
    method,
    origin,
    root,
    segments,
    parts,
    queryIn (syntax) {
      const inUrl = readQuery(query, syntax)
      if (method !== 'QUERY' || !form) return inUrl
      return { ...inUrl, query: readQuery(withBody(query, inUrl, body, syntax), syntax).query }
    },
    accept,
    count: preferences.get('count') === 'exact',
    form,
    returns: preferences.size === 0 ? undefined : returns.find(one => one === preferences.get('return')),
    maxAffected: preferences.size === 0 ? undefined : readMost(preferences.get('max-affected')),
    resolution: preferences.get('resolution'),
    dryRun: preferences.has('dry-run'),
    noCache: text.cacheControl !== undefined && /\bno-cache\b/i.test(text.cacheControl),
    conditions: { ifMatch: parseTags(text.ifMatch), ifNoneMatch: parseTags(text.ifNoneMatch) },
    idempotencyKey: text.idempotencyKey,
    body
  }
}

/** `given`: as for parseRequest(). Throws malformed_url. */
export function parseTarget (
  { url, rootLength, router }: Pick<RequestText, 'url' | 'rootLength' | 'router'>, given = noSegments
): RequestTarget {
  const { segments, parts, query } = parsePath(url, router)
  const start = rootLength === 0 ? 0 : endOfRoot(segments, rootLength)
  if (start === 0) return { root: given, segments, parts, query }
  const root = segments.slice(0, start).filter(segment => segment !== '')
  return { root, segments: segments.slice(start), parts: parts.slice(start), query }
}

/**
 * Returns the query string of a QUERY. A page in the URL, such as that of a link in an answer, takes the place of that
 * in the body.
 */
function withBody (urlText: string, { query: { page } }: QueryText, body: BodyText, syntax: Syntax): string {
  const text = decodeBody(body)
  const isPlaced = (page.page ?? page.offset ?? page.after ?? page.before) !== undefined
  return `${urlText}&${isPlaced ? keptParameters(text, syntax) : text}`
}

/**
 * Returns the index of the first segment after the API's root. Empty segments do not count: the router ignored them.
 */
function endOfRoot (segments: readonly string[], rootLength: number): number {
  let found = 0
  for (let index = 0; index < segments.length; index++) {
    if (found === rootLength) return index
    if (segments[index] !== '') found++
  }
  return segments.length
}

const noSegments: readonly string[] = []

const readMost = (text: string | undefined) =>
  text === undefined ? undefined : /^\d{1,15}$/.test(text) ? Number(text) : NaN

const returns = ['representation', 'minimal'] as const

/**
 * Parses the preferences of a request, by lower-case name (RFC 7240): `name`, `name=token` or `name="quoted"`,
 * separated by commas, in one header line or several. The first preference of a name counts. Parameters after a `;`
 * and texts that are not preferences are ignored, as the RFC asks.
 */
export function parsePrefer (header: string | readonly string[] | undefined): ReadonlyMap<string, string> {
  if (header === undefined) return none
  const preferences = new Map<string, string>()
  for (const part of [header].flat().flatMap(line => splitUnquoted(line, ','))) {
    const [preference = ''] = splitUnquoted(part, ';')
    const equals = preference.indexOf('=')
    const name = (equals < 0 ? preference : preference.slice(0, equals)).trim().toLowerCase()
    const value = equals < 0 ? '' : readWord(preference.slice(equals + 1).trim())
    if (value !== undefined && name !== '' && token.test(name) && !preferences.has(name)) preferences.set(name, value)
  }
  return preferences
}

const none: ReadonlyMap<string, string> = new Map()

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/
const quotedString = /^"(?:[^"\\]|\\.)*"$/

function readWord (text: string): string | undefined {
  if (quotedString.test(text)) return text.slice(1, -1).replaceAll(/\\(.)/g, '$1')
  return token.test(text) ? text : undefined
}
