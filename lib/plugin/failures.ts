import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES } from 'node:http'
import {
  contentTooLarge, DataApiError, internal, malformedBody, malformedUrl, timedOut, unsupportedMediaType
} from '../core/errors/errors.ts'
import { atOperation, operationOf } from '../core/errors/operation.ts'
import { rejected } from '../core/errors/rejections.ts'
import { takesProblem } from '../core/plan/media.ts'
import { jsonType } from '../core/request/body.ts'
import { renderFailure } from '../core/response/failure.ts'

/** The state of a request when its error was thrown. */
interface Failed {
  /** True if the request may have written when Fastify ended it. */
  readonly writing: boolean
  /** The status that the application had set on the reply; undefined if it had set none, or no status of an error. */
  readonly status: number | undefined
}

/**
 * Returns the error that a client sees for whatever was thrown: by this plugin, by Fastify, or by a hook of the
 * application (docs/http.md: Errors).
 */
export function toDataApiError (thrown: unknown, failed: Failed): DataApiError {
  if (thrown instanceof DataApiError) return thrown
  const operation = operationOf(thrown)
  const error = convert(thrown, failed)
  return operation === undefined ? error : atOperation(error, operation)
}

function convert (thrown: unknown, { writing, status }: Failed): DataApiError {
  switch (codeOf(thrown)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE': return contentTooLarge('The body is larger than this API accepts.', thrown)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE': return unsupportedMediaType([jsonType])
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return malformedBody("The length of the body differs from its 'Content-Length'.", thrown)
    case 'FST_ERR_HANDLER_TIMEOUT': return writing ? timedOut(thrown) : refused(thrown, 503)
    default: return refused(thrown, statusOf(thrown) ?? status)
  }
}

const codeOf = (thrown: unknown) => isObject(thrown) && 'code' in thrown ? thrown.code : undefined

/** Returns the status of an error, which has one of the two names that Fastify reads too. */
function statusOf (thrown: unknown): number | undefined {
  if (!isObject(thrown)) return undefined
  return [thrown.statusCode, thrown.status].filter(one => typeof one === 'number').find(isErrorStatus)
}

/** Returns true for a status of an error, 400 to 599. */
export const isErrorStatus = (status: number): boolean => status >= 400 && status <= 599

/**
 * Returns the error for a status that the application chose: its message is meant for the client. A 500 is not chosen,
 * and its message may tell of the server's insides.
 */
function refused (thrown: unknown, status: number | undefined): DataApiError {
  if (status === undefined || status === 500) return internal(thrown)
  return rejected(status, messageOf(thrown) ?? STATUS_CODES[status] ?? 'Error', thrown)
}

function messageOf (thrown: unknown): string | undefined {
  if (typeof thrown === 'string') return thrown
  return isObject(thrown) && typeof thrown.message === 'string' && thrown.message !== '' ? thrown.message : undefined
}

interface Thrown { readonly statusCode?: unknown, readonly status?: unknown, readonly message?: unknown }

const isObject = (thrown: unknown): thrown is Thrown => typeof thrown === 'object' && thrown !== null

/**
 * A handler for `Fastify({ frameworkErrors })` that answers a broken path in the form of this plugin's errors.
 * Fastify's router refuses such a path before it reaches any plugin (docs/http.md: Errors).
 */
export function frameworkErrors (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const failure = error.code === 'FST_ERR_BAD_URL'
    ? malformedUrl('The path of the URL is not valid percent-encoded UTF-8.')
    : toDataApiError(error, { writing: false, status: undefined })
  const form = takesProblem(request.headers.accept) ? 'problem' : 'plain'
  const { status, headers, body } = renderFailure(failure, { form, raised: false, developerErrors: false })
  reply.code(status).headers(headers).send(body)
}
