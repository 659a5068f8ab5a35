import { decodePercent } from './decode.ts'

/** A URL's path and query. The segments are decoded, the query is not. */
export interface Path { readonly segments: readonly string[], readonly query: string }

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
 * data. A slash at the end is ignored. An empty segment is kept, so that the planner refuses it. Throws malformed_url
 * for a segment that is not percent-encoded UTF-8.
 */
export function parsePath (target: string, router: RouterOptions = defaults): Path {
  const url = target.startsWith('/') ? target : withoutOrigin(target)
  const mark = router.useSemicolonDelimiter ? url.search(/[?;]/) : url.indexOf('?')
  const given = mark < 0 ? url : url.slice(0, mark)
  const path = router.ignoreDuplicateSlashes ? given.replaceAll(/\/{2,}/g, '/') : given
  const segments = path.slice(1).split('/')
  if (segments.at(-1) === '') segments.pop()
  return {
    segments: segments.map(segment => decodePercent(segment, 'segment')),
    query: mark < 0 ? '' : url.slice(mark + 1)
  }
}

/**
 * Returns the path and query of a target in absolute form, which a proxy may send (RFC 9112, 3.2.2). The path can be
 * empty.
 */
function withoutOrigin (target: string): string {
  const [origin] = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?]*/.exec(target) ?? []
  return origin === undefined ? '/' : target.slice(origin.length)
}
