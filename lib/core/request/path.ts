import { decodePercent } from './decode.ts'

/** A URL's path and query. The segments are decoded, the query is not. */
interface Path {
  readonly segments: readonly string[]
  /** The parts of each segment between its commas, decoded. A segment without commas has itself as its only part. */
  readonly parts: readonly SegmentParts[]
  readonly query: string
}

/** The parts of a segment, such as the values of a key. An encoded comma, `%2C`, is a character of a part. */
export type SegmentParts = readonly string[]

/** The options of the host's router that change the meaning of a path. */
export interface RouterOptions {
  /** True if slashes that follow each other count as one. */
  readonly ignoreDuplicateSlashes: boolean
  /** True if a semicolon begins the query, as a question mark does. */
  readonly useSemicolonDelimiter: boolean
}

const defaults: RouterOptions = { ignoreDuplicateSlashes: false, useSemicolonDelimiter: false }

/**
 * Parses a request target (docs/http.md: URLs). The path is split before its segments are decoded, so that `%2F` is
 * data; a segment is split at its commas in the same way. A slash at the end is ignored. An empty segment is kept, so
 * that the planner refuses it. Throws malformed_url for a segment that is not percent-encoded UTF-8.
 */
export function parsePath (target: string, router: RouterOptions = defaults): Path {
  const url = target.startsWith('/') ? target : withoutOrigin(target)
  const mark = router.useSemicolonDelimiter ? url.search(/[?;]/) : url.indexOf('?')
  const given = mark < 0 ? url : url.slice(0, mark)
  const path = router.ignoreDuplicateSlashes ? given.replaceAll(/\/{2,}/g, '/') : given
  const query = mark < 0 ? '' : url.slice(mark + 1)
  const pieces = path.slice(1).split('/')
  if (pieces.at(-1) === '') pieces.pop()
  // Most paths mean themselves.
  if (literal.test(path)) return { segments: pieces, parts: pieces.map(piece => [piece]), query }
  const parts = pieces.map(partsOf)
  return { segments: parts.map(some => some.length === 1 ? some[0] ?? '' : some.join(',')), parts, query }
}

/** Printable ASCII without `%` and `,`: no segment of such a path is decoded, and none has several parts. */
const literal = /^[ -$&-+.-~-]*$/

const partsOf = (segment: string): SegmentParts => segment.includes(',')
  ? segment.split(',').map(part => decodePercent(part, 'segment'))
  : [decodePercent(segment, 'segment')]

/**
 * Returns the path and query of a target in absolute form, which a proxy may send (RFC 9112, 3.2.2). The path can be
 * empty.
 */
function withoutOrigin (target: string): string {
  const [origin] = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?]*/.exec(target) ?? []
  return origin === undefined ? '/' : target.slice(origin.length)
}
