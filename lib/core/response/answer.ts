import { AsyncResource } from 'node:async_hooks'
import type { Readable } from 'node:stream'
import type { Model } from '../model/model.ts'
import type { Dependence } from '../plan/depends.ts'
import { batching } from '../scheduling/batching.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { Database } from '../sources/source.ts'

/**
 * An HTTP response. The body is text or a stream. An answer without a body is sent without a content type, even if its
 * headers have one.
 */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly links: readonly AnswerLink[]
  readonly body: string | Readable | undefined
  readonly etag?: string | undefined
  /** True if it depends on the caller, which caches are told. */
  readonly personal?: boolean
  /** Present if the client asks to follow the document. */
  readonly live?: LiveNeeds | undefined
  /**
   * Makes the text to send of the body, for an answer that shows JSON in another form. It gets the JSON after the
   * application's hooks, which may have replaced it. Throws answer_too_large for a text of more than `longest`
   * characters.
   */
  readonly view?: ((json: string, longest: number) => InParts<string>) | undefined
}

/** What must be known of a document to follow it. */
export interface LiveNeeds {
  /** The database that it is read from; undefined for the directory. */
  readonly database: Database | undefined
  readonly tables: Dependence['tables']
  /** True if the same request of anybody has the same answer. */
  readonly shared: boolean
  /** True for a page around its items. */
  readonly wrapped: boolean
}

/** A link of the `Link` header (RFC 8288). `target` is a URL. */
export interface AnswerLink { readonly rel: string, readonly target: string }

const type = 'application/json; charset=utf-8'
const common = { 'content-type': type, vary: 'Accept' }

export function json (
  status: number, body: string, headers?: Answer['headers'], links: readonly AnswerLink[] = []
): Answer {
  const all = headers === undefined ? common : { 'content-type': type, vary: 'Accept', ...headers }
  return { status, headers: all, links, body }
}

export const ok = (body: string, headers?: Answer['headers'], links?: readonly AnswerLink[]): Answer =>
  json(200, body, headers, links)

export const empty = (status: 201 | 204, headers: Answer['headers']): Answer =>
  ({ status, headers, links: [], body: undefined })

/** Returns an answer that tells caches that it depends on the caller (docs/http.md: Rules, Identifiers). */
export function personal ({ status, headers, links, body, etag, live, view }: Answer): Answer {
  // A spread into a literal takes longer than the literal.
  return { status, headers, links, body, etag, live, view, personal: true }
}

/** Returns true for the path of an answer that depends on the request: a segment of it is a special identifier. */
export function hasSpecial (segments: readonly string[], model: Model): boolean {
  const specials = specialsOf(model)
  return specials.size > 0 && segments.some((segment, index) => index > 0 && specials.has(segment))
}

export const hasSpecials = (model: Model): boolean => specialsOf(model).size > 0

const specialsOf = memoize(({ collections }: Model): ReadonlySet<string> =>
  new Set([...collections.values()].flatMap(({ specials }) => specials.map(({ segment }) => segment))))

/** Work that is done in parts: yields the number of characters that each has read and written. */
export type InParts<T> = Generator<number, T>

export function doAtOnce<T> (work: InParts<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}

/** Returns the result of work that gives up the event loop after each `slice`; a promise of it where it is long. */
export function doInParts<T> (work: InParts<T>): T | Promise<T> {
  const first = doSlice(work)
  return first === undefined ? finishLater(work) : first.result
}

async function finishLater<T> (work: InParts<T>): Promise<T> {
  const resource = new AsyncResource('DataApiPage')
  for (;;) {
    const last = await batching.step(() => doSlice(work), resource)
    if (last !== undefined) return last.result
  }
}

// In characters: some milliseconds, for which other requests wait.
const slice = 2 ** 18

/** Does the next parts of some work. Returns its result once it is done. */
function doSlice<T> (work: InParts<T>): { readonly result: T } | undefined {
  for (let rest = slice; rest > 0;) {
    const { done, value } = work.next()
    if (done === true) return { result: value }
    rest -= value
  }
  return undefined
}
