import type { Readable } from 'node:stream'

/** What a client is told: a status, headers, and a body that is text or flows. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly links: readonly Link[]
  readonly body: string | Readable | undefined
}

/** A link of the `Link` header (RFC 8288). `target` is a URL. */
export interface Link { readonly rel: string, readonly target: string }

const json = 'application/json; charset=utf-8'

/** 200 with JSON text. */
export function ok (body: string, headers: Readonly<Record<string, string>> = {}, links: readonly Link[] = []): Answer {
  return { status: 200, headers: { 'content-type': json, vary: 'Accept', ...headers }, links, body }
}

/** 204: nothing but headers. */
export const noContent = (headers: Readonly<Record<string, string>>): Answer => ({ status: 204, headers, links: [], body: undefined })
