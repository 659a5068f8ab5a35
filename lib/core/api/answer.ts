import { after } from '../scheduling/after.ts'
import type { Context } from '../declare/collection.ts'
import type { Checks } from './checks.ts'
import { answerUnderKey } from './keyed.ts'
import type { Keys } from './keys.ts'
import type { Model } from '../model/model.ts'
import { answerBatch } from './batch.ts'
import { answerImport } from './import.ts'
import { liveOf } from './live-needs.ts'
import type { Options } from './options.ts'
import { syntaxAt } from '../plan/path/syntax.ts'
import { findResource, planRequest } from '../plan/request.ts'
import type { Body } from '../request/body.ts'
import type { Receiver } from '../request/receive.ts'
import { parseRequest, type RequestText } from '../request/parse.ts'
import { type Answer, hasSpecial, personal } from '../response/answer.ts'
import { render } from '../response/render.ts'
import type { Callers } from '../rules/caller.ts'
import { factsOf, type PlannedFacts } from './request-facts.ts'
import { permissionsOf } from '../rules/methods.ts'
import type { RunContext } from '../run/context.ts'
import { run } from '../run/run.ts'

/** One registration of the plugin, compiled. */
export interface Api {
  readonly model: Model
  readonly options: Options
  readonly callers: Callers
  readonly checks: Checks
  readonly own: Contexts
  /** Undefined if no write has a key. */
  readonly keys: Keys | undefined
  /** Undefined where no imports are taken. */
  readonly receiver: Receiver | undefined
}

/** Makes the contexts of requests, in which own code has its data. */
export interface Contexts {
  /** `isAbandoned`: as in RunContext. */
  contextOf (request: Context['request'], isAbandoned?: RunContext['isAbandoned']): RunContext<Context>
}

/**
 * Parses, plans, runs and renders a request. Throws a DataApiError, or rejects with it. Calls `note` with the
 * collection and kind of the request once they are known.
 */
export function answer (
  text: RequestText, api: Api, context: RunContext<Context>, note: (facts: PlannedFacts) => void
): Answer | Promise<Answer> {
  const { model, options, callers, checks } = api
  const request = parseRequest(text, options) // asked
  if (request.method === 'POST' && request.segments.length === 0 && options.batch !== undefined) {
    return answerBatch(request, text, options.batch, api, context, note)
  }
  note(rootFacts(request.segments[0], model))
  const unchecked = checks.admit(request.segments[0])
  if (unchecked !== undefined) return unchecked.then(() => answer(text, api, context, note))
  const special = hasSpecial(request.segments, model)
  return after(callers.of(request.segments[0], context), caller => { // for whom
    const permissions = permissionsOf(caller)
    const rendered = after(findResource(request, permissions, options, context), resource => {
      const asked = { request, queryText: request.queryIn(syntaxAt(resource, options.syntax)), resource }
      const plan = planRequest(asked, permissions, options) // meant
      note(factsOf(plan))
      if (plan.kind === 'import') {
        const again = (body: Body) => answer({ ...text, body }, api, context, note)
        return answerImport(plan, asked, { caller, context, again }, api)
      }
      const kept = answerUnderKey(plan, text, asked, { caller, context, note }, api)
      if (kept !== undefined) return kept
      const made = after(run(plan, caller, context), result => render(result, asked, model, options)) // done, and told
      const live = liveOf(plan, caller, special, options)
      return live === undefined ? made : after(made, one => ({ ...one, live }))
    })
    return caller.personal || special ? after(rendered, personal) : rendered
  })
}

/** What is known of a request before it is planned: the collection at the start of its path. */
const rootFacts = (name: string | undefined, { collections }: Model): PlannedFacts =>
  ({ collection: name === undefined ? undefined : collections.get(name)?.property, kind: undefined })
