import { type BodyText, decodeBody, mediaTypeOf } from './body.ts'
import { type Conditions, parseTags } from './conditions.ts'
import { parsePath } from './path.ts'
import { parsePrefer } from './prefer.ts'
import { readQuery } from './query.ts'
import type { Query } from './request.ts'
import type { Syntax } from './syntax.ts'

/** A request as it came in. */
export interface RequestText {
  readonly method: string
  /** The request target, undecoded. */
  readonly url: string
  /** How many segments of the path lead to the API's root. */
  readonly rootLength: number
  /** What the framework takes for the API's origin; empty where it cannot tell. Asked for where an answer needs it. */
  origin (): string
  readonly accept: string | undefined
  readonly prefer: string | string[] | undefined
  readonly cacheControl: string | undefined
  readonly contentType: string | undefined
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly body: Buffer | undefined
}

/** A request taken apart: syntax only, nothing in it is known to exist. */
export interface Request {
  readonly method: string
  /** The API's origin; empty where it cannot be told. */
  origin (): string
  /** The segments that lead to the API's root. */
  readonly root: readonly string[]
  readonly segments: readonly string[]
  readonly query: Query
  /** The URL's parameters without those of pages, each percent-encoded: what links keep. The body of a QUERY is sent again. */
  kept (): readonly string[]
  readonly accept: string | undefined
  /** Whether an exact count is preferred. */
  readonly count: boolean
  /** Whether the body is a query string. */
  readonly form: boolean
  /** What a write is to be answered with, where the client prefers something. */
  readonly returns: 'representation' | 'minimal' | undefined
  readonly conditions: Conditions
  /** Whether a read must know of everything that was written before, by whomever. */
  readonly fresh: boolean
  readonly body: BodyText
}

/** What a QUERY's body must be: the grammar of the URL's query (docs/http.md: URLs). */
export const formType = 'application/x-www-form-urlencoded'

/** Takes a request apart. Throws malformed_url, malformed_body, or what the grammars of the query string throw. */
export function parseRequest (text: RequestText, syntax: Syntax): Request {
  const { method, url, rootLength, origin, accept, contentType } = text
  const path = parsePath(url)
  const start = endOfRoot(path.segments, rootLength)
  const body = { contentType, bytes: text.body }
  const form = mediaTypeOf(contentType) === formType
  const read = readQuery(syntax)
  const inUrl = read(path.query)
  const { query } = method === 'QUERY' && form ? read(`${path.query}&${decodeBody(body)}`) : inUrl
  const preferences = parsePrefer(text.prefer)
  return {
    method,
    origin,
    root: path.segments.slice(0, start).filter(segment => segment !== ''),
    segments: path.segments.slice(start),
    query,
    kept: inUrl.kept,
    accept,
    count: preferences.get('count') === 'exact',
    form,
    returns: returns.find(one => one === preferences.get('return')),
    fresh: text.cacheControl !== undefined && /\bno-cache\b/i.test(text.cacheControl),
    conditions: { ifMatch: parseTags(text.ifMatch), ifNoneMatch: parseTags(text.ifNoneMatch) },
    body
  }
}

/** Empty segments before the API's root are the router's business: it let them through. */
function endOfRoot (segments: readonly string[], rootLength: number): number {
  let found = 0
  for (const [index, segment] of segments.entries()) {
    if (found === rootLength) return index
    if (segment !== '') found++
  }
  return segments.length
}

const returns = ['representation', 'minimal'] as const
