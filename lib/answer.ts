import { after } from './after.ts'
import type { Context } from './collection.ts'
import type { Model } from './model/model.ts'
import type { Options } from './options.ts'
import { planRequest } from './plan/request.ts'
import { parseRequest, type RequestText } from './request/parse.ts'
import type { Answer } from './response/answer.ts'
import { render } from './response/render.ts'
import type { Callers } from './rules/caller.ts'
import { permissionsOf } from './rules/methods.ts'
import { run } from './run/run.ts'

/** One registration of the plugin, compiled. */
export interface Api { readonly model: Model, readonly options: Options, readonly callers: Callers }

/** Parses, plans, runs and renders a request. Throws a DataApiError, or rejects with it. */
export function answer (
  text: RequestText, { model, options, callers }: Api, context: Context
): Answer | Promise<Answer> {
  const request = parseRequest(text, options.syntax) // asked
  return after(callers.of(request.segments[0], context), caller => { // for whom
    const plan = planRequest(request, permissionsOf(caller), options, context) // meant
    const result = after(plan, planned => run(planned, caller, context)) // done
    return after(result, found => render(found, request, model, options)) // told
  })
}
