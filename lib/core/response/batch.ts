// The form of answers is this room's, also where one place asks for it.
import type { Answer } from './answer.ts'

/**
 * Returns an operation's part of the answer to a batch, as JSON text: what the request alone would be answered with
 * (docs/http.md: Batches).
 */
export function renderOperation ({ status, headers, etag, body }: Answer): string {
  const head = JSON.stringify({ status, location: headers['location'], etag })
  return typeof body === 'string' ? `${head.slice(0, -1)},"body":${body}}` : head
}
