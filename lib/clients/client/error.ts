/** A mistake in a body. `pointer` is a JSON pointer (RFC 6901), and `line` that of an import. */
export interface Detail { readonly line?: number, readonly pointer: string, readonly message: string }

/** The body of an error of the API (docs/http.md: Errors). */
export interface ErrorFacts {
  readonly [fact: string]: unknown
  readonly error?: string
  readonly details?: readonly Detail[]
  readonly fields?: readonly string[]
  readonly parameter?: string
  readonly position?: number
  readonly suggestion?: string
  readonly candidates?: readonly string[]
  readonly pointer?: string
  readonly line?: number
  readonly collection?: string
  /** The index of the operation of a batch that failed; of no batch, what the caller may not do, such as `update`. */
  readonly operation?: number | string
}

/** Any request that failed, but for one that was aborted, and for a mistake of the caller (TypeError). */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The status of the answer; 0 without an answer. */
  declare readonly status: number
  /**
   * The code of the API's error, such as `validation`. Without one: `network` for no answer or one that broke off,
   * `not_api` for an answer that is not the API's, such as the HTML of a proxy. Its text is the message.
   */
  declare readonly code: string
  /** `unknown` for a write that may have succeeded; otherwise `failed`, and nothing was written. */
  declare outcome: 'failed' | 'unknown'
  /** The body of the API's error; empty without one. */
  declare readonly facts: ErrorFacts
  /** The mistakes in a body; empty for other errors. */
  declare readonly details: readonly Detail[]
  /** The answer, with its headers; its body is read already. Undefined without an answer. */
  declare readonly response: Response | undefined

  constructor (message: unknown, code: string, response?: Response, facts: ErrorFacts = {}, cause?: unknown) {
    super(message as string, { cause })
    const status = response?.status ?? 0
    Object.assign(this, { status, code, outcome: 'failed', response, facts, details: facts.details ?? [] })
  }
}

/** Parses a text of an answer; null for an empty text. Throws an ApiError for an answer that is an error. */
export function readJson (text: string, response: Response): unknown {
  let value: unknown
  try {
    value = JSON.parse(text || 'null')
  } catch {}
  if (response.ok && value !== undefined) return value
  const facts = Object(value) as ErrorFacts
  // Fastify's own errors, as for a URL without a route, have a status code.
  const code = (!facts['statusCode'] && facts.error) || 'not_api'
  throw new ApiError(facts['message'] ?? facts['detail'] ?? text, code, response, facts)
}

/** Returns the error of a request that threw while it was sent or its answer was read. */
export function brokenOff (cause: unknown, response: Response | undefined, signal: AbortSignal | undefined): ApiError {
  signal?.throwIfAborted()
  return cause instanceof ApiError ? cause : new ApiError(cause, 'network', response, {}, cause)
}

/**
 * Returns what OPTIONS told that the API takes. Rejects where that is nothing: a form of several writes that the API
 * does not take is not all or none (docs/clients.md: Errors).
 */
export async function told<T> (allowed: Promise<T | null | undefined>): Promise<T> {
  let error: unknown
  const allow = await allowed.catch((cause: unknown) => { error = cause })
  if (allow) return allow
  // The API has told why.
  if (error instanceof ApiError && !/^n/.test(error.code)) throw error
  const message = 'OPTIONS told no Allow: there is no connection, or @fastify/cors lacks corsOptions'
  throw new ApiError(message, 'network', undefined, {}, error)
}
