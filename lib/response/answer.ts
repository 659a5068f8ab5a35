import type { Readable } from 'node:stream'

/** What a client is told: a status, headers, and a body that is text or flows. Without a body there is no content type, whatever the headers say. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly links: readonly Link[]
  readonly body: string | Readable | undefined
  readonly etag?: string
}

/** A link of the `Link` header (RFC 8288). `target` is a URL. */
export interface Link { readonly rel: string, readonly target: string }

const common = { 'content-type': 'application/json; charset=utf-8', vary: 'Accept' }

/** 200 with JSON text. */
export function ok (body: string, headers?: Readonly<Record<string, string>>, links: readonly Link[] = []): Answer {
  return { status: 200, headers: headers === undefined ? common : { ...common, ...headers }, links, body }
}

/** 204: nothing but headers. */
export const noContent = (headers: Readonly<Record<string, string>>): Answer => ({ status: 204, headers, links: [], body: undefined })
