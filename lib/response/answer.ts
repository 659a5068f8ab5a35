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

/** JSON text. */
export const json = (status: number, body: string, headers?: Answer['headers'], links: readonly Link[] = []): Answer =>
  ({ status, headers: headers === undefined ? common : { ...common, ...headers }, links, body })

export const ok = (body: string, headers?: Answer['headers'], links?: readonly Link[]): Answer => json(200, body, headers, links)

/** Nothing but headers. */
export const empty = (status: 201 | 204, headers: Answer['headers']): Answer => ({ status, headers, links: [], body: undefined })
