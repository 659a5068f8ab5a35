import type { Context } from '../declare/collection.ts'
import { ofOperation } from '../errors/operation.ts'
import type { Write } from '../plan/write/write.ts'
import type { Caller } from '../rules/caller.ts'
import { type ScopedSession, sharedTransaction } from '../rules/scoped-database.ts'
import { databaseOf, RefusedAtCommit } from '../sources/source.ts'
import type { AfterCommit, RunContext } from './context.ts'
import { lockBatch } from './lock-order.ts'
import { outcomeOf, type WriteOutcome } from './run.ts'
import { commitRefusal } from './violations.ts'
import { collectionOf, isUpsertConflict, runInSession } from './write.ts'

/** One operation of a batch. */
export interface BatchedWrite<T> {
  readonly caller: Caller
  /** The write as it was planned before anything ran; an item that an operation creates is not found by it. */
  readonly planned: Write
  /** Returns the write once all earlier operations have run. */
  resolve (): Write
  /** Makes the answer of the operation. What it throws rolls the batch back. */
  finish (outcome: WriteOutcome, session: ScopedSession): T | Promise<T>
}

type Batch<T> = readonly [BatchedWrite<T>, ...Array<BatchedWrite<T>>]

/**
 * Runs the writes in their order in one transaction, all or none, and returns what each has finished with. An error
 * tells the index of the operation that failed (errors/operation.ts).
 */
export async function runBatch<T> (batch: Batch<T>, context: RunContext<Context>): Promise<readonly T[]> {
  const afterCommit: AfterCommit = []
  const results = await attempt(batch, context, afterCommit, false).catch((error: unknown) => {
    if (!batch.some(({ planned }) => isUpsertConflict(error, planned.plan))) throw error
    return attempt(batch, context, afterCommit, true)
  }).catch((error: unknown) => { throw error instanceof RefusedAtCommit ? commitRefusal(error) : error })
  for (const notify of afterCommit) await notify()
  return results
}

/** `isRetry`: the second run, in which a duplicate is an error. */
async function attempt<T> (
  batch: Batch<T>, context: RunContext<Context>, afterCommit: AfterCommit, isRetry: boolean
): Promise<readonly T[]> {
  const [{ caller: first, planned: { plan } }] = batch
  const callers = [...new Set(batch.map(({ caller }) => caller))]
  let running: number | undefined
  try {
    return await sharedTransaction(first.inSession(databaseOf(collectionOf(plan))), callers, async sessionOf => {
      // A database may run this function again.
      afterCommit.length = 0
      running = undefined
      if (batch.length > 1) {
        await lockBatch(batch.map(({ planned, caller }) => ({ plan: planned.plan, session: sessionOf(caller) })))
      }
      const done: T[] = []
      for (const [index, { caller, resolve, finish }] of batch.entries()) {
        running = index
        const session = sessionOf(caller)
        const write = resolve()
        const result = await runInSession(write.plan, { session, caller, context, afterCommit }, isRetry)
        done.push(await finish(await outcomeOf(write, result, session), session))
      }
      running = undefined
      return done
    })
  } catch (error) {
    throw running === undefined ? error : ofOperation(error, running)
  }
}
