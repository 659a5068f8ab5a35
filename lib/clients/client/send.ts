import type { AnyQuery } from './query.ts'

export type HeadersLike = Readonly<Record<string, string>>

/** The options of a client. */
export interface ClientOptions {
  /** Headers of every request, or a function that returns them, for a token that changes. */
  readonly headers?: HeadersLike | (() => HeadersLike | Promise<HeadersLike>)
  /** The `fetch` to use, such as one that sends cookies to another origin. Default: the global one. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** How often a read is repeated after 429, 502, 503, 504 or no answer, if it can be within 30 seconds. Default: 2. */
  readonly retries?: number
  /**
   * Whether writes get an `Idempotency-Key` and are repeated as reads are: all, or those by POST. For an API that keeps
   * keys (docs/http.md: Idempotency keys): another may do a repeated write twice. Default: none.
   */
  readonly idempotent?: boolean | 'POST'
  /**
   * The most characters of a query in a URL. A longer one is sent in the body, by QUERY, or by a POST that stands for
   * it. Default: 4000.
   */
  readonly maxQuery?: number
}

/** The options of one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  readonly headers?: HeadersLike | undefined
  /** What the browser's own cache may answer, as fetch() takes it. Default: what the API allows it. */
  readonly cache?: 'default' | 'no-cache' | 'no-store' | 'reload' | undefined
}

/** The options of a request that writes. `key`: its `Idempotency-Key`, with which it is repeated. */
export interface KeyedOptions extends RequestOptions { readonly key?: string | undefined }

/** A request. `path` begins with a slash. */
export interface Call extends KeyedOptions {
  /** The method of a write; undefined for a read. */
  readonly method?: string
  readonly path: string
  readonly query: AnyQuery
  readonly body?: unknown
  /** The body of an import, which can be sent once. */
  readonly stream?: ReadableStream<Uint8Array>
  /** Headers of the client, which the options can replace. */
  readonly own?: Readonly<Record<string, string | undefined>>
}

/**
 * Sends a request and reads its answer. `attempt`: how often it was sent before. Rejects with an ApiError, or with the
 * reason of the signal.
 */
export type Send = <T>(call: Call, read: (response: Response) => Promise<T>, attempt?: number) => Promise<T>

/** Waits for so many milliseconds, or until the signal is aborted. */
export const pause = (wait: number, signal: AbortSignal | undefined): Promise<void> => new Promise(resolve => {
  const timer = setTimeout(done, wait)
  signal?.addEventListener('abort', done)
  function done () {
    clearTimeout(timer)
    signal?.removeEventListener('abort', done)
    resolve()
  }
})
