import type { FastifyInstance, InjectOptions } from 'fastify'

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface AnswerReceived {
  readonly status: number
  /** All headers but `date`. */
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export type SendRequest = (sent: SentRequest) => Promise<AnswerReceived>

/** Returns a function that sends requests to an application without a socket. */
export function sender (app: FastifyInstance): SendRequest {
  return async sent => {
    const response = await app.inject(injected(sent))
    const { date: _date, ...others } = response.headers
    return { status: response.statusCode, headers: others, body: response.body }
  }
}

/** Returns true for a request that changes no collection. Routes of an application may write by any method. */
export const isRead = ({ method, headers }: SentRequest) =>
  ['GET', 'HEAD', 'OPTIONS', 'QUERY'].includes(method) || 'x-http-method-override' in headers

/** The headers of a POST that stands for QUERY. */
export const overriding = { 'content-type': 'application/x-www-form-urlencoded', 'x-http-method-override': 'QUERY' }

/** Returns a request as Fastify takes it. */
export const injected = ({ method, url, headers, body }: SentRequest): InjectOptions => ({
  method: method as NonNullable<InjectOptions['method']>,
  url,
  headers: { ...headers },
  ...body !== undefined && { payload: body }
})
