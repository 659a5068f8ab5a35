import type { Readable } from 'node:stream'
import type { InParts } from './in-parts.ts'

/**
 * An HTTP response. The body is text or a stream. An answer without a body is sent without a content type, even if its
 * headers have one.
 */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly links: readonly Link[]
  readonly body: string | Readable | undefined
  readonly etag?: string
  /** True if it depends on the caller, which caches are told. */
  readonly personal?: boolean
  /**
   * Makes the text to send of the body, for an answer that shows JSON in another form. It gets the JSON after the
   * application's hooks, which may have replaced it. Throws answer_too_large for a text of more than `longest`
   * characters.
   */
  readonly view?: (json: string, longest: number) => InParts<string>
}

/** A link of the `Link` header (RFC 8288). `target` is a URL. */
export interface Link { readonly rel: string, readonly target: string }

const type = 'application/json; charset=utf-8'
const common = { 'content-type': type, vary: 'Accept' }

/** Returns an answer whose body is JSON text. */
export function json (
  status: number, body: string, headers?: Answer['headers'], links: readonly Link[] = []
): Answer {
  const all = headers === undefined ? common : { 'content-type': type, vary: 'Accept', ...headers }
  return { status, headers: all, links, body }
}

/** Returns a 200 whose body is JSON text. */
export const ok = (body: string, headers?: Answer['headers'], links?: readonly Link[]): Answer =>
  json(200, body, headers, links)

/** Returns an answer without a body. */
export const empty = (status: 201 | 204, headers: Answer['headers']): Answer =>
  ({ status, headers, links: [], body: undefined })
