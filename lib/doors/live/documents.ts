import { AsyncResource } from 'node:async_hooks'
import { Readable } from 'node:stream'
import type { Face, Who } from '../../core/api/face.ts'
import type { LiveLimits } from '../../core/api/options.ts'
import { answerTooLarge, unavailable } from '../../core/errors/errors.ts'
import { mediaTypes } from '../../core/plan/media.ts'
import type { Answer } from '../../core/response/answer.ts'
import { batching } from '../../core/scheduling/batching.ts'
import { FollowedDocument, type Outcome, type Scheduling, type State } from './document.ts'
import { eventOf, retryLine } from './events.ts'
import { EventStream } from './stream.ts'

/** A request to follow a document. `began`: the position before it was read. */
export interface LiveRequest extends Pick<Who, 'request' | 'text'> { readonly began: number }

interface Follower extends LiveRequest {
  readonly document: FollowedDocument
  /** The asynchronous context of the request, in which its document is read. */
  readonly resource: AsyncResource
  readonly endsAt: number
}

/** Returns the answer for what was thrown, and logs what the client cannot explain. */
type Fail = (thrown: unknown, request: Who['request']) => Answer

/** Numbers of the live documents of one registration, for metrics (docs/running.md: Operations). */
export interface LiveNumbers {
  /** The streams that are open. */
  readonly streams: number
  /** Those of them whose clients read too slowly. */
  readonly behind: number
  /** The documents that changes may concern and that are not read yet. */
  readonly waiting: number
  /** The reads since the start, besides those that streams begin with. */
  readonly reads: number
  /** Those of them that have found no difference. */
  readonly unchanged: number
}

/** The documents of one registration that clients follow (docs/live.md). */
export class LiveDocuments {
  private readonly face: Face
  private readonly limits: LiveLimits
  private readonly fail: Fail
  private readonly followers = new Map<EventStream, Follower>()
  /** The documents that are the same for everybody, by the text of their request. */
  private readonly shared = new Map<string, FollowedDocument>()
  private readonly inTurn = makeTurns(readsAtOnce)
  private beating: NodeJS.Timeout | undefined
  private isClosing = false
  private reads = 0
  private unchanged = 0

  constructor (face: Face, limits: LiveLimits, fail: Fail) {
    this.face = face
    this.limits = limits
    this.fail = fail
  }

  /** The position of the changes that were told until now. */
  get position (): number { return this.face.position() }

  numbers (): LiveNumbers {
    const streams = [...this.followers.keys()]
    const behind = streams.filter(({ isBehind }) => isBehind).length
    const documents = new Set([...this.followers.values()].map(({ document }) => document))
    const waiting = [...documents].filter(({ isWaiting }) => isWaiting).length
    return { streams: streams.length, behind, waiting, reads: this.reads, unchanged: this.unchanged }
  }

  /**
   * Returns the stream that begins with the answer of GET. Throws answer_too_large, and `unavailable` if too many are
   * open.
   */
  open (asked: LiveRequest, made: Answer): Answer {
    const state = this.stateOf(made)
    if (asked.text.method === 'HEAD' || state === undefined) return streamed(made, Readable.from([]))
    const { max, buffer } = this.limits
    if (this.followers.size >= max) throw unavailable(new Error(`${max} streams are open, the limit 'live.max'`))
    const document = this.documentOf(asked, state)
    const stream = new EventStream(buffer, () => { document.mark() }, () => { this.remove(stream, document) })
    stream.send(retryLine())
    if (asked.request.headers['last-event-id'] !== state.tag) stream.send(eventOf('snapshot', state.body, state.tag))
    // A connection that is gone no longer tells it.
    const origin = asked.text.origin()
    this.add(stream, { ...asked, text: { ...asked.text, origin: () => origin }, document }, state.tag)
    if (this.face.hasChanged(state.live, asked.began)) document.mark()
    if (this.isClosing) stream.end()
    return streamed(made, stream.body)
  }

  /** Ends all streams. Their clients connect again later. */
  close (): void {
    this.isClosing = true
    for (const stream of [...this.followers.keys()]) stream.end()
  }

  private add (stream: EventStream, asked: LiveRequest & Pick<Follower, 'document'>, tag: string): void {
    const { heartbeat, lifetime } = this.limits
    const resource = new AsyncResource('DataApiLive')
    this.followers.set(stream, { ...asked, resource, endsAt: performance.now() + lifetime })
    asked.document.add(stream, tag)
    this.beating ??= setInterval(() => { this.beat() }, heartbeat).unref()
  }

  private remove (stream: EventStream, document: FollowedDocument): void {
    this.followers.delete(stream)
    document.remove(stream)
    if (this.followers.size > 0) return
    clearInterval(this.beating)
    this.beating = undefined
  }

  private beat (): void {
    const now = performance.now()
    for (const [stream, { endsAt }] of this.followers) {
      if (now < endsAt) stream.beat()
      else stream.end()
    }
  }

  private documentOf ({ text }: LiveRequest, state: State): FollowedDocument {
    if (!state.live.shared) return this.begin(state, () => {})
    const { method, url, prefer, body, accept, origin } = text
    const key = JSON.stringify([method, url, prefer, origin(), body.bytes?.toString(), accept])
    const known = this.shared.get(key)
    if (known !== undefined) return known
    const document = this.begin(state, () => { this.shared.delete(key) })
    this.shared.set(key, document)
    return document
  }

  private begin (state: State, forget: () => void): FollowedDocument {
    const { interval, recheck } = this.limits
    const scheduling: Scheduling = {
      interval,
      recheck,
      read: (document, stream) => this.read(document, stream),
      unchanged: () => { this.unchanged++ },
      closed () {
        forget()
        stop()
      }
    }
    const document = new FollowedDocument(state, scheduling)
    const stop = this.face.watch(document)
    return document
  }

  private async read (document: FollowedDocument, stream: EventStream): Promise<Outcome> {
    const follower = this.followers.get(stream)
    if (follower === undefined) return undefined
    const { text, request, resource } = follower
    // Others may follow the document, or come to it meanwhile, when the client that it is read for has left.
    const isAbandoned = () => !document.isFollowed
    this.reads++
    try {
      // A request of its own for each read: what the application keeps for one is as old as it.
      const own = () => Object.create(request) as typeof request
      const read = () => this.face.as({ request: own(), text, isAbandoned }).answer()
      return this.stateOf(await this.inTurn(() => batching.step(read, resource)))
    } catch (thrown) {
      if (isAbandoned()) return undefined
      const failure = this.fail(thrown, request)
      // The document is still there, whatever keeps the server from reading it.
      return failure.status >= 500 ? undefined : { end: failure }
    }
  }

  private stateOf ({ body, etag, live }: Answer): State | undefined {
    if (typeof body !== 'string' || etag === undefined || live === undefined) return undefined
    const { longest } = this.limits
    if (body.length > longest) throw answerTooLarge(longest, undefined, 'live.longest')
    return { body, tag: etag, live }
  }
}

// As many as the connections of a pool, less those that other requests need.
const readsAtOnce = 8

/** Returns the answer of GET as a stream of events. What its headers say of one state is not said of all. */
function streamed ({ headers, personal }: Answer, body: Readable): Answer {
  const { vary = 'Accept', 'preference-applied': applied } = headers
  return {
    status: 200,
    headers: {
      vary,
      ...applied !== undefined && { 'preference-applied': applied },
      'content-type': `${mediaTypes.events}; charset=utf-8`,
      'cache-control': 'no-store',
      // nginx would hold back what it reads.
      'x-accel-buffering': 'no'
    },
    links: [],
    body,
    ...personal === true && { personal }
  }
}

/** Runs work when it is its turn. */
type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Returns a function that runs at most so many works at once, in the order in which they are given. */
function makeTurns (most: number): InTurn {
  const waiting: Array<() => void> = []
  let running = 0
  return async work => {
    if (running < most) running++
    else await new Promise<void>(resolve => { waiting.push(resolve) })
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
