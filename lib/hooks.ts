import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type DataApiError, malformedUrl } from './errors.ts'
import { isErrorStatus, toDataApiError } from './failures.ts'
import type { Options } from './options.ts'
import { takesProblem } from './plan/media.ts'
import { isAnswered, type Replies } from './replies.ts'
import type { Answer } from './response/answer.ts'
import { renderFailure } from './response/failure.ts'
import { safeMethods } from './routes.ts'
import { failedStatement } from './sources/statement-events.ts'

/** Answers every error that is thrown in this scope. Changes nothing outside the scope. */
export function addHooks (scope: FastifyInstance, options: Options, replies: Replies): void {
  scope.setErrorHandler((thrown, request, reply) => {
    const status = !isAnswered(reply) && isErrorStatus(reply.statusCode) ? reply.statusCode : undefined
    const error = toDataApiError(thrown, { writing: !safeMethods.includes(request.method), status })
    replies.fail(request, reply, answerFailure(error, request, options))
  })
}

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

function answerFailure (error: DataApiError, request: FastifyRequest, { responseContent }: Options): Answer {
  logFailure(error, request)
  const form = takesProblem(request.headers.accept) ? 'problem' : responseContent.errors
  return renderFailure(error, { form, developerErrors: responseContent.developerErrors })
}

/** Logs an error that the client cannot explain: a fault of the server, and a refusal that names no field. */
function logFailure (error: DataApiError, { dataApi: { collection, kind } = unknown, log }: FastifyRequest): void {
  const isFault = error.statusCode >= 500
  if (!isFault && !isUnexplained(error)) return
  const facts = { err: error.cause ?? error, collection, kind }
  if (isFault) log.error(facts, error.message)
  else log.info(facts, error.message)
  const statement = failedStatement(error)
  if (statement !== undefined) log.debug({ collection, kind, statement }, 'the statement that failed')
}

const unknown = { collection: undefined, kind: undefined }

const isUnexplained = ({ code, facts: { fields }, cause }: DataApiError) =>
  fields?.length === 0 && cause !== undefined && (code === 'constraint' || code === 'duplicate' || code === 'reference')
