import { AsyncResource } from 'node:async_hooks'
import { logError } from '../errors/rejections.ts'
import { batching } from '../scheduling/batching.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { RunContext } from './context.ts'
import { deleteExpired, type KeyTable } from './keys.ts'

type Log = RunContext['log']

/** Deletes the keys of a table that have expired: when the application starts, and then once a minute, after writes. */
class KeyCleaning {
  private readonly table: KeyTable
  private dueAt = 0
  private isOver = false
  private running: Promise<void> = Promise.resolve()

  constructor (table: KeyTable) {
    this.table = table
  }

  /** Deletes all that have expired, if it is time. Nobody waits for it, and it waits for its turn among requests. */
  cleanIfDue (log: Log): void {
    if (Date.now() < this.dueAt) return
    this.dueAt = Infinity
    this.running = this.clean().catch((error: unknown) => {
      if (!this.isOver) logError(log, { err: error }, 'the keys that have expired could not be deleted')
    }).finally(() => { this.dueAt = Date.now() + pause })
  }

  /** Ends the cleaning, as the application closes; its database may be closed next, so the statement that runs ends. */
  end (): Promise<void> {
    this.isOver = true
    return this.running
  }

  private async clean (): Promise<void> {
    const resource = new AsyncResource('DataApiKeys')
    let mayHaveMore = true
    while (mayHaveMore && !this.isOver) mayHaveMore = await batching.step(() => deleteExpired(this.table), resource)
  }
}

export const cleaningOf = memoize((table: KeyTable) => new KeyCleaning(table))

// In milliseconds.
const pause = 60_000
