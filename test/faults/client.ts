import { Agent, request as send } from 'node:http'

export interface Request {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The items of an import. */
  readonly lines?: readonly unknown[]
  /** The `Idempotency-Key`. */
  readonly key?: string
}

/** An answer. `status`: 0 where the connection ended without one. `code`: of the error in the body; else empty. */
export interface Reply { readonly status: number, readonly code: string, readonly hasRetryAfter: boolean }

// Longer than anything that a server may wait for by its own limits.
const patience = 60_000

const agent = new Agent({ keepAlive: true })

/** Sends a request once, over a socket. */
export function request (port: number, { method, path, body, lines, key }: Request): Promise<Reply> {
  return new Promise(resolve => {
    const fail = () => { resolve({ status: 0, code: '', hasRetryAfter: false }) }
    const headers = {
      ...body !== undefined && { 'content-type': 'application/json' },
      ...lines !== undefined && { 'content-type': 'application/x-ndjson' },
      ...key !== undefined && { 'idempotency-key': key }
    }
    const sent = send({ agent, host: '127.0.0.1', port, method, path, headers, timeout: patience }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => { text += chunk }).on('error', fail).on('close', fail)
      response.on('end', () => {
        const hasRetryAfter = response.headers['retry-after'] !== undefined
        resolve({ status: response.statusCode ?? 0, code: codeOf(text), hasRetryAfter })
      })
    })
    sent.on('error', fail).on('timeout', () => { sent.destroy() })
    sent.end(lines?.map(line => `${JSON.stringify(line)}\n`).join('') ?? JSON.stringify(body))
  })
}

function codeOf (text: string): string {
  const answered: unknown = text.startsWith('{') ? JSON.parse(text) : undefined
  return typeof answered === 'object' && answered !== null && 'error' in answered ? String(answered.error) : ''
}
