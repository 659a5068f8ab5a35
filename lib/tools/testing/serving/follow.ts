import type { FastifyInstance } from 'fastify'
import { text } from 'node:stream/consumers'
import { eventFields, type PatchOperation, patched } from '../../../clients/client/follow.ts'
import { injected, type SentRequest } from './send.ts'

/** An event as it was sent. */
interface SentEvent { readonly event: string, readonly data: unknown, readonly id: string | undefined }

/** A client that follows a document (docs/live.md). */
export interface Follower {
  readonly status: number
  /** All headers but `date`. */
  readonly headers: Readonly<Record<string, unknown>>
  readonly events: readonly SentEvent[]
  readonly isStream: boolean
  /** The body of an answer that is no stream. */
  readonly body: string
  /** The document as it was patched, and its tag. */
  readonly state: { readonly document: unknown, readonly tag: string | undefined }
  leave (): void
}

/** Opens the stream of a document, without a socket. */
export type Follow = (sent: SentRequest) => Promise<Follower>

export const follower = (app: FastifyInstance): Follow => async sent => {
  const leaving = new AbortController()
  const headers = { ...sent.headers, accept: 'text/event-stream' }
  const asked = injected({ ...sent, headers })
  const response = await app.inject({ ...asked, payloadAsStream: true, signal: leaving.signal })
  const { date: _date, ...others } = response.headers
  const stream = response.stream()
  const isStream = String(others['content-type']).startsWith('text/event-stream')
  const events: SentEvent[] = []
  const one = {
    status: response.statusCode,
    headers: others,
    events,
    isStream,
    body: isStream ? '' : await text(stream),
    state: { document: undefined as unknown, tag: undefined as string | undefined },
    leave () { leaving.abort() }
  }
  if (!isStream) return one
  let rest = ''
  stream.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n\n')
    rest = parts.pop() ?? ''
    for (const event of parts.flatMap(readEvent)) {
      events.push(event)
      one.state = stateAfter(one.state, event)
    }
  })
  stream.on('error', () => {})
  return one
}

function readEvent (part: string): readonly SentEvent[] {
  const { event, data = 'null', id } = eventFields(part)
  return event === undefined ? [] : [{ event, data: JSON.parse(data) as unknown, id }]
}

function stateAfter ({ document, tag }: Follower['state'], { event, data, id = tag }: SentEvent): Follower['state'] {
  if (event === 'snapshot') return { document: data, tag: id }
  const operations = event === 'patch' ? data as readonly PatchOperation[] : []
  return { document: operations.reduce(patched, document), tag: id }
}
