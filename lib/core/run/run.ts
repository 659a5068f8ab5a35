import { after } from '../scheduling/after.ts'
import type { Context } from '../declare/collection.ts'
import { toKeyValues } from '../model/identifiers.ts'
import { planCandidates } from '../plan/path/identify.ts'
import { type AnswerFormat, isStreamed } from '../plan/media.ts'
import type { Row, Step, WritePlan } from '../plan/plan.ts'
import type { DataRead } from '../plan/read/read.ts'
import type { Method } from '../plan/path/methods.ts'
import type { OptionsPlan, RequestPlan } from '../plan/request.ts'
import type { Walked } from '../plan/path/walk.ts'
import type { Write } from '../plan/write/write.ts'
import type { Caller } from '../rules/caller.ts'
import { permits, type ScopedDatabase, scopeDatabase, type ScopedSession } from '../rules/scoped-database.ts'
import {
  type Batches, databaseOf, type IsAbandoned, type ListPlan, type ReadResult, type JsonResult
} from '../sources/source.ts'
import { hasLeft, type RunContext } from './context.ts'
import { type Address, findAddress, type Located } from './address.ts'
import { readBatches } from './batches.ts'
import { runWrite, type WriteResult } from './write.ts'

/**
 * The result of a request's plan. `identifiers`: the names of the identifiers by which an ambiguous segment matches;
 * empty for other results.
 */
export type Result =
  | Extract<RequestPlan, { kind: 'options' | 'directory' }>
  | ReadOutcome
  | WriteOutcome

/** The result of a read. `rows`: the batches of a stream. */
export interface ReadOutcome {
  readonly kind: 'read'
  readonly read: DataRead
  readonly format: AnswerFormat
  readonly result: ReadResult | JsonResult
  readonly identifiers: readonly string[]
  readonly rows?: Batches['rows']
  /** The address of an item that a special identifier has led to. */
  readonly address?: Address | undefined
}

export interface WriteOutcome {
  readonly kind: 'write'
  readonly write: Write
  readonly result: WriteResult
  readonly identifiers: readonly string[]
  /** The address of a single item that was created, or whose own path an update has changed. */
  readonly address?: Address | undefined
}

/** Runs a request's plan on the database, within the scope of the caller. */
export function run (
  plan: Exclude<RequestPlan, { kind: 'import' }>, caller: Caller, context: RunContext<Context>
): Result | Promise<Result> {
  switch (plan.kind) {
    case 'read': return runRead(plan, caller, context)
    case 'write': return runOnDatabase(plan.write, caller, context)
    case 'options': return plan.changes.length === 0 ? plan : runOptions(plan, caller)
    default: return plan
  }
}

/** Leaves out the methods that this caller may not use on the item. */
async function runOptions (plan: OptionsPlan, caller: Caller): Promise<OptionsPlan> {
  const denied: Method[] = []
  for (const { method, change } of plan.changes) {
    const database = scopedDatabaseOf(change.steps, undefined, caller)
    const found = await database.read({ kind: 'item', steps: change.steps, select: [] }, true)
    if (found.kind !== 'missing' && found.kind !== 'ambiguous' && !await permits(change, caller)) denied.push(method)
  }
  return { ...plan, allow: plan.allow.filter(method => !denied.includes(method)) }
}

type PlannedRead = Extract<RequestPlan, { kind: 'read' }>

function runRead (
  { read, format, noCache }: PlannedRead, caller: Caller, context: RunContext<Context>
): Result | Promise<Result> {
  const database = scopedDatabaseOf(read.plan.steps, read.plan.kind === 'item' ? undefined : read.plan.from, caller)
  const { request, isAbandoned = () => hasLeft(request) } = context
  if (isStreamed(format) && read.kind === 'list') {
    return runStream({ read, format, noCache }, read.plan, database, isAbandoned)
  }
  const found = takesJson(read) && database.readJson !== undefined
    ? database.readJson(read.plan, noCache, isAbandoned)
    : database.read(read.plan, noCache, isAbandoned)
  return after(found, result => {
    const outcome = (identifiers: readonly string[], address?: Address): ReadOutcome =>
      ({ kind: 'read', read, format, result, identifiers, address, ...isStreamed(format) && { rows: inOne(result) } })
    if (result.kind === 'ambiguous') return disambiguate(read.walked, result, database, noCache).then(outcome)
    const special = specialItem(read, result)
    if (special === undefined) return outcome([])
    return after(findAddress(special, database), address => outcome([], address))
  })
}

/** Returns the item that a special identifier has led to. */
function specialItem (read: DataRead, result: ReadResult | JsonResult): Located | undefined {
  if (read.kind !== 'item' || !read.special || result.kind !== 'rows') return undefined
  const { collection, plan: { steps } } = read
  const key = toKeyValues(collection.key.map(({ property }) => result.rows[0]?.[property]))
  return key && { collection, via: steps.at(-1)?.via, key, steps: steps.slice(0, -1) }
}

/** These answers can send JSON text of the database unchanged. The other answers are rendered from rows. */
const takesJson = (read: DataRead) =>
  read.kind === 'list' || read.kind === 'scalar' || (read.kind === 'item' && !read.special)

/** Returns the only batch of a stream of groups, whose number is limited. */
async function * inOne (result: ReadResult | JsonResult): AsyncGenerator<readonly Row[]> {
  if (result.kind === 'rows') yield result.rows
}

interface StreamedRead extends Omit<PlannedRead, 'kind' | 'read'> {
  readonly read: Extract<DataRead, { kind: 'list' }>
}

async function runStream (
  { read, format, noCache }: StreamedRead, plan: ListPlan, database: ScopedDatabase, isAbandoned: IsAbandoned
): Promise<Result> {
  const { first, rows } = await readBatches(plan, database, read.batchSize, noCache, isAbandoned)
  const identifiers = await disambiguate(read.walked, first, database, noCache)
  return { kind: 'read', read, format, result: first, identifiers, rows }
}

function runOnDatabase (write: Write, caller: Caller, context: RunContext<Context>): Result | Promise<Result> {
  const { plan } = write
  const database = scopedDatabaseOf(plan.steps, 'from' in plan ? plan.from : undefined, caller)
  return after(runWrite(plan, database, context, caller), result => outcomeOf(write, result, database))
}

/** Returns what the answer to a write is made of. Reads only what its result does not tell. */
export function outcomeOf (
  write: Write, result: WriteResult, database: ScopedDatabase | ScopedSession
): WriteOutcome | Promise<WriteOutcome> {
  const { plan, walked } = write
  const outcome = (identifiers: readonly string[], address?: Address): WriteOutcome =>
    ({ kind: 'write', write, result, identifiers, address })
  if (result.kind === 'ambiguous') return disambiguate(walked, result, database, true).then(outcome)
  const located = createdItem(plan, result) ?? movedItem(plan, result)
  if (located === undefined) return outcome([])
  return after(findAddress(located, database), address => outcome([], address))
}

/** Returns the item to which the URL of its update does not lead any more, for its `Content-Location`. */
function movedItem (plan: WritePlan, result: WriteResult): Located | undefined {
  if (plan.kind !== 'update' || result.kind !== 'updated' || result.moved !== true) return undefined
  return result.key && { collection: plan.collection, via: undefined, key: result.key, steps: [] }
}

/** Returns the item that was created, for its `Location`: not for an array, nor for an upsert at the item's own URL. */
function createdItem (plan: WritePlan, result: WriteResult): Located | undefined {
  if (plan.kind === 'link' && !plan.many && result.kind === 'linked') {
    const [linked] = result.items
    const { collection, via, steps } = plan
    return linked?.isNew === true ? { collection, via, key: linked.key, steps } : undefined
  }
  if (plan.kind !== 'create' || plan.many || result.kind !== 'created') return undefined
  const [item] = result.items
  const { collection, via } = plan.from
  return item && { collection, via, key: item.key, steps: plan.steps }
}

/** Returns the caller's database for a path, whose collections all belong to one database. */
function scopedDatabaseOf (
  steps: readonly Step[], from: Pick<Step, 'collection'> | undefined, caller: Caller
): ScopedDatabase {
  const [first = from] = steps
  if (first === undefined) throw new TypeError('an item is reached by a step at least')
  return scopeDatabase(databaseOf(first.collection), caller)
}

/** Returns the names of the identifiers by which an ambiguous segment matches; none for other results. */
async function disambiguate (
  walked: readonly Walked[], result: ReadResult | JsonResult | WriteResult, database: ScopedDatabase | ScopedSession,
  noCache: boolean
): Promise<readonly string[]> {
  if (result.kind !== 'ambiguous') return []
  const matching: string[] = []
  for (const { identifier, plan } of planCandidates(walked, result.step)) {
    const { kind } = await database.read(plan, noCache)
    if (kind === 'rows') matching.push(identifier)
  }
  return matching
}
