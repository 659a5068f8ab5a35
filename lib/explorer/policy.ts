import { createHash } from 'node:crypto'
import { script } from './script.ts'
import { style } from './style.ts'

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

// Hashes, no nonces: style and script are constants, so a page can be kept as it is.
const contentPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join('; ')

/** The headers of every page. They replace those that the application sets, as with @fastify/helmet. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentPolicy,
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
  // With `no-referrer` a browser would send `Origin: null` with the forms of these pages.
  'referrer-policy': 'same-origin'
}
