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

interface Waiter { readonly hold: Holder, grant (): void }

/** Makes a lock. `timeout`: how long a write waits in all, in milliseconds: for the lock and then within its work. */
export function makeWriteLock (timeout: number): WriteLock {
  const inside = new AsyncLocalStorage<Holder>()
  const waiting = new Set<Waiter>()
  let holder: Holder | undefined

  const makeHold = (): Holder => ({ remaining: timeout, holder: anotherWrite, over: false })

  function release (hold: Holder): void {
    hold.over = true
    const [next] = waiting
    // The next waiter holds the lock from here on, so a write that arrives before its work begins waits behind it.
    holder = next?.hold
    next?.grant()
  }

  function granted (): Promise<Holder> {
    const arrived = performance.now()
    return new Promise((resolve, reject) => {
      const hold = makeHold()
      const timer = setTimeout(() => {
        waiting.delete(waiter)
        const waited = Math.round(performance.now() - arrived)
        const culprit = holder?.holder() ?? anotherWrite()
        reject(unavailable(new Error(`waited ${waited} ms for the write lock: ${culprit}`)))
      }, timeout)
      const waiter: Waiter = {
        hold,
        grant () {
          clearTimeout(timer)
          waiting.delete(waiter)
          hold.remaining = Math.max(0, timeout - (performance.now() - arrived))
          resolve(hold)
        }
      }
      waiting.add(waiter)
    })
  }

  async function runExclusive<T> (work: Work<T>): Promise<T> {
    if (isInside()) throw new TypeError(insideItself)
    let hold: Holder
    if (holder === undefined) holder = hold = makeHold()
    else hold = await granted()
    try {
      return await inside.run(hold, work, hold)
    } finally {
      release(hold)
    }
  }

  const isInside = () => inside.getStore()?.over === false

  return {
    isInside: () => holder !== undefined && isInside(),
    runExclusive,
    runShort (work) {
      if (holder !== undefined) return runExclusive(work)
      const hold = makeHold()
      // No other write can begin during synchronous work, so it needs no lock.
      const done = work(hold)
      if (!(done instanceof Promise)) return done
      holder = hold
      return done.finally(() => { release(hold) })
    },
    runShared (read, fallback) {
      if (holder === undefined || isInside()) return read()
      return fallback === undefined ? runExclusive(read) : fallback()
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
