import { AsyncResource } from 'node:async_hooks'
import { nextTick } from 'node:process'
// Imported rather than global: an application's tests may have replaced the global one by a fake clock.
import { setImmediate } from 'node:timers'
import { batching } from '../../../scheduling/batching.ts'
import type { Change, Changed } from '../../source.ts'
import type { Hold, WriteLock } from '../../write-lock.ts'
import type { FileChanges } from './changes.ts'
import type { Connection, ContextualChange } from './connection.ts'

interface Writers {
  readonly main: Connection
  readonly lock: WriteLock
  readonly changes: FileChanges
}

interface Waiting extends ContextualChange {
  resolve (changed: Changed | Promise<Changed>): void
  reject (error: unknown): void
}

/**
 * Returns a function that makes changes outside of transactions. Changes of requests that are answered together are
 * committed together: a commit waits for the disk (docs/databases.md: Writes that arrive together). One that the
 * database refuses is made again alone, as if it had arrived last.
 */
export function changeTogether ({ main, lock, changes }: Writers) {
  const write = <T>(work: (hold: Hold) => T | Promise<T>) => lock.runShort(hold => changes.follow(() => work(hold)))
  const changeAlone = (change: Change) => write(hold => main.change(change, hold))
  let waiting: Waiting[] = []

  /** Makes changes alone, one in each turn of the event loop. */
  const changeInTurn = (alone: Waiting[]) => {
    const next = alone.shift()
    if (next === undefined) return
    next.resolve(next.resource.runInAsyncScope(async () => changeAlone(next.change)))
    if (alone.length > 0) setImmediate(changeInTurn, alone)
  }

  const flush = () => {
    const together = waiting
    waiting = []
    const settle = (made: ReadonlyArray<Changed | undefined>) => {
      const refused: Waiting[] = []
      for (const [index, one] of together.slice(0, made.length).entries()) {
        const changed = made[index]
        if (changed === undefined) refused.push(one)
        else one.resolve(changed)
      }
      changeInTurn(refused)
      if (made.length === together.length) return
      waiting = [...together.slice(made.length), ...waiting]
      setImmediate(flush)
    }
    const fail = (error: unknown) => { for (const { reject } of together) reject(error) }
    if (together.length < 2) settle(together.map(() => undefined))
    else Promise.resolve().then(() => write(hold => main.changeAll(together, hold))).then(settle).catch(fail)
  }

  return (change: Change): Changed | Promise<Changed> => {
    if (!batching.together || lock.isInside()) return changeAlone(change)
    return new Promise((resolve, reject) => {
      waiting.push({ change, resource: new AsyncResource('DataApiChange'), resolve, reject })
      if (waiting.length === 1) nextTick(flush)
    })
  }
}
