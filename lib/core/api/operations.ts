import type { Context } from '../declare/collection.ts'
import { answerTooLarge, DataApiError, validation } from '../errors/errors.ts'
import type { KeyValues } from '../model/identifiers.ts'
import type { Collection } from '../model/model.ts'
import { countItems, namedCollection } from '../plan/batch.ts'
import { syntaxAt } from '../plan/path/syntax.ts'
import { collectionAt, startingAt } from '../plan/path/walk.ts'
import { type Asked, findResource, planRequest, type PlanningOptions } from '../plan/request.ts'
import { noOperation, type Referred, type References } from '../plan/write/batch-references.ts'
import type { Write } from '../plan/write/write.ts'
import { nameInPath, type BatchOperation } from '../request/batch.ts'
import type { Request } from '../request/parse.ts'
import { renderOperation } from '../response/batch.ts'
import { ownSegments, type PathParts } from '../response/paths.ts'
import { render } from '../response/render.ts'
import { type Caller, unguarded } from '../rules/caller.ts'
import { permissionsOf } from '../rules/methods.ts'
import type { ScopedSession } from '../rules/scoped-database.ts'
import { findAddress } from '../run/address.ts'
import type { JoinedWrite } from '../run/batch.ts'
import type { RunContext } from '../run/context.ts'
import type { WriteOutcome } from '../run/run.ts'
import { collectionOf, type WriteResult } from '../run/write.ts'
import { type Database, databaseOf } from '../sources/source.ts'
import type { Api } from './answer.ts'

/** An operation, and the request that it would be alone. */
export interface AskedOperation { readonly operation: BatchOperation, readonly request: Request }

export const rootOf = ({ segments: [name = ''] }: Request): string => name

/** An operation that is ready to run; its answer is JSON text. */
export type BatchedWrite = JoinedWrite<string>

/** Plans the operation of this index. Rejects with its error, or with Unplanned. */
type Plan = (asked: AskedOperation, index: number) => Promise<BatchedWrite>

/** An operation cannot be planned because one that it refers to could not be. */
export class Unplanned extends Error {}

/** The item of an operation. Its key is known once the operation has run. */
interface Named extends Referred { readonly caller: Caller, key: KeyValues | undefined }

/** Makes the planner of one batch, which must get its operations in their order. */
export function makePlanner (callers: ReadonlyMap<string, Caller>, api: Api, context: RunContext<Context>): Plan {
  const { options, model } = api
  // Undefined for an operation that could not be planned.
  const named = new Map<string, Named | undefined>()
  let items = options.writes.items
  let database: Database | undefined
  // The characters of the answers so far; a batch that runs again begins with its first operation.
  let length = 0
  const measured = (index: number, answer: string): string => {
    length = (index === 0 ? 0 : length) + answer.length
    if (length > options.answers.length) throw answerTooLarge(options.answers.length)
    return answer
  }
  const find = (name: string): Named | undefined => {
    const known = named.get(name)
    if (known === undefined && named.has(name)) throw new Unplanned()
    return known
  }
  const plan: Plan = async ({ operation: { as }, request }, index) => {
    const name = nameInPath(request.segments)
    const from = name === undefined ? undefined : find(name)
    if (name !== undefined && from === undefined) throw faultIn(index, 'path', noOperation(name))
    const caller = from?.caller ?? callers.get(rootOf(request)) ?? unguarded(model)
    const references = countUses(find)
    const writes = { ...options.writes, items, references }
    const planning = { caller, references, options: { ...options, batch: undefined, writes } }
    const asked = await resourceOf(request, planning, context, from?.collection)
    const planned = planWrite(asked, planning)
    items -= countItems(planned.plan)
    database ??= databaseOf(collectionOf(planned.plan))
    if (database !== databaseOf(collectionOf(planned.plan))) throw faultIn(index, 'path', otherDatabase)
    const own = as === undefined ? undefined : nameItem(planned, caller, index)
    if (as !== undefined) named.set(as, own)
    const { finish, ...write } = batched(planned, { asked, from, own, planning }, api)
    return { ...write, finish: async (...done) => measured(index, await finish(...done)) }
  }
  return (asked, index) => plan(asked, index).catch((error: unknown) => {
    const { as } = asked.operation
    if (as !== undefined) named.set(as, undefined)
    throw error
  })
}

const otherDatabase = 'leads to another database than the first operation; one transaction has one database'

function faultIn (operation: number, member: string, message: string): DataApiError {
  const error = validation([{ pointer: `/${operation}/${member}`, message }])
  return new DataApiError(error.code, error.message, { ...error.facts, operation })
}

/** Returns references that tell if they were used. */
function countUses (find: References['find']): References & { readonly used: boolean } {
  let used = false
  return {
    get used () { return used },
    find (name) {
      used = true
      return find(name)
    }
  }
}

function nameItem (write: Write, caller: Caller, index: number): Named {
  const collection = namedCollection(write)
  if (collection !== undefined) return { collection, caller, key: undefined }
  throw faultIn(index, 'as', 'can name one item only, which the operation creates or updates')
}

function keyOf (result: WriteResult): KeyValues | undefined {
  if (result.kind === 'updated') return result.key
  return result.kind === 'created' || result.kind === 'linked' ? result.items[0]?.key : undefined
}

interface Planning {
  readonly caller: Caller
  readonly references: { readonly used: boolean }
  readonly options: PlanningOptions
}

/** A planned operation. `from`: the item with which its path begins. `own`: the item that others may refer to. */
interface PlannedOperation {
  readonly asked: Asked
  readonly from: Named | undefined
  readonly own: Named | undefined
  readonly planning: Planning
}

function batched (
  planned: Write, { asked, from, own, planning }: PlannedOperation, api: Api
): BatchedWrite {
  return {
    caller: planning.caller,
    planned,
    resolve () {
      if (from?.key === undefined) return planning.references.used ? planWrite(asked, planning) : planned
      const { request, queryText, resource } = asked
      return planWrite({ request, queryText, resource: startingAt(from.key, resource) }, planning)
    },
    async finish (outcome, session) {
      if (own !== undefined) own.key = keyOf(outcome.result)
      return renderOutcome(outcome, asked, from, session, api)
    }
  }
}

/** Finds the resource of an operation. Throws method_not_allowed for one of a collection that takes no batches. */
async function resourceOf (
  request: Request, { caller, options }: Planning, context: Context, from: Collection | undefined
): Promise<Asked> {
  const resource = await findResource(request, permissionsOf(caller), options, context, from)
  const collection = collectionAt(resource)
  if (collection?.strategies.batch === false) {
    throw new DataApiError('method_not_allowed', `'${collection.name}' takes no operations of a batch.`)
  }
  return { request, queryText: request.queryIn(syntaxAt(resource, options.syntax)), resource }
}

function planWrite (asked: Asked, { caller, options }: Planning): Write {
  const plan = planRequest(asked, permissionsOf(caller), options)
  if (plan.kind === 'write') return plan.write
  throw new TypeError('the methods of a batch are those of writes')
}

/** Returns the answer of an operation as JSON text. `from`: the item of an earlier one with which its path begins. */
async function renderOutcome (
  outcome: WriteOutcome, asked: Asked, from: Named | undefined, session: ScopedSession, { model, options }: Api
): Promise<string> {
  const parts = from === undefined || outcome.address === undefined ? undefined : await partsOf(from, session, options)
  // Where the item has no URL for the caller, neither has what is found behind it.
  const address = from === undefined || parts !== undefined ? outcome.address : undefined
  const echo = parts === undefined ? asked : behind(parts, asked)
  return renderOperation(await render({ ...outcome, address }, echo, model, options))
}

/** Returns what the answer repeats of a request whose path begins with an item that has this path. */
function behind (
  path: readonly PathParts[], { request: { method, origin, root, parts, returns, conditions }, queryText }: Asked
): Parameters<typeof render>[1] {
  return { request: { method, origin, root, parts: [...path, ...parts.slice(1)], returns, conditions }, queryText }
}

/** Returns the path of an item; undefined if it has none for the caller. */
async function partsOf (
  { collection, key }: Named, session: ScopedSession, { answers }: Api['options']
): Promise<readonly PathParts[] | undefined> {
  const address = key && await findAddress({ collection, via: undefined, steps: [], key }, session)
  return address && [[collection.name], ...ownSegments(collection, address, answers.dictionaryPrefix)]
}
