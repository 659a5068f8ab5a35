import type { Context } from '../declare/collection.ts'
import { DataApiError } from '../errors/errors.ts'
import { outcomeUnknownUnderKey } from '../errors/idempotency.ts'
import type { Asked, RequestPlan } from '../plan/request.ts'
import type { RequestText } from '../request/parse.ts'
import { type Answer, ok } from '../response/answer.ts'
import { render } from '../response/render.ts'
import type { Caller } from '../rules/caller.ts'
import { type RunningTogether, runTogether, type Together } from '../run/batch.ts'
import type { RunContext } from '../run/context.ts'
import { cleaningOf } from '../run/key-cleaning.ts'
import type { WriteKey } from '../run/keys.ts'
import type { WriteOutcome } from '../run/run.ts'
import { collectionOf } from '../run/write.ts'
import type { Api } from './answer.ts'
import { factsOf, type PlannedFacts } from './request-facts.ts'

interface Asking {
  readonly caller: Caller
  readonly context: RunContext<Context>
  note (facts: PlannedFacts): void
}

/**
 * Answers a write that has a key or is to be tried: runs it, or gives the answer that it had before. Undefined for any
 * other request.
 */
export function answerUnderKey (
  plan: RequestPlan, text: RequestText, asked: Asked, { caller, context, note }: Asking, api: Api
): Promise<Answer> | undefined {
  if (plan.kind !== 'write') return undefined
  const { write } = plan
  const key = api.keys?.of(text, [collectionOf(write.plan)], context)
  const { dryRun } = asked.request
  if (key === undefined && !dryRun) return undefined
  const finish = (outcome: WriteOutcome) => render(outcome, asked, api.model, api.options)
  const one = { caller, planned: write, resolve: () => write, finish }
  const running = { context, collect: ([answer]: readonly [Answer]) => answer, dryRun }
  const answered = runUnderKey([one], running, key)
  return answered.then(answer => {
    if (replayedHeader in answer.headers) note({ ...factsOf(plan), replayed: true })
    return answer
  })
}

/** Runs writes under a key, or without one. Nothing is kept of writes that fail or are tried: their key is free. */
export async function runUnderKey<T> (
  writes: Together<T>, running: RunningTogether<T, Answer>, key: WriteKey | undefined
): Promise<Answer> {
  if (running.dryRun === true) return tryOut(writes, running)
  if (key === undefined) return runTogether(writes, running)
  const { log } = running.context
  const collect: typeof running.collect = (answers, isRepeated) => {
    const answer = running.collect(answers, isRepeated)
    return isRepeated ? { ...answer, headers: { ...answer.headers, [replayedHeader]: 'true' } } : answer
  }
  try {
    return await runTogether(writes, { ...running, collect, key })
  } catch (error) {
    const isUnknown = error instanceof DataApiError && error.code === 'outcome_unknown'
    throw isUnknown ? outcomeUnknownUnderKey(error.cause) : error
  } finally {
    cleaningOf(key.table).cleanIfDue(log)
  }
}

/** Runs writes, and rolls them back (docs/http.md: Dry runs). Throws invalid_preference where that is switched off. */
async function tryOut<T> (writes: Together<T>, running: RunningTogether<T, Answer>): Promise<Answer> {
  if (!writes.every(({ planned: { plan } }) => collectionOf(plan).strategies.dryRun)) {
    throw new DataApiError('invalid_preference', "Writes cannot be tried here. Leave out 'Prefer: dry-run' to write.")
  }
  await runTogether(writes, running)
  return ok('{"status":"ok"}', { 'preference-applied': 'dry-run' })
}

export const replayedHeader = 'idempotency-replayed'
