import { setImmediate } from 'node:timers/promises'
import { logError } from '../errors/rejections.ts'
import type { Collection } from '../model/model.ts'
import type { NamedLines } from '../plan/write/merge.ts'
import type { Slice } from '../plan/write/slices.ts'
import type { Caller } from '../rules/caller.ts'
import { type ScopedSession, sharedTransaction, unscopedSession } from '../rules/scoped-database.ts'
import { databaseOf, type Missed } from '../sources/source.ts'
import { resultOf, rollBack } from './batch.ts'
import type { AfterCommit, RunContext, UnitOfWork } from './context.ts'
import { outcomeOf, type WriteOutcome } from './run.ts'
import { notifySaved, runPlan, type WriteResult } from './write.ts'

/** An import that is ready to run. `slices`: read again where a database runs a transaction again. */
interface RunningImport {
  readonly collection: Collection
  slices (): AsyncIterable<Slice>
  readonly caller: Caller
  readonly context: RunContext
  /** True for an import that is tried: all is rolled back. */
  readonly dryRun: boolean
  /** Throws the error of a path that leads to no item, or to several. */
  refuse (outcome: WriteOutcome): unknown
}

/** The numbers of items. `count`: all of them. */
export interface ImportCounts { readonly count: number, readonly updated: number, readonly ignored: number }

/**
 * Writes the slices in one transaction, and returns the numbers of items. Each slice is written as the array of a POST
 * is, so what is kept of it in memory ends with it; the items of a slice must be in the caller's scope at its end.
 */
export async function runImport (running: RunningImport): Promise<ImportCounts> {
  const { collection, context, dryRun } = running
  const afterCommit: AfterCommit = []
  const imported = await importAll(running, afterCommit, false).catch((error: unknown) => {
    if (!(error instanceof LostRace)) throw error
    return importAll(running, afterCommit, true)
  }).catch((error: unknown) => resultOf<ImportCounts>(error))
  if (dryRun) return imported
  for (const notify of afterCommit) await notify()
  try {
    await collection.hooks.imported?.(imported.count - imported.ignored, context)
  } catch (error) {
    const message = `collection '${collection.property}': the hook 'imported' failed after an import`
    logError(context.log, { err: error }, message)
  }
  return imported
}

/** Rolls back an import that neither found nor could create the item of a line: another request has created it. */
class LostRace extends Error {}

/** `isRetry`: the second run of an import, in which such an item is an error. */
function importAll (running: RunningImport, afterCommit: AfterCommit, isRetry: boolean): Promise<ImportCounts> {
  const { collection, caller, dryRun } = running
  return sharedTransaction(caller.inSession(databaseOf(collection)), [caller], async begin => {
    // A database may run this function again.
    afterCommit.length = 0
    const counts = { count: 0, updated: 0, ignored: 0 }
    await eachAhead(running.slices(), async slice => {
      const { session, check } = begin(caller)
      const result = await runSlice(slice, session, running, afterCommit).then(async result => {
        await check()
        return result
      }).catch((error: unknown) => { throw slice.errorOf(error) })
      if (result.kind === 'missing' || result.kind === 'ambiguous') {
        if (!isRetry && result.kind === 'missing' && isOfLine(slice, result)) throw new LostRace()
        await refuse(slice, result, session, running)
      }
      counts.count += slice.count
      if (result.kind === 'updated') counts.updated++
      if (result.kind === 'ignored') counts.ignored++
      unscopedSession(session).renew?.()
    })
    return dryRun ? rollBack(counts, unscopedSession(begin(caller).session)) : counts
  })
}

/** Throws the error of a path that leads to no item, or to several, with the line if it is the line that names them. */
async function refuse (
  slice: Slice, missed: Missed, session: ScopedSession, running: RunningImport
): Promise<void> {
  try {
    await running.refuse(await outcomeOf(slice.write, missed, session))
  } catch (error) {
    throw isOfLine(slice, missed) ? slice.errorOf(error) : error
  }
}

const isOfLine = ({ write: { plan } }: Slice, { step }: Missed) =>
  plan.kind === 'update' && step === plan.steps.length - 1

/** Writes the slices in order. Each is read once the statement of the one before is sent, and others had their turn. */
async function eachAhead (slices: AsyncIterable<Slice>, write: (slice: Slice) => Promise<void>): Promise<void> {
  const iterator = slices[Symbol.asyncIterator]()
  try {
    for (let next = await iterator.next(); next.done !== true;) {
      const written = write(next.value)
      const following = setImmediate().then(() => iterator.next())
      // What is wrong with this slice is told before what is wrong with the next.
      following.catch(() => {})
      await written
      next = await following
    }
  } finally {
    await iterator.return?.()
  }
}

async function runSlice (
  slice: Slice, session: ScopedSession, { collection, caller, context }: RunningImport, afterCommit: AfterCommit
): Promise<WriteResult | { readonly kind: 'ignored' }> {
  if (await isIgnored(slice, session)) return { kind: 'ignored' }
  const { write } = slice
  const saved: UnitOfWork['saved'] = []
  const entered = context.enter(session, collection, afterCommit)
  const work = { session, caller, context: entered.context, scalar: false, saved }
  const result = await runPlan(write.plan, work, true)
  await entered.complete()
  // The items themselves are told at once, by their number.
  const others = saved.filter(one => one.collection.property !== collection.property)
  afterCommit.push(...others.map(one => () => notifySaved(one, context)))
  return result
}

/** Returns true if the item of a line exists: it was so when the names of its slice were read, or it is by now. */
async function isIgnored ({ unless, named }: Slice, session: ScopedSession): Promise<boolean> {
  if (unless === undefined) return false
  if (named !== undefined && (await namesOf(named.among, session)).has(named.name)) return true
  const found = await session.read({ kind: 'item', steps: unless, select: [] })
  return found.kind === 'rows'
}

const read = new WeakMap<NamedLines, Promise<ReadonlySet<unknown>>>()

/** Returns the names that one item has. */
function namesOf (among: NamedLines, session: ScopedSession): Promise<ReadonlySet<unknown>> {
  const known = read.get(among) ?? readNames(among, session)
  read.set(among, known)
  return known
}

async function readNames ({ plan, property }: NamedLines, session: ScopedSession): Promise<ReadonlySet<unknown>> {
  const found = await session.read(plan)
  const names = new Set<unknown>()
  const several = new Set<unknown>()
  for (const row of found.kind === 'rows' ? found.rows : []) {
    const name = row[property]
    if (names.has(name)) several.add(name)
    names.add(name)
  }
  for (const name of several) names.delete(name)
  return names
}
