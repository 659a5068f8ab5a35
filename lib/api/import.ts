import type { Context } from '../declare/collection.ts'
import { DataApiError } from '../errors/errors.ts'
import type { Asked } from '../plan/request.ts'
import type { ImportPlan } from '../plan/write/import.ts'
import { slicesTo } from '../plan/write/slices.ts'
import { receive } from '../request/import.ts'
import { type Answer, json } from '../response/answer.ts'
import { render } from '../response/render.ts'
import type { Caller } from '../rules/caller.ts'
import type { RunContext } from '../run/context.ts'
import { type Imported, runImport } from '../run/import.ts'
import { sliceOf } from '../sources/source.ts'
import type { Api } from './answer.ts'

interface Importing { readonly caller: Caller, readonly context: RunContext<Context> }

/** Receives the body of an import, then writes all of its items, or none (docs/http.md: Imports). */
export async function answerImport (
  plan: ImportPlan, asked: Asked, { caller, context }: Importing, { model, options }: Api
): Promise<Answer> {
  const { dryRun, idempotencyKey } = asked.request
  const { collection, stream } = plan
  if (options.imports === undefined) throw new TypeError('an import is planned only where the option allows it')
  if (idempotencyKey !== undefined) {
    throw new DataApiError('invalid_idempotency_key', "An import takes no 'Idempotency-Key'. Nothing was written.")
  }
  if (dryRun && !collection.strategies.dryRun) {
    throw new DataApiError('invalid_preference', "Writes cannot be tried here. Leave out 'Prefer: dry-run' to write.")
  }
  const limits = options.imports
  const received = await receive(stream, limits)
  try {
    const refuse: Parameters<typeof runImport>[0]['refuse'] = outcome => render(outcome, asked, model, options)
    const { rows, slice = sliceOf(collection) } = limits
    const slices = () => slicesTo(plan, received, { rows, slice })
    const imported = await runImport({ collection, caller, context, dryRun, refuse, slices })
    return acknowledge(imported, plan, dryRun)
  } finally {
    await received.discard()
  }
}

function acknowledge (
  { count, updated, ignored }: Imported, { resolution }: ImportPlan, dryRun: boolean
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
