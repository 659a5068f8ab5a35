import type { Followed } from '../../core/api/face.ts'
import type { Answer } from '../../core/response/answer.ts'
import { diff, type DiffOperation, type DocumentDigest, documentDigest } from './diff.ts'
import { eventOf } from './events.ts'
import type { EventStream } from './stream.ts'

/** A document as it was read. */
export interface State { readonly body: string, readonly tag: string, readonly live: Followed['live'] }

/** The outcome of a read: a state, the answer that GET gives instead, or undefined where it has failed. */
export type Outcome = State | { readonly end: Answer } | undefined

/** What a document needs of the registration that serves it. */
export interface Scheduling {
  readonly interval: number
  readonly recheck: number
  /** Reads the document, when it is its turn, as the client of the stream asks. */
  read (document: FollowedDocument, stream: EventStream): Promise<Outcome>
  /** Is called after a read that has found no difference. */
  unchanged (): void
  /** Is called when the last stream has closed. */
  closed (): void
}

// In milliseconds. What keeps a server from reading is often over in a second.
const firstPause = 1000

/** A document that some clients follow, with one read for them all. */
export class FollowedDocument implements Followed {
  live: Followed['live']
  private readonly scheduling: Scheduling
  private readonly streams = new Set<EventStream>()
  private shape: DocumentDigest
  private tag: string
  private isDirty = false
  private isReading = false
  private waiting: NodeJS.Timeout | undefined
  private readAt = 0
  /** The timer of a read that no change asks for, and how long it waits after a read that has failed. */
  private again: NodeJS.Timeout | undefined
  private pause = 0

  constructor ({ body, tag, live }: State, scheduling: Scheduling) {
    this.live = live
    this.tag = tag
    this.shape = documentDigest(JSON.parse(body), live.wrapped)
    this.scheduling = scheduling
    this.readAgain(scheduling.recheck)
  }

  /** True until the last stream has closed. */
  get isFollowed (): boolean { return this.streams.size > 0 }

  /** Adds a stream whose client has the document with this tag. */
  add (stream: EventStream, tag: string): void {
    this.streams.add(stream)
    if (tag === this.tag) return
    // Which of the two is newer is not known.
    stream.isBehind = true
    this.mark()
  }

  /** True from a mark until it was read. */
  get isWaiting (): boolean { return this.isReading || this.waiting !== undefined }

  remove (stream: EventStream): void {
    if (!this.streams.delete(stream) || this.streams.size > 0) return
    clearTimeout(this.again)
    clearTimeout(this.waiting)
    this.scheduling.closed()
  }

  /** Has the document read again, because it may have changed. */
  mark (): void {
    this.pause = 0
    this.schedule()
  }

  private readAgain (after: number): void {
    clearTimeout(this.again)
    this.again = setTimeout(() => { this.schedule() }, after).unref()
  }

  /** Has the document read as soon as the interval since the last read is over. */
  private schedule (): void {
    this.isDirty = true
    if (this.isReading || this.waiting !== undefined) return
    const wait = this.readAt + this.scheduling.interval - performance.now()
    this.waiting = setTimeout(() => { this.read() }, Math.max(0, wait)).unref()
  }

  private read (): void {
    const [stream] = this.streams
    if (stream === undefined) return
    this.waiting = undefined
    this.isDirty = false
    this.isReading = true
    this.scheduling.read(this, stream).then(outcome => { this.take(outcome) }, () => { this.take(undefined) })
  }

  private take (outcome: Outcome): void {
    if (!this.isFollowed) return
    const { recheck } = this.scheduling
    this.isReading = false
    this.readAt = performance.now()
    this.pause = outcome === undefined ? Math.min(2 * this.pause || firstPause, recheck) : 0
    this.readAgain(this.pause || recheck)
    if (outcome !== undefined) {
      if ('end' in outcome) this.end(outcome.end)
      else this.tell(outcome)
    }
    if (this.isDirty) this.schedule()
  }

  private tell ({ body, tag, live }: State): void {
    this.live = live
    if (tag === this.tag) this.scheduling.unchanged()
    const patch = tag === this.tag ? undefined : eventOf('patch', JSON.stringify(this.replace(body)), tag)
    this.tag = tag
    for (const stream of this.streams) {
      if (stream.isBehind) {
        stream.isBehind = false
        stream.send(eventOf('snapshot', body, tag))
      } else if (patch !== undefined) stream.send(patch)
    }
  }

  /** Replaces the shape of the document. Returns the operations that make the document from the former one. */
  private replace (body: string): readonly DiffOperation[] {
    const document: unknown = JSON.parse(body)
    const before = this.shape
    this.shape = documentDigest(document, this.live.wrapped)
    return diff(before, this.shape, document)
  }

  private end ({ body }: Answer): void {
    const event = eventOf('end', typeof body === 'string' ? body : 'null')
    for (const stream of [...this.streams]) stream.end(event)
  }
}
