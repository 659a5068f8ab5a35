import { STATUS_CODES } from 'node:http'
import { type ErrorKind, errorKinds, DataApiError } from '../errors/errors.ts'
import type { Answer } from './answer.ts'

interface FailureOptions {
  /** `problem` for RFC 9457 problem details. */
  readonly form: 'plain' | 'problem'
  /** True adds the message and stack of the error's cause to the answer. */
  readonly developerErrors: boolean
  /** True tells the words of a trigger that refused the write. */
  readonly raised: boolean
}

/** Returns the answer to a failed request (docs/http.md: Errors). No other function defines the form of errors. */
export function renderFailure (given: DataApiError, options: FailureOptions): Answer {
  const { form, developerErrors } = options
  const error = options.raised ? withRaised(given) : given
  const condition: ErrorKind = errorKinds[error.code]
  const { headers = {}, status = condition.status, raised: _, ...facts } = error.facts
  const details = { ...facts, ...developerErrors && error.cause !== undefined && { developer: describe(error.cause) } }
  if (form === 'problem') {
    const title = STATUS_CODES[status] ?? 'Error'
    // In RFC 9457 `status` is the number, so the word that the plain form has under this name is left out.
    const problem = { type: 'about:blank', title, status, detail: error.message, error: error.code, ...details }
    return answerWith(status, { ...headers, 'content-type': 'application/problem+json; charset=utf-8' }, problem)
  }
  const state = condition.state && { status: condition.state }
  const body = { ...state, error: error.code, message: error.message, ...details }
  return answerWith(status, { ...headers, 'content-type': 'application/json; charset=utf-8' }, body)
}

/** Returns an error that tells the words of a trigger, as far as they are not too long, in place of ours. */
function withRaised (error: DataApiError): DataApiError {
  const { facts: { raised = '', fields: _, ...facts }, cause } = error
  if (raised === '') return error
  const words = raised.slice(0, mostRaised).replace(/[\uD800-\uDBFF]$/, '')
  return new DataApiError('rejected', words, { ...facts, cause })
}

// In characters.
const mostRaised = 500

const answerWith = (status: number, headers: Readonly<Record<string, string>>, body: object): Answer =>
  ({ status, headers: { ...headers, vary: 'Accept' }, links: [], body: JSON.stringify(body) })

function describe (cause: unknown): string {
  return cause instanceof Error ? cause.stack ?? cause.message : String(cause)
}
