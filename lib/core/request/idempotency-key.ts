// The texts of requests are this room's to read, also where one place asks for it.
import { invalidIdempotencyKey } from '../errors/idempotency.ts'

/**
 * Parses the header `Idempotency-Key` (docs/http.md: Idempotency keys): 1 to 255 printable characters without spaces,
 * between the quotes of a structured string (RFC 9651, 3.3.3) or without. Throws invalid_idempotency_key for another
 * text, as two headers are.
 */
export function parseIdempotencyKey (header: string): string {
  // trim() would remove more than the white space of HTTP (RFC 9110, 5.6.3).
  const text = header.replaceAll(/^[ \t]+|[ \t]+$/g, '')
  const [, quoted] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text) ?? []
  const key = quoted === undefined ? text : quoted.replaceAll(/\\(.)/g, '$1')
  const isBare = quoted === undefined && /[",]/.test(key)
  if (/^[!-~]{1,255}$/.test(key) && !isBare) return key
  throw invalidIdempotencyKey("'Idempotency-Key' must be one text of 1 to 255 printable characters without spaces.")
}
