import type { Context } from '../declare/collection.ts'
import type { Write } from '../plan/write/write.ts'
import type { Caller } from '../rules/caller.ts'
import { type ScopedSession, sharedTransaction, unscopedSession } from '../rules/scoped-database.ts'
import { databaseOf, RefusedAtCommit, type Session } from '../sources/source.ts'
import type { AfterCommit, RunContext } from './context.ts'
import { keepResults, takeKey, type WriteKey } from './keys.ts'
import { lockBatch } from './lock-order.ts'
import { readAgain } from './read-again.ts'
import { outcomeOf, type WriteOutcome } from './run.ts'
import { commitRefusal } from './violations.ts'
import { collectionOf, isUpsertConflict, runInSession, type WriteResult } from './write.ts'

/** One of several writes in a transaction. */
export interface JoinedWrite<T> {
  readonly caller: Caller
  /** The write as it was planned before anything ran; an item that an earlier one creates is not found by it. */
  readonly planned: Write
  /** Returns the write once all earlier ones have run. */
  resolve (): Write
  /** Makes the answer of the write. What it throws rolls all back. */
  finish (outcome: WriteOutcome, session: ScopedSession): T | Promise<T>
}

/** The writes of one transaction: one at least. */
export type Together<T> = readonly [JoinedWrite<T>, ...Array<JoinedWrite<T>>]

export interface RunningTogether<T, Result> {
  readonly context: RunContext<Context>
  /**
   * Makes the result of the answers, of which there is one for each write. `isRepeated`: the writes ran before under
   * their key.
   */
  collect (answers: readonly [T, ...T[]], isRepeated: boolean): Result
  /** Returns the error of the write with this index. Default: the error itself. */
  errorOf? (error: unknown, index: number): unknown
  /** The key under which all is written. */
  readonly key?: WriteKey | undefined
  /** True for writes that are tried: all is rolled back. Default false. */
  readonly dryRun?: boolean
}

/** Runs the writes in their order in one transaction, all or none. */
export async function runTogether<T, Result> (
  writes: Together<T>, running: RunningTogether<T, Result>
): Promise<Result> {
  const afterCommit: AfterCommit = []
  const result = await attempt(writes, running, afterCommit, false).catch((error: unknown) => {
    if (!writes.some(({ planned }) => isUpsertConflict(error, planned.plan))) throw error
    return attempt(writes, running, afterCommit, true)
  }).catch((error: unknown) => resultOf<Result>(error))
  if (running.dryRun !== true) for (const notify of afterCommit) await notify()
  return result
}

/** Returns the result of a transaction that was tried. Throws the error of any other that has failed. */
export function resultOf<Result> (error: unknown): Result {
  if (error instanceof RolledBack) return (error as RolledBack<Result>).result
  throw error instanceof RefusedAtCommit ? commitRefusal(error) : error
}

/** Ends the transaction of writes that are tried, by an error. */
export async function rollBack<Result> (result: Result, session: Session): Promise<never> {
  await session.settle?.()
  throw new RolledBack(result)
}

class RolledBack<Result> extends Error {
  readonly result: Result

  constructor (result: Result) {
    super('a dry run writes nothing')
    this.result = result
  }
}

/** `isRetry`: the second run, in which a duplicate is an error. */
async function attempt<T, Result> (
  writes: Together<T>, { context, collect, errorOf, key, dryRun }: RunningTogether<T, Result>, afterCommit: AfterCommit,
  isRetry: boolean
): Promise<Result> {
  const [{ caller: first, planned: { plan } }] = writes
  const callers = [...new Set(writes.map(({ caller }) => caller))]
  let current: number | undefined
  try {
    return await sharedTransaction(first.inSession(databaseOf(collectionOf(plan))), callers, async begin => {
      // A database may run this function again.
      afterCommit.length = 0
      current = undefined
      // The table of keys is no collection, and has no scope.
      const keySession = unscopedSession(begin(first).session)
      const kept = key && await takeKey(key, keySession)
      if (kept === undefined && writes.length > 1) {
        await lockBatch(writes.map(({ planned, caller }) => ({ plan: planned.plan, session: begin(caller).session })))
      }
      const done: T[] = []
      const results: WriteResult[] = []
      for (const [index, { caller, resolve, finish }] of writes.entries()) {
        current = index
        const { session, check } = begin(caller)
        const planned = resolve()
        const known = kept?.[index]
        const work = { session, caller, context, afterCommit }
        const { write, result } = known === undefined
          ? { write: planned, result: await runInSession(planned.plan, work, isRetry) }
          : await readAgain(planned, known, session)
        results.push(result)
        done.push(await finish(await outcomeOf(write, result, session), session))
        await check()
      }
      current = undefined
      if (key !== undefined && kept === undefined) await keepResults(key, results, keySession)
      const result = collect(done as [T, ...T[]], kept !== undefined)
      return dryRun === true ? rollBack(result, keySession) : result
    })
  } catch (error) {
    throw current === undefined || errorOf === undefined ? error : errorOf(error, current)
  }
}
