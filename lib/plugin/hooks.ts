import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DataApiError } from '../errors/errors.ts'
import { isErrorStatus, toDataApiError } from './failures.ts'
import { logError } from '../errors/log-error.ts'
import type { Options } from '../api/options.ts'
import type { Pages } from './pages-route.ts'
import { takesProblem } from '../plan/media.ts'
import { isAnswered, type Replies } from './replies.ts'
import type { Answer } from '../response/answer.ts'
import { renderFailure } from '../response/failure.ts'
import { safeMethods } from './routes.ts'
import { failedStatement } from '../sources/statement-events.ts'

/** Answers every error that is thrown in this scope. Changes nothing outside the scope. */
export function addHooks (
  scope: FastifyInstance, options: Options, replies: Replies, pages: Pages | undefined
): void {
  scope.setErrorHandler((thrown, request, reply) => {
    const status = !isAnswered(reply) && isErrorStatus(reply.statusCode) ? reply.statusCode : undefined
    const error = toDataApiError(thrown, { writing: !safeMethods.includes(request.method), status })
    const failure = answerFailure(error, request, options)
    replies.fail(reply, pages === undefined ? failure : pages.fail(request, failure))
  })
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
  if (isFault) logError(log, facts, error.message)
  else log.info(facts, error.message)
  const statement = failedStatement(error)
  if (statement !== undefined) log.debug({ collection, kind, statement }, 'the statement that failed')
}

const unknown = { collection: undefined, kind: undefined }

const isUnexplained = ({ code, facts: { fields }, cause }: DataApiError) =>
  fields?.length === 0 && cause !== undefined && (code === 'constraint' || code === 'duplicate' || code === 'reference')
