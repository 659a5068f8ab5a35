import type { Context } from '../declare/collection.ts'
import { DataApiError } from '../errors/errors.ts'
import type { Asked } from '../plan/request.ts'
import type { ImportPlan } from '../plan/write/import.ts'
import { slicesTo } from '../plan/write/slices.ts'
import type { Body } from '../request/body.ts'
import type { ImportLimits, Received } from '../request/receive.ts'
import { type Answer, json } from '../response/answer.ts'
import { render } from '../response/render.ts'
import type { Caller } from '../rules/caller.ts'
import type { RunContext } from '../run/context.ts'
import { type ImportCounts, runImport } from '../run/import.ts'
import { askAgain } from '../scheduling/since-body.ts'
import { sliceOf } from '../sources/source.ts'
import type { Api } from './answer.ts'

interface Importing {
  readonly caller: Caller
  readonly context: RunContext<Context>
  /** Answers the request anew, with another body. */
  again (body: Body): Answer | Promise<Answer>
}

/**
 * Receives the body of an import, which may take hours, and answers the request anew by what the application tells of
 * it then: its rules, scopes and facts. Then writes all of its items, or none (docs/http.md: Imports).
 */
export async function answerImport (
  plan: ImportPlan, asked: Asked, importing: Importing, api: Api
): Promise<Answer> {
  const { dryRun, idempotencyKey, body } = asked.request
  const { collection, stream } = plan
  if (idempotencyKey !== undefined) {
    throw new DataApiError('invalid_idempotency_key', "An import takes no 'Idempotency-Key'. Nothing was written.")
  }
  if (dryRun && !collection.strategies.dryRun) {
    throw new DataApiError('invalid_preference', "Writes cannot be tried here. Leave out 'Prefer: dry-run' to write.")
  }
  const { receiver, options: { imports } } = api
  if (receiver === undefined || imports === undefined) {
    throw new TypeError('an import is planned only where the option allows it')
  }
  if ('chunks' in stream) return write({ plan, received: stream, limits: imports }, asked, importing, api)
  const received = await receiver.receive(stream)
  try {
    askAgain(importing.context.request)
    return await importing.again({ ...body, stream: received })
  } finally {
    await received.discard()
  }
}

interface Whole { readonly plan: ImportPlan, readonly received: Received, readonly limits: ImportLimits }

async function write (
  { plan, received, limits }: Whole, asked: Asked, { caller, context }: Importing, { model, options }: Api
): Promise<Answer> {
  const { collection } = plan
  const { dryRun } = asked.request
  const refuse: Parameters<typeof runImport>[0]['refuse'] = outcome => render(outcome, asked, model, options)
  const { rows, slice = sliceOf(collection) } = limits
  const slices = () => slicesTo(plan, received, { rows, slice })
  const imported = await runImport({ collection, caller, context, dryRun, refuse, slices })
  return acknowledge(imported, plan, dryRun)
}

function acknowledge (
  { count, updated, ignored }: ImportCounts, { resolution }: ImportPlan, dryRun: boolean
): Answer {
  const applied = [...dryRun ? ['dry-run'] : [], ...resolution === undefined ? [] : [`resolution=${resolution}`]]
  const headers = applied.length === 0 ? {} : { 'preference-applied': applied.join(', ') }
  if (resolution === undefined) {
    return dryRun
      ? json(200, JSON.stringify({ status: 'ok', count }), headers)
      : json(201, JSON.stringify({ status: 'created', count }), headers)
  }
  const left = resolution === 'merge' ? { updated } : { ignored }
  return json(200, JSON.stringify({ status: 'ok', created: count - updated - ignored, ...left }), headers)
}
