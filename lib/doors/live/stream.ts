import { Readable } from 'node:stream'
import { heartbeat, retryLine } from './events.ts'

/** The events that one client gets. */
export class EventStream {
  readonly body: Readable
  /** True for a client that was not told something, because it reads slowly: it gets the whole document next. */
  isBehind = false
  private isFull = false

  /** `drained` is called when a client that is behind reads again, and `closed` once no event can be sent any more. */
  constructor (buffer: number, drained: () => void, closed: () => void) {
    this.body = new Readable({
      highWaterMark: buffer,
      read: () => {
        this.isFull = false
        if (this.isBehind) drained()
      }
    })
    this.body.once('close', closed)
  }

  send (event: string): void {
    if (this.isFull) this.isBehind = true
    else this.push(event)
  }

  beat (): void {
    if (!this.isFull) this.push(heartbeat)
  }

  /** Ends the stream with a last event; without one, the client is told when to come back. */
  end (event: string = retryLine()): void {
    if (this.body.destroyed || this.body.readableEnded) return
    this.body.push(event)
    this.body.push(null)
  }

  private push (event: string): void {
    this.isFull = !this.body.push(event)
  }
}
