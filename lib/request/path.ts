import { decodePercent } from './decode.ts'

/** A URL's path and query, the one decoded, the other not. */
export interface Path { readonly segments: readonly string[], readonly query: string }

/**
 * Splits a request target (docs/http.md: URLs). Segments are split before they are decoded, each once, so that `%2F` is data; a slash at the end
 * changes nothing; an empty segment stays, for the walk to refuse. Throws malformed_url for broken percent-encoding.
 */
export function parsePath (target: string): Path {
  const url = target.startsWith('/') ? target : withoutOrigin(target)
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const segments = path.slice(1).split('/')
  if (segments.at(-1) === '') segments.pop()
  return { segments: segments.map(segment => decodePercent(segment, 'segment')), query: mark < 0 ? '' : url.slice(mark + 1) }
}

/** A proxy may send the target in absolute form, its path perhaps empty (RFC 9112, 3.2.2). */
function withoutOrigin (target: string): string {
  const [origin] = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?]*/.exec(target) ?? []
  return origin === undefined ? '/' : target.slice(origin.length)
}
