import type { Context } from '../declare/collection.ts'
import { DataApiError, validation } from '../errors/errors.ts'
import { ofOperation } from '../errors/operation.ts'
import { planFormat } from '../plan/media.ts'
import { refuse } from '../plan/read/unusable.ts'
import { nameInPath, type BatchOperation, parseBatch } from '../request/batch.ts'
import { checkMediaType, jsonOf, jsonType, mergePatchType } from '../request/body.ts'
import { parseRequest, type Request, type RequestText } from '../request/parse.ts'
import { type Answer, hasSpecial, ok, personal } from '../response/answer.ts'
import type { Caller } from '../rules/caller.ts'
import type { RunContext } from '../run/context.ts'
import { collectionOf } from '../run/write.ts'
import type { Api } from './answer.ts'
import { type AskedOperation, type BatchedWrite, makePlanner, rootOf, Unplanned } from './operations.ts'
import { replayedHeader, runUnderKey } from './keyed.ts'
import type { PlannedFacts } from './request-facts.ts'

/** The limits of a batch (docs/http.md: Batches). */
export interface BatchLimits { readonly operations: number }

/**
 * Plans all operations of a batch, runs them in one transaction, and answers with what each alone would be answered
 * with. `request`: that of the batch. Rejects with the error of the first operation that fails.
 */
export async function answerBatch (
  request: Request, text: RequestText, limits: BatchLimits, api: Api, context: RunContext<Context>,
  note: (facts: PlannedFacts) => void
): Promise<Answer> {
  const operations = parseOperations(request, api, limits)
  const facts = { collection: undefined, kind: 'batch', operations: operations.length } as const
  note(facts)
  const asked = operations.map((operation, index) => {
    return orOperation(index, () => ({ operation, request: operationRequest(operation, request, text, api) }))
  })
  const callers = await callersOf(asked.map(one => one.request), api, context)
  const writes = await planAll(asked, callers, api, context)
  const key = keyOf(writes, text, context, api)
  const [first, ...others] = writes
  const { returns, dryRun } = request
  const collect = (answers: readonly string[]) =>
    ok(`[${answers.join(',')}]`, returns && { 'preference-applied': `return=${returns}` })
  const running = { context, collect, errorOf: ofOperation, dryRun }
  const answer = first === undefined
    ? collect([])
    : await runUnderKey([first, ...others], running, key)
  if (replayedHeader in answer.headers) note({ ...facts, replayed: true })
  const isPersonal = [...callers.values()].some(caller => caller.personal) ||
    asked.some(one => hasSpecial(one.request.segments, api.model))
  return isPersonal ? personal(answer) : answer
}

const keyOf = (writes: readonly BatchedWrite[], text: RequestText, context: Context, { keys }: Api) =>
  keys?.of(text, writes.map(({ planned }) => collectionOf(planned.plan)), context)

function parseOperations (
  { body, accept, conditions, queryIn }: Request, { options }: Api, { operations: most }: BatchLimits
): readonly BatchOperation[] {
  const { query } = queryIn(options.syntax)
  refuse(query, ['filter', 'sort', 'page', 'fields'], 'a batch')
  checkMediaType(body)
  planFormat(accept, query.format)
  if (conditions.ifMatch !== undefined || conditions.ifNoneMatch !== undefined) {
    const message = "has a precondition as its header; an operation takes one as 'if_match' or 'if_none_match'"
    throw validation([{ pointer: '', message }])
  }
  return parseBatch(jsonOf(body, 'an array of operations'), most)
}

/** Returns the request that an operation would be alone. Throws malformed_url or url_too_long. */
function operationRequest (
  { method, path, body, merge, ifMatch, ifNoneMatch, returns }: BatchOperation, batch: Request, text: RequestText,
  { options }: Api
): Request {
  const { router, origin, accept, cacheControl, idempotencyKey } = text
  const preferred = returns ?? batch.returns
  return parseRequest({
    method,
    url: path,
    rootLength: 0,
    router,
    origin,
    accept,
    prefer: preferred && `return=${preferred}`,
    cacheControl,
    ifMatch,
    ifNoneMatch,
    idempotencyKey,
    body: { contentType: merge ? mergePatchType : jsonType, bytes: undefined, value: body, refusal: undefined }
  }, options, batch.root)
}

/** Returns the callers of the operations by the first segments of their paths, after the checks of their databases. */
async function callersOf (
  requests: readonly Request[], { callers, checks }: Api, context: RunContext<Context>
): Promise<ReadonlyMap<string, Caller>> {
  const names = new Set(requests.filter(one => nameInPath(one.segments) === undefined).map(rootOf))
  for (const name of names) await checks.admit(name)
  return callers.all(context, names)
}

/**
 * Plans all operations. Throws the error of the first that cannot be planned; where that is a validation, with the
 * violations of the others.
 */
async function planAll (
  asked: readonly AskedOperation[], callers: ReadonlyMap<string, Caller>, api: Api, context: RunContext<Context>
): Promise<readonly BatchedWrite[]> {
  const plan = makePlanner(callers, api, context)
  const writes: BatchedWrite[] = []
  const invalid: DataApiError[] = []
  for (const [index, one] of asked.entries()) {
    try {
      writes.push(await plan(one, index))
    } catch (error) {
      if (error instanceof Unplanned) continue
      const told = ofOperation(error, index)
      const isInvalid = told instanceof DataApiError && told.code === 'validation'
      if (isInvalid) invalid.push(told)
      else if (invalid.length === 0) throw told
    }
  }
  const [first] = invalid
  if (first === undefined) return writes
  const { code, message, facts } = validation(invalid.flatMap(({ facts: { details = [] } }) => details))
  throw new DataApiError(code, message, { ...first.facts, ...facts })
}

function orOperation<T> (index: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw ofOperation(error, index)
  }
}
