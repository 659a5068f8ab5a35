import { STATUS_CODES } from 'node:http'
import { type ErrorKind, errorKinds, type DataApiError } from '../errors/errors.ts'
import type { Answer } from './answer.ts'

interface FailureOptions {
  /** `problem` for RFC 9457 problem details. */
  readonly form: 'plain' | 'problem'
  /** True adds the message and stack of the error's cause to the answer. */
  readonly developerErrors: boolean
}

/** Returns the answer to a failed request (docs/http.md: Errors). No other function defines the form of errors. */
export function renderFailure (error: DataApiError, { form, developerErrors }: FailureOptions): Answer {
  const condition: ErrorKind = errorKinds[error.code]
  const { headers = {}, status = condition.status, ...facts } = error.facts
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

const answerWith = (status: number, headers: Readonly<Record<string, string>>, body: object): Answer =>
  ({ status, headers: { ...headers, vary: 'Accept' }, links: [], body: JSON.stringify(body) })

function describe (cause: unknown): string {
  return cause instanceof Error ? cause.stack ?? cause.message : String(cause)
}
