import type { Context } from '../declare/collection.ts'
import { answerTooLarge } from '../errors/errors.ts'
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
export interface BatchedWrite {
  readonly caller: Caller
  /** The write as it was planned before anything ran; an item that an operation creates is not found by it. */
  readonly planned: Write
  /** Returns the write once all earlier operations have run. */
  resolve (): Write
  /** Makes the answer of the operation, as JSON text. What it throws rolls the batch back. */
  finish (outcome: WriteOutcome, session: ScopedSession): string | Promise<string>
}

type Batch = readonly [BatchedWrite, ...BatchedWrite[]]

/**
 * Runs the writes in their order in one transaction, all or none, and returns the answer of each. An error tells the
 * index of the operation that failed (errors/operation.ts). `longest`: the most characters of all answers together.
 */
export async function runBatch (
  batch: Batch, context: RunContext<Context>, longest: number
): Promise<readonly string[]> {
  const afterCommit: AfterCommit = []
  const results = await attempt(batch, { context, afterCommit, longest }, false).catch((error: unknown) => {
    if (!batch.some(({ planned }) => isUpsertConflict(error, planned.plan))) throw error
    return attempt(batch, { context, afterCommit, longest }, true)
  }).catch((error: unknown) => { throw error instanceof RefusedAtCommit ? commitRefusal(error) : error })
  for (const notify of afterCommit) await notify()
  return results
}

interface Attempt {
  readonly context: RunContext<Context>
  readonly afterCommit: AfterCommit
  readonly longest: number
}

/** `isRetry`: the second run, in which a duplicate is an error. */
async function attempt (
  batch: Batch, { context, afterCommit, longest }: Attempt, isRetry: boolean
): Promise<readonly string[]> {
  const [{ caller: first, planned: { plan } }] = batch
  const callers = [...new Set(batch.map(({ caller }) => caller))]
  let running: number | undefined
  try {
    return await sharedTransaction(first.inSession(databaseOf(collectionOf(plan))), callers, async begin => {
      // A database may run this function again.
      afterCommit.length = 0
      running = undefined
      if (batch.length > 1) {
        await lockBatch(batch.map(({ planned, caller }) => ({ plan: planned.plan, session: begin(caller).session })))
      }
      const done: string[] = []
      let length = 0
      for (const [index, { caller, resolve, finish }] of batch.entries()) {
        running = index
        const { session, check } = begin(caller)
        const write = resolve()
        const result = await runInSession(write.plan, { session, caller, context, afterCommit }, isRetry)
        const answer = await finish(await outcomeOf(write, result, session), session)
        await check()
        length += answer.length
        if (length > longest) throw answerTooLarge(longest)
        done.push(answer)
      }
      running = undefined
      return done
    })
  } catch (error) {
    throw running === undefined ? error : ofOperation(error, running)
  }
}
