import { AsyncLocalStorage } from 'node:async_hooks'
import { unavailable } from '../errors.ts'
import type { OpenSession } from './transaction-limit.ts'

/**
 * The lock of a database that has one transaction at a time and cannot hide what it has not yet committed. It is
 * granted in the order of arrival.
 */
export interface WriteLock {
  /** Returns true inside of the work of the holder. */
  isInside (): boolean
  /**
   * Runs the work while it holds the lock. Rejects with `unavailable` if the lock is not granted in time, and with a
   * TypeError inside the work of the holder, which would wait for itself.
   */
  runExclusive<T> (work: Work<T>): Promise<T>
  /**
   * Runs work that calls no code of the application: at once if the lock is free, otherwise as `runExclusive` does.
   */
  runShort<T> (work: Work<T>): T | Promise<T>
  /**
   * Reads at once if the lock is free, and inside the work of its holder; otherwise runs `fallback`, or waits for the
   * lock.
   */
  runShared<T> (read: () => T | Promise<T>, fallback?: () => T | Promise<T>): T | Promise<T>
  /**
   * Begins a read at once if the lock is free, and inside the work of its holder; otherwise when the lock is granted.
   * Other reads run beside an unfinished read, but no write: it is granted the lock after the read. A read that is
   * unfinished while a write waits begins again after that write, so that reads which follow each other cannot keep
   * writes waiting.
   */
  runInParts<T> (begin: () => T | Unfinished<T>): T | Promise<T>
}

/** A read whose first part is done. `finish` does the others. */
export class Unfinished<T> {
  readonly finish: () => Promise<T>
  constructor (finish: () => Promise<T>) {
    this.finish = finish
  }
}

type Work<T> = (hold: Hold) => T | Promise<T>

/** The lock as the work of its holder sees it. */
export interface Hold {
  /** The time that the work may still wait for something else, such as the lock of another process, in milliseconds. */
  remaining: number
  /** Returns the reason why the lock is not free, for the log message of a write that was not granted it in time. */
  holder: () => string
}

interface Holder extends Hold { over: boolean }

/** `hold`: undefined for a read, which shares the lock with other reads. */
interface Waiter { readonly hold: Holder | undefined, grant (): void }

/** Makes a lock. `timeout`: how long a write waits in all, in milliseconds: for the lock and then within its work. */
export const makeWriteLock = (timeout: number): WriteLock => new QueuedLock(timeout)

class QueuedLock implements WriteLock {
  private readonly timeout: number
  private readonly inside = new AsyncLocalStorage<Holder>()
  private readonly waiting = new Set<Waiter>()
  private holder: Holder | undefined
  /** The number of unfinished reads. While there is one, nobody holds the lock. */
  private reading = 0

  constructor (timeout: number) {
    this.timeout = timeout
  }

  isInside (): boolean {
    return this.holder !== undefined && this.inside.getStore()?.over === false
  }

  async runExclusive<T> (work: Work<T>): Promise<T> {
    if (this.isInside()) throw new TypeError(insideItself)
    const hold = this.makeHold()
    if (this.isFree()) this.holder = hold
    else hold.remaining = await this.granted(hold)
    try {
      return await this.inside.run(hold, work, hold)
    } finally {
      this.release(hold)
    }
  }

  runShort<T> (work: Work<T>): T | Promise<T> {
    if (!this.isFree()) return this.runExclusive(work)
    const hold = this.makeHold()
    // No other write can begin during synchronous work, so it needs no lock.
    const done = work(hold)
    if (!(done instanceof Promise)) return done
    this.holder = hold
    return done.finally(() => { this.release(hold) })
  }

  runShared<T> (read: () => T | Promise<T>, fallback?: () => T | Promise<T>): T | Promise<T> {
    if (this.holder === undefined || this.isInside()) return read()
    return fallback === undefined ? this.runExclusive(read) : fallback()
  }

  runInParts<T> (begin: () => T | Unfinished<T>): T | Promise<T> {
    const isInside = this.isInside()
    if (this.holder !== undefined && !isInside) return this.runInTurn(begin)
    const begun = begin()
    if (!(begun instanceof Unfinished)) return begun
    if (isInside) return begun.finish()
    if (this.waiting.size > 0) return this.runInTurn(begin)
    this.reading++
    return begun.finish().finally(() => { this.endReading() })
  }

  private async runInTurn<T> (begin: () => T | Unfinished<T>): Promise<T> {
    await this.granted(undefined)
    try {
      const begun = begin()
      return begun instanceof Unfinished ? await begun.finish() : begun
    } finally {
      this.endReading()
    }
  }

  private isFree (): boolean {
    return this.holder === undefined && this.reading === 0
  }

  private makeHold (): Holder {
    return { remaining: this.timeout, holder: anotherWrite, over: false }
  }

  /** Waits until the lock is granted. Returns the milliseconds that remain of the timeout. */
  private granted (hold: Holder | undefined): Promise<number> {
    const arrived = performance.now()
    const waited = () => performance.now() - arrived
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(waiter)
        reject(unavailable(new Error(`waited ${Math.round(waited())} ms for the write lock: ${this.describeHolder()}`)))
        this.grantNext()
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

  private describeHolder (): string {
    return this.reading > 0 ? `${this.reading} reads are unfinished` : this.holder?.holder() ?? anotherWrite()
  }

  private release (hold: Holder): void {
    hold.over = true
    this.holder = undefined
    this.grantNext()
  }

  private endReading (): void {
    this.reading--
    this.grantNext()
  }

  /**
   * Grants the lock to the next write, or to all reads before it. A waiter holds the lock from here on, so a write that
   * arrives before its work begins waits behind it.
   */
  private grantNext (): void {
    for (const { hold, grant } of this.waiting) {
      if (this.holder !== undefined || (hold !== undefined && this.reading > 0)) return
      this.holder = hold
      if (hold === undefined) this.reading++
      grant()
    }
  }
}

const insideItself =
  'A hook or setter sent a write to the database whose transaction it runs in; use its context.transaction instead.'

const anotherWrite = () => 'it is held by another write'

/** Returns a `holder` for a transaction that begins now, with its duration and the call that it waits for. */
export function describeTransaction (open: OpenSession): () => string {
  const began = performance.now()
  const lasted = () => Math.round(performance.now() - began)
  return () => `it is held by a transaction that has been running for ${lasted()} ms and waits for ${open.waitsFor()}`
}
