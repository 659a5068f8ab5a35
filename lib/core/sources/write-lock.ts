import { unavailable } from '../errors/errors.ts'
import { type OpenSession, writeInside } from './transaction-limit.ts'
import { WorkContext } from './work-context.ts'

type Work<T> = (hold: Hold) => T | Promise<T>

/** The lock as the work of its holder sees it. */
export interface Hold {
  /** The time that the work may still wait for something else, such as the lock of another process, in milliseconds. */
  remaining: number
  /** Returns the reason why the lock is not free, for the log message of a write that was not granted it in time. */
  holder: () => string
}

interface Holder extends Hold { over: boolean }

interface Waiter { readonly hold: Holder, grant (): void }

/**
 * The lock of a database that has one transaction at a time and cannot hide what it has not yet committed. It is
 * granted in the order of arrival.
 */
export class WriteLock {
  private readonly timeout: number
  private readonly inside = new WorkContext<Holder>()
  private readonly waiting = new Set<Waiter>()
  private holder: Holder | undefined

  /** `timeout`: how long a write waits in all, in milliseconds: for the lock and then within its work. */
  constructor (timeout: number) {
    this.timeout = timeout
  }

  /** Returns true inside of the work of the holder. */
  isInside (): boolean {
    return this.holder !== undefined && this.inside.get()?.over === false
  }

  /**
   * Runs the work while it holds the lock. Rejects with `unavailable` if the lock is not granted in time, and with a
   * TypeError inside the work of the holder, which would wait for itself.
   */
  async runExclusive<T> (work: Work<T>): Promise<T> {
    if (this.isInside()) throw writeInside()
    const hold = this.makeHold()
    if (this.holder === undefined) this.holder = hold
    else hold.remaining = await this.granted(hold)
    try {
      return await this.inside.run(hold, () => work(hold))
    } finally {
      this.release(hold)
    }
  }

  /**
   * Runs work that calls no code of the application: at once if the lock is free, otherwise as `runExclusive` does.
   */
  runShort<T> (work: Work<T>): T | Promise<T> {
    if (this.holder !== undefined) return this.runExclusive(work)
    const hold = this.makeHold()
    // No other write can begin during synchronous work, so it needs no lock.
    const done = work(hold)
    if (!(done instanceof Promise)) return done
    this.holder = hold
    return done.finally(() => { this.release(hold) })
  }

  /**
   * Reads at once if the lock is free, and inside the work of its holder; otherwise runs `fallback`, or waits for the
   * lock.
   */
  runShared<T> (read: () => T | Promise<T>, fallback?: () => T | Promise<T>): T | Promise<T> {
    if (this.holder === undefined || this.isInside()) return read()
    return fallback === undefined ? this.runExclusive(read) : fallback()
  }

  private makeHold (): Holder {
    return { remaining: this.timeout, holder: anotherWrite, over: false }
  }

  /** Waits until the lock is granted. Returns the milliseconds that remain of the timeout. */
  private granted (hold: Holder): Promise<number> {
    const arrived = performance.now()
    const waited = () => performance.now() - arrived
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(waiter)
        const wait = `waited ${Math.round(waited())} ms for the write lock`
        reject(unavailable(new Error(`${wait}: ${this.holder?.holder() ?? anotherWrite()}`)))
      }, this.timeout)
      const waiter: Waiter = {
        hold,
        grant: () => {
          clearTimeout(timer)
          this.waiting.delete(waiter)
          resolve(Math.max(0, this.timeout - waited()))
        }
      }
      this.waiting.add(waiter)
    })
  }

  private release (hold: Holder): void {
    hold.over = true
    this.grantNext()
  }

  /** A waiter holds the lock from here on, so a write that arrives before its work begins waits behind it. */
  private grantNext (): void {
    const [next] = this.waiting
    this.holder = next?.hold
    next?.grant()
  }
}

const anotherWrite = () => 'it is held by another write'

/** Returns a `holder` for a transaction that begins now, with its duration and the call that it waits for. */
export function describeTransaction (open: OpenSession): () => string {
  const began = performance.now()
  const lasted = () => Math.round(performance.now() - began)
  return () => `it is held by a transaction that has been running for ${lasted()} ms and waits for ${open.waitsFor()}`
}
