import { STATUS_CODES } from 'node:http'
import { type ErrorKind, errorKinds, type DataApiError } from '../errors.ts'
import type { Answer } from './answer.ts'

export interface FailureOptions {
  /** `problem` for RFC 9457 problem details. */
  readonly form: 'plain' | 'problem'
  /** Whether a message and stack of an unexpected error may be told. */
  readonly developerErrors: boolean
}

/** An error on the wire: the only place that knows what one looks like (docs/http.md: Errors). */
export function renderFailure (error: DataApiError, { form, developerErrors }: FailureOptions): Answer {
  const condition: ErrorKind = errorKinds[error.code]
  const { headers = {}, status = condition.status, ...facts } = error.facts
  const developer = developerErrors && error.cause !== undefined ? { developer: describe(error.cause) } : undefined
  if (form === 'problem') {
    // RFC 9457: `status` is the number here, which is why the plain form's word for it is left out.
    const problem = { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail: error.message, error: error.code, ...facts, ...developer }
    return answerWith(status, { ...headers, 'content-type': 'application/problem+json; charset=utf-8' }, problem)
  }
  const body = { ...condition.state && { status: condition.state }, error: error.code, message: error.message, ...facts, ...developer }
  return answerWith(status, { ...headers, 'content-type': 'application/json; charset=utf-8' }, body)
}

const answerWith = (status: number, headers: Readonly<Record<string, string>>, body: object): Answer => ({ status, headers, links: [], body: JSON.stringify(body) })

function describe (cause: unknown): string {
  return cause instanceof Error ? cause.stack ?? cause.message : String(cause)
}
