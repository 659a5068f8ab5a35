import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { malformedUrl } from '../errors/errors.ts'
import { toDataApiError } from './failures.ts'
import { takesProblem } from '../plan/media.ts'
import { renderFailure } from '../response/failure.ts'

/**
 * A handler for `Fastify({ frameworkErrors })` that answers a broken path in the form of this plugin's errors.
 * Fastify's router refuses such a path before it reaches any plugin (docs/http.md: Errors).
 */
export function frameworkErrors (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const failure = error.code === 'FST_ERR_BAD_URL'
    ? malformedUrl('The path of the URL is not valid percent-encoded UTF-8.')
    : toDataApiError(error, { writing: false, status: undefined })
  const form = takesProblem(request.headers.accept) ? 'problem' : 'plain'
  const { status, headers, body } = renderFailure(failure, { form, developerErrors: false })
  reply.code(status).headers(headers).send(body)
}
