import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  contentTooLarge, DataApiError, errorKinds, internal, malformedBody, malformedUrl, rejected, unsupportedMediaType
} from './errors.ts'
import type { Api } from './answer.ts'
import type { Options } from './options.ts'
import { takesProblem } from './plan/media.ts'
import { bodyTypes } from './request/body.ts'
import { parsePath } from './request/path.ts'
import type { Answer } from './response/answer.ts'
import { renderFailure } from './response/failure.ts'

/**
 * Turns every Answer sent in this scope, and every error thrown in it, into a reply. Changes nothing outside the scope.
 */
export function addHooks (scope: FastifyInstance, { options, callers }: Pick<Api, 'options' | 'callers'>): void {
  const rootLength = scope.prefix.split('/').filter(segment => segment !== '').length
  const personal = (request: FastifyRequest, reply: FastifyReply) => {
    if (!callers.guarded || !callers.differ(rootName(request, rootLength))) return
    addCallerHeaders(reply, options.responseContent.callerHeaders)
  }
  scope.addHook('preSerialization', (request, reply, payload, done) => {
    personal(request, reply)
    done(null, writeAnswer(reply, payload as Answer))
  })
  scope.setErrorHandler((error, request, reply) => {
    personal(request, reply)
    reply.send(answerFailure(toDataApiError(error), request, options))
  })
}

/**
 * A handler for `Fastify({ frameworkErrors })` that answers a broken path in the form of this plugin's errors.
 * Fastify's router refuses such a path before it reaches any plugin (docs/http.md: Errors).
 */
export function frameworkErrors (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const failure = error.code === 'FST_ERR_BAD_URL'
    ? malformedUrl('The path of the URL is not valid percent-encoded UTF-8.')
    : toDataApiError(error)
  const form = takesProblem(request.headers.accept) ? 'problem' : 'plain'
  const { status, headers, body } = renderFailure(failure, { form, developerErrors: false })
  reply.code(status).headers(headers).send(body)
}

/** Writes the status, headers and links of an answer to the reply, and returns the payload. */
function writeAnswer (reply: FastifyReply, { status, headers, links, body, etag }: Answer): Answer['body'] {
  reply.code(status).serializer(asIs)
  for (const [name, value] of Object.entries(headers)) {
    reply.header(name, name === 'vary' ? joinVary(reply.getHeader(name), value) : value)
  }
  if (etag !== undefined) reply.header('etag', etag)
  if (links.length > 0) reply.header('link', links.map(({ rel, target }) => `<${target}>; rel="${rel}"`).join(', '))
  // Fastify has set the content type of JSON, because an Answer is an object.
  if (body === undefined) reply.removeHeader('content-type')
  return body ?? ''
}

/**
 * Tells caches that the answer depends on the caller (docs/http.md: Rules). A `Cache-Control` of the application stays
 * as it is.
 */
function addCallerHeaders (reply: FastifyReply, callerHeaders: readonly string[]): void {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private')
  const vary = [reply.getHeader('vary') ?? []].flat().join(', ')
  if (!vary.includes(callerHeaders.join(', '))) reply.header('vary', joinVary(vary, callerHeaders.join(', ')))
}

/** The name of the collection at the start of a request's path; undefined for a path that cannot be parsed. */
function rootName (request: FastifyRequest, rootLength: number): string | undefined {
  try {
    return parsePath(request.raw.url ?? '/').segments.filter(segment => segment !== '')[rootLength]
  } catch {
    // Such a path is refused for every caller alike.
    return undefined
  }
}

/** Adds to the `Vary` that a hook of the application, such as @fastify/cors, has already set. */
function joinVary (current: unknown, vary: string): string {
  if (current === undefined) return vary
  const names = [current].flat().join(', ')
  return names === '' ? vary : `${names}, ${vary}`
}

// The body is text already.
const asIs = (body: string) => body

function answerFailure (error: DataApiError, request: FastifyRequest, { responseContent }: Options): Answer {
  if (errorKinds[error.code].status >= 500) request.log.error({ err: error.cause ?? error }, error.message)
  const form = takesProblem(request.headers.accept) ? 'problem' : responseContent.errors
  return renderFailure(error, { form, developerErrors: responseContent.developerErrors })
}

/** Converts errors of Fastify and of the host's hooks (docs/http.md: Errors). */
function toDataApiError (error: unknown): DataApiError {
  if (error instanceof DataApiError) return error
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE': return contentTooLarge('The body is larger than this API accepts.', error)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': return unsupportedMediaType(...bodyTypes)
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return malformedBody("The length of the body differs from its 'Content-Length'.", error)
    default: return refusedByHost(error) ?? internal(error)
  }
}

const codeOf = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined

/**
 * The error for a 4xx that a hook of the application threw, as @fastify/jwt and @fastify/rate-limit do: its status and
 * message are meant for the client. Undefined for any other error.
 */
function refusedByHost (error: unknown): DataApiError | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined
  const { statusCode, message } = error
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode >= 500) return undefined
  return rejected(statusCode, message, error)
}
