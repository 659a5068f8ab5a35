import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import { unavailable } from '../errors.ts'

/** A queue for a database that has one transaction at a time and cannot hide what it has not yet committed. */
export interface WriteLock {
  /** Does the work when all that came before is done. Rejects for work inside other work of the same queue, which would wait for itself. */
  runExclusive<T> (work: () => T | Promise<T>): Promise<T>
  /** The same for work that calls nothing of the application: at once where nobody has the turn, without following it through what is asynchronous. */
  runShort<T> (work: () => T | Promise<T>): T | Promise<T>
  /** Does the work at once where nobody has the turn, or this is part of the work of whoever has it; else `fallback`, or when its turn comes. */
  runShared<T> (work: () => T | Promise<T>, fallback?: () => T | Promise<T>): T | Promise<T>
}

/** Whether it ends in time. */
async function isOver (before: Promise<void>, longest: number): Promise<boolean> {
  const timer = new AbortController()
  const late = setTimeout(longest, false, { signal: timer.signal }).catch(() => false)
  const result = await Promise.race([before.then(() => true), late])
  timer.abort()
  return result
}

interface Turn { over: boolean }

/** `longest`: how long to wait for a turn, in milliseconds, before it is unavailable. */
export function makeWriteLock (longest: number): WriteLock {
  const mine = new AsyncLocalStorage<Turn>()
  let last: Promise<void> | undefined

  async function runExclusive<T> (work: () => T | Promise<T>): Promise<T> {
    if (isInside()) throw new TypeError('A hook or setter sent a write to the database whose transaction it runs in; use its context.transaction instead.')
    const before = last
    const turn = { over: false }
    let finish = () => {}
    const done = new Promise<void>(resolve => { finish = resolve })
    last = done
    // The first does not wait: what begins at once is part of no other's turn.
    if (before !== undefined && !await isOver(before, longest)) {
      // The place in the queue is kept, so that the next one waits for those before.
      before.then(finish, finish)
      throw unavailable(new Error(`the database was held for ${longest} ms by a transaction that waits for a hook or setter`))
    }
    try {
      return await mine.run(turn, work)
    } finally {
      turn.over = true
      if (last === done) last = undefined
      finish()
    }
  }

  /** Others wait until what was begun is over. */
  function hold<T> (work: Promise<T>): Promise<T> {
    const release = () => { if (last === done) last = undefined }
    const done = work.then(release, release)
    last = done
    return work
  }

  const isInside = () => mine.getStore()?.over === false

  return {
    runExclusive,
    runShort (work) {
      if (last !== undefined) return runExclusive(work)
      const done = work()
      return done instanceof Promise ? hold(done) : done
    },
    runShared (work, fallback) {
      if (last === undefined || isInside()) return work()
      return fallback === undefined ? runExclusive(work) : fallback()
    }
  }
}
