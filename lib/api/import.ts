import type { Context } from '../declare/collection.ts'
import { contentTooLarge, DataApiError } from '../errors/errors.ts'
import { inLines } from '../errors/place.ts'
import type { Asked } from '../plan/request.ts'
import type { ImportPlan } from '../plan/write/import.ts'
import { type ImportLimits, receive, type Received } from '../request/import.ts'
import { slicesOf } from '../request/lines.ts'
import { type Answer, json } from '../response/answer.ts'
import { render } from '../response/render.ts'
import type { Caller } from '../rules/caller.ts'
import type { RunContext } from '../run/context.ts'
import { runImport, type Slice } from '../run/import.ts'
import type { Api } from './answer.ts'

interface Importing { readonly caller: Caller, readonly context: RunContext<Context> }

/** Receives the body of an import, then writes all of its items, or none (docs/http.md: Imports). */
export async function answerImport (
  plan: ImportPlan, asked: Asked, { caller, context }: Importing, { model, options }: Api
): Promise<Answer> {
  const { dryRun } = asked
  const { collection, stream } = plan
  if (options.imports === undefined) throw new TypeError('an import is planned only where the option allows it')
  if (asked.idempotencyKey !== undefined) {
    throw new DataApiError('invalid_idempotency_key', "An import takes no 'Idempotency-Key'. Nothing was written.")
  }
  if (dryRun && !collection.strategies.dryRun) {
    throw new DataApiError('invalid_preference', "Writes cannot be tried here. Leave out 'Prefer: dry-run' to write.")
  }
  const limits = options.imports
  const received = await receive(stream, limits)
  try {
    const refuse: Parameters<typeof runImport>[0]['refuse'] = outcome => render(outcome, asked, model, options)
    const slices = () => slicesTo(plan, received, limits)
    const count = await runImport({ collection, caller, context, dryRun, refuse, slices })
    return dryRun
      ? json(200, JSON.stringify({ status: 'ok', count }), { 'preference-applied': 'dry-run' })
      : json(201, JSON.stringify({ status: 'created', count }), {})
  } finally {
    await received.discard()
  }
}

/** Reads and plans the slices of an import; one that is empty, for the path, where there is no line. */
async function * slicesTo (
  plan: ImportPlan, received: Received, { slice: size, rows }: ImportLimits
): AsyncGenerator<Slice> {
  const read = plan.reader()
  let count = 0
  for await (const slice of slicesOf(received.chunks(), plan.format, size)) {
    const lines = read(slice)
    count += lines.values.length
    if (count > rows) throw contentTooLarge(`The body has more than ${rows} items.`)
    yield planSlice(plan, lines)
  }
  if (count === 0) yield planSlice(plan, { values: [], numbers: [] })
}

function planSlice (plan: ImportPlan, { values, numbers }: ReturnType<ReturnType<ImportPlan['reader']>>): Slice {
  const errorOf = (error: unknown) => inLines(error, numbers)
  try {
    return { write: plan.planLines(values), count: values.length, errorOf }
  } catch (error) {
    throw errorOf(error)
  }
}
