import { after } from '../after.ts'
import type { Context } from '../collection.ts'
import { planCandidates } from '../plan/candidates.ts'
import type { Media } from '../plan/media.ts'
import type { Step } from '../plan/plan.ts'
import type { DataRead } from '../plan/read.ts'
import type { RequestPlan } from '../plan/request.ts'
import type { Walked } from '../plan/walk.ts'
import type { Write } from '../plan/write.ts'
import type { Caller } from '../rules/caller.ts'
import { isChecked, type ScopedDatabase, scopeDatabase } from '../rules/scoped-database.ts'
import { type Batches, databaseOf, type ListPlan, type ReadResult, type JsonResult } from '../sources/source.ts'
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
  readonly media: Media
  readonly result: ReadResult | JsonResult
  readonly identifiers: readonly string[]
  readonly rows?: Batches['rows']
}

/** The result of a write. */
export interface WriteOutcome {
  readonly kind: 'write'
  readonly write: Write
  readonly result: WriteResult
  readonly identifiers: readonly string[]
}

/** Runs a request's plan on the database, within the scope of the caller. */
export function run (plan: RequestPlan, caller: Caller, context: Context): Result | Promise<Result> {
  switch (plan.kind) {
    case 'read': return runRead(plan, caller)
    case 'write': return runOnDatabase(plan.write, caller, context)
    default: return plan
  }
}

type PlannedRead = Extract<RequestPlan, { kind: 'read' }>

function runRead ({ read, media, noCache }: PlannedRead, caller: Caller): Result | Promise<Result> {
  const database = scopedDatabaseOf(read.plan.steps, read.plan.kind === 'item' ? undefined : read.plan.from, caller)
  if (media !== 'json' && read.kind === 'list') return runStream({ read, media, noCache }, read.plan, database)
  const found = takesJson(read) && database.readJson !== undefined
    ? database.readJson(read.plan, noCache)
    : database.read(read.plan, noCache)
  return after(found, result => {
    const outcome = (identifiers: readonly string[]): ReadOutcome =>
      ({ kind: 'read', read, media, result, identifiers })
    return result.kind === 'ambiguous'
      ? disambiguate(read.walked, result, database, noCache).then(outcome)
      : outcome([])
  })
}

/** These answers can send JSON text of the database unchanged. The other answers are rendered from rows. */
const takesJson = (read: DataRead) =>
  read.kind === 'list' || read.kind === 'scalar' || (read.kind === 'item' && !read.special)

async function runStream (
  { read, media, noCache }: Omit<PlannedRead, 'kind'>, plan: ListPlan, database: ScopedDatabase
): Promise<Result> {
  const { first, rows } = await readBatches(plan, database, batchSize, noCache)
  const identifiers = await disambiguate(read.walked, first, database, noCache)
  return { kind: 'read', read, media, result: first, identifiers, rows }
}

// Measured on SQLite, streaming 200,000 rows: batches of 250 to 2,500 rows take the same time within 5 %, and a batch
// of 500 blocks other requests for less than a millisecond.
const batchSize = 500

function runOnDatabase (write: Write, caller: Caller, context: Context): Result | Promise<Result> {
  const { plan, walked } = write
  const database = scopedDatabaseOf(plan.steps, plan.kind === 'create' ? plan.from : undefined, caller)
  const collection = plan.kind === 'create' ? plan.from.collection : plan.collection
  const rules = { checked: isChecked(collection, caller), refusal: caller.denial('update', collection) }
  return after(runWrite(plan, database, context, rules), result => {
    const outcome = (identifiers: readonly string[]): Result => ({ kind: 'write', write, result, identifiers })
    return result.kind === 'ambiguous'
      ? disambiguate(walked, result, database, true).then(outcome)
      : outcome([])
  })
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
  walked: readonly Walked[], result: ReadResult | JsonResult | WriteResult, database: ScopedDatabase, noCache: boolean
): Promise<readonly string[]> {
  if (result.kind !== 'ambiguous') return []
  const matching: string[] = []
  for (const { identifier, plan } of planCandidates(walked, result.step)) {
    const { kind } = await database.read(plan, noCache)
    if (kind === 'rows') matching.push(identifier)
  }
  return matching
}
