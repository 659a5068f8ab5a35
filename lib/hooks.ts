import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorKinds, contentTooLarge, DataApiError, internal, malformedBody, malformedUrl, rejected, unsupportedMediaType } from './errors.ts'
import type { Api } from './answer.ts'
import type { Options } from './options.ts'
import { takesProblem } from './plan/media.ts'
import { bodyTypes } from './request/body.ts'
import { parsePath } from './request/path.ts'
import type { Answer } from './response/answer.ts'
import { renderFailure } from './response/failure.ts'

/** Makes every Answer sent in this scope, and every error thrown in it, into a reply. Nothing outside the scope is changed. */
export function addHooks (scope: FastifyInstance, { options, callers }: Pick<Api, 'options' | 'callers'>): void {
  const rootLength = scope.prefix.split('/').filter(segment => segment !== '').length
  const personal = (request: FastifyRequest, reply: FastifyReply) => {
    if (callers.guarded && callers.differ(rootName(request, rootLength))) sayPersonal(reply, options.responseContent.callerHeaders)
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
 * For the option of that name of `Fastify({ frameworkErrors })`: answers a broken path in the shape of our errors. Fastify's router refuses such a
 * path before it knows whose it is, so that no plugin can (docs/http.md: Errors).
 */
export function frameworkErrors (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const failure = error.code === 'FST_ERR_BAD_URL' ? malformedUrl('The path of the URL is not valid percent-encoded UTF-8.') : toDataApiError(error)
  const { status, headers, body } = renderFailure(failure, { form: takesProblem(request.headers.accept) ? 'problem' : 'plain', developerErrors: false })
  reply.code(status).headers(headers).send(body)
}

/** Status, headers and links of an answer go to the reply; what remains is the payload. */
function writeAnswer (reply: FastifyReply, { status, headers, links, body, etag }: Answer): Answer['body'] {
  reply.code(status).serializer(asIs)
  for (const [name, value] of Object.entries(headers)) reply.header(name, name === 'vary' ? alsoVary(reply.getHeader(name), value) : value)
  if (etag !== undefined) reply.header('etag', etag)
  if (links.length > 0) reply.header('link', links.map(({ rel, target }) => `<${target}>; rel="${rel}"`).join(', '))
  // Fastify takes any object, which an Answer is, for JSON.
  if (body === undefined) reply.removeHeader('content-type')
  return body ?? ''
}

/** What caches must know of an answer that depends on who asks (docs/http.md: Rules), unless the application has said something else of them. */
function sayPersonal (reply: FastifyReply, callerHeaders: readonly string[]): void {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private')
  const said = [reply.getHeader('vary') ?? []].flat().join(', ')
  if (!said.includes(callerHeaders.join(', '))) reply.header('vary', alsoVary(said, callerHeaders.join(', ')))
}

/** The collection's name that a request's path begins with. */
function rootName (request: FastifyRequest, rootLength: number): string | undefined {
  try {
    return parsePath(request.raw.url ?? '/').segments.filter(segment => segment !== '')[rootLength]
  } catch {
    // What cannot be read is refused for everybody alike.
    return undefined
  }
}

/** Adds to what a hook of the application, such as @fastify/cors, has already said. */
function alsoVary (said: unknown, vary: string): string {
  if (said === undefined) return vary
  const names = [said].flat().join(', ')
  return names === '' ? vary : `${names}, ${vary}`
}

// The body is text already.
const asIs = (body: string) => body

function answerFailure (error: DataApiError, request: FastifyRequest, { responseContent }: Options): Answer {
  if (errorKinds[error.code].status >= 500) request.log.error({ err: error.cause ?? error }, error.message)
  const form = takesProblem(request.headers.accept) ? 'problem' : responseContent.errors
  return renderFailure(error, { form, developerErrors: responseContent.developerErrors })
}

/** Fastify's own errors, and those of the host's hooks, in the shape of ours (docs/http.md: Errors). */
function toDataApiError (error: unknown): DataApiError {
  if (error instanceof DataApiError) return error
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE': return contentTooLarge('The body is larger than this API accepts.', error)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': return unsupportedMediaType(...bodyTypes)
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH': return malformedBody("The length of the body differs from its 'Content-Length'.", error)
    default: return refusedByHost(error) ?? internal(error)
  }
}

const codeOf = (error: unknown) => typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined

/** A 4xx that a hook of the application threw, as @fastify/jwt and @fastify/rate-limit do: its status and message are meant for the client. */
function refusedByHost (error: unknown): DataApiError | undefined {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return undefined
  return error.statusCode >= 400 && error.statusCode < 500 ? rejected(error.statusCode, error.message, error) : undefined
}
