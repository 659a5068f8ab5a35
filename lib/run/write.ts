import type { Context, Saved, Values } from '../collection.ts'
import { type DataApiError, unavailable, validation } from '../errors.ts'
import type { Collection } from '../model/model.ts'
import type { Scalar } from '../model/values.ts'
import { parentKey } from '../plan/body.ts'
import type { Projection, Step, WritePlan, WritePlanOf, Row } from '../plan/plan.ts'
import { checkConditions, versionOf } from '../plan/tag.ts'
import type { ScopedDatabase } from '../rules/scoped-database.ts'
import { confirm } from './confirm.ts'
import { directChange } from './single-change.ts'
import { toItem } from './stored-values.ts'
import { blindIn, byKey, calling, createItem, itemSelection, keyOf, linkElements, assign, updateItem, type Work } from './create-update.ts'
import { commitRefusal, expectChanged } from './violations.ts'
import { type Change, type Changed, type Missed, type ReadResult, RefusedAtCommit } from '../sources/source.ts'

/** What came of a write. */
export type WriteResult =
  | { readonly kind: 'created', readonly items: readonly Created[] }
  | { readonly kind: 'updated', readonly row: Row | undefined }
  | { readonly kind: 'deleted' }
  | Missed

/** A new item's key, and what is shown of it where that was asked for. */
export interface Created { readonly key: unknown, readonly row: Row | undefined }

/**
 * Runs a write: one statement where nothing must be known first, else a transaction with the application's setters and hooks in it (docs/http.md: Writing).
 * `checked`: whether a rule looks at what is written, which takes a transaction. `refusal`: why an item that is there may not be updated, where an upsert
 * may be sent for one that is not.
 */
export function runWrite (plan: WritePlan, database: ScopedDatabase, context: Context, { checked, refusal }: Ruled): WriteResult | Promise<WriteResult> {
  const change = checked && plan.kind !== 'delete' ? undefined : directChange(plan)
  return change === undefined ? runInTransaction(plan, database, context, refusal) : runDirect(change, plan, database)
}

interface Ruled { readonly checked: boolean, readonly refusal: DataApiError | undefined }

async function runInTransaction (plan: WritePlan, database: ScopedDatabase, context: Context, refusal: DataApiError | undefined): Promise<WriteResult> {
  const saved: Work['saved'] = []
  const once = (insist: boolean) => database.transaction(async session => {
    // A database may have to do the work again.
    saved.length = 0
    return runInside(plan, { session, context: { ...context, transaction: session.transaction }, saved }, { insist, refusal })
  })
  const result = await once(false).catch((error: unknown) => {
    if (!isUpsertConflict(error, plan)) throw error
    return once(true)
  }).catch((error: unknown) => { throw error instanceof RefusedAtCommit ? commitRefusal(error) : error })
  for (const one of saved) await tell(one, context)
  return result
}

/** A single statement; its count tells whether there was such an item. */
function runDirect (change: Change, plan: WritePlan, database: ScopedDatabase): WriteResult | Promise<WriteResult> {
  const changed = database.change(change)
  return changed instanceof Promise ? changed.then(one => directEnd(one, change, plan, database)) : directEnd(changed, change, plan, database)
}

const directEnd = (changed: Changed, change: Change, plan: WritePlan, database: ScopedDatabase): WriteResult | Promise<WriteResult> =>
  changed.kind === 'unchanged' && plan.kind !== 'create' ? runMissed(change, plan, database) : directResult(plan, change, changed)

/** Why nothing was changed. */
async function runMissed (change: Change, plan: Exclude<WritePlan, { kind: 'create' }>, database: ScopedDatabase): Promise<WriteResult> {
  // An item that came in the moment between the two statements is there for the next try.
  for (let tries = 0; tries < 3; tries++) {
    const found = await database.read({ kind: 'item', steps: plan.steps, select: [] }, true)
    if (isMissed(found)) return found
    const changed = await database.change(change)
    if (changed.kind !== 'unchanged') return directResult(plan, change, changed)
  }
  throw unavailable(new Error('an item disappeared and came back while it was written'))
}

function directResult (plan: WritePlan, change: Change, result: Changed): WriteResult {
  const collection = plan.kind === 'create' ? plan.from.collection : plan.collection
  const { key } = expectChanged(result, collection, '', plan.kind === 'delete')
  if (plan.kind === 'delete') return { kind: 'deleted' }
  if (plan.kind === 'update' || change.kind !== 'insert') return { kind: 'updated', row: undefined }
  return { kind: 'created', items: [{ key, row: undefined }] }
}

/** Somebody else created the item of an upsert meanwhile, or another item has one of its values. What was done for it is undone, and the whole done again. */
class UpsertConflict extends Error {}

const isUpsertConflict = (error: unknown, plan: WritePlan) =>
  error instanceof UpsertConflict || (plan.kind === 'update' && plan.otherwise !== undefined && error instanceof RefusedAtCommit && error.refused.by === 'unique')

/** `insist`: whether an upsert that would be a duplicate is one. */
interface Upserting { readonly insist: boolean, readonly refusal: DataApiError | undefined }

function runInside (plan: WritePlan, work: Work, upserting: Upserting): Promise<WriteResult> {
  switch (plan.kind) {
    case 'create': return runCreate(plan, work)
    case 'update': return runUpdate(plan, work, upserting)
    case 'delete': return runDelete(plan, work)
  }
}

async function runCreate ({ steps, from, given, bodies, shows }: WritePlanOf<'create'>, work: Work): Promise<WriteResult> {
  const parent = await findParent(steps, work)
  if (parent.kind !== 'parent') return parent
  const items: Created[] = []
  for (const body of bodies) {
    const item = await createItem({ body, from, given, parent: parent.key, orNothing: false }, work)
    if (item === undefined) throw new TypeError('an insert without a conflict clause inserted nothing')
    items.push({ key: item[from.collection.key.property], row: await represent(from.collection, item, shows, work) })
  }
  return { kind: 'created', items }
}

/** The key of the item that new ones belong to, which stays as long as the transaction runs; none where they belong to nobody. */
async function findParent (steps: readonly Step[], { session }: Work): Promise<{ readonly kind: 'parent', readonly key: Scalar | undefined } | Missed> {
  const last = steps.at(-1)
  if (last === undefined) return { kind: 'parent', key: undefined }
  const { key } = last.collection
  const found = await session.lock({ kind: 'item', steps, select: [{ kind: 'value', name: key.name, field: key }] })
  return isMissed(found) ? found : { kind: 'parent', key: keyOf(rowOf(found), last.collection) }
}

async function runUpdate (plan: WritePlanOf<'update'>, work: Work, { insist, refusal }: Upserting): Promise<WriteResult> {
  const { otherwise, conditions, collection, shows } = plan
  const found = await lockItem(plan, work)
  if (!isMissed(found) && refusal !== undefined) throw refusal
  if (!isMissed(found)) return updateFound(plan, rowOf(found), work)
  if (otherwise === undefined || found.kind !== 'missing' || found.step !== plan.steps.length - 1) return found
  checkConditions(conditions, undefined, collection.strategies.requireIfMatch)
  const parent = await findParent(plan.steps.slice(0, -1), work)
  if (parent.kind !== 'parent') return parent
  if (otherwise.body.violations.length > 0) throw validation(otherwise.body.violations)
  const created = await createItem({ ...otherwise, parent: parent.key, orNothing: !insist }, work)
  if (created === undefined) throw new UpsertConflict()
  return { kind: 'created', items: [{ key: created[collection.key.property], row: await represent(collection, created, shows, work) }] }
}

const lockItem = ({ steps, collection, body }: WritePlanOf<'update'>, { session }: Work) => session.lock({ kind: 'item', steps, select: itemSelection(collection, body.confirmations) })

async function updateFound ({ collection, body, otherwise, conditions, shows }: WritePlanOf<'update'>, row: Row, work: Work): Promise<WriteResult> {
  checkConditions(conditions, versionOf(row, collection), collection.strategies.requireIfMatch)
  const violations = [...body.violations, ...confirm(body.confirmations, row)]
  if (violations.length > 0) throw validation(violations)
  const item = await updateItem(collection, row, '', item => assign(body, item, collection, parentKey(otherwise?.from.via), work), blindIn(body), work)
  await linkElements(body, keyOf(item, collection), work)
  return { kind: 'updated', row: await represent(collection, item, shows, work) }
}

async function runDelete ({ steps, collection, conditions }: WritePlanOf<'delete'>, work: Work): Promise<WriteResult> {
  const found = await work.session.lock({ kind: 'item', steps, select: itemSelection(collection, []) })
  if (isMissed(found)) return found
  const row = rowOf(found)
  checkConditions(conditions, versionOf(row, collection), collection.strategies.requireIfMatch)
  const item = toItem(row, collection)
  await calling("hook 'deleting'", { collection, pointer: '', work }, () => collection.hooks.deleting?.(item, work.context))
  expectChanged(await work.session.change({ kind: 'delete', collection, steps: byKey(collection, keyOf(row, collection)) }), collection, '', true)
  work.saved.push({ collection, saved: { kind: 'deleted', item } })
  return { kind: 'deleted' }
}

/** What the client prefers to see, as it is in the transaction. */
async function represent (collection: Collection, item: Values, shows: Projection | undefined, { session }: Work): Promise<Row | undefined> {
  if (shows === undefined) return undefined
  const found = await session.read({ kind: 'item', steps: byKey(collection, keyOf(item, collection)), select: shows.select })
  return isMissed(found) ? undefined : rowOf(found)
}

const isMissed = (result: ReadResult): result is Missed => result.kind === 'missing' || result.kind === 'ambiguous'

function rowOf (found: Exclude<ReadResult, Missed>): Row {
  const [row] = found.kind === 'rows' ? found.rows : []
  if (row === undefined) throw new TypeError('a source that finds an item gives its row')
  return row
}

/** Tells the application what lasts. It cannot be undone any more, so what the hook throws is the application's to read in its log. */
async function tell ({ collection, saved }: { readonly collection: Collection, readonly saved: Saved<Values> }, context: Context): Promise<void> {
  try {
    await collection.hooks.saved?.(saved, context)
  } catch (error) {
    context.request.log.error({ err: error }, `collection '${collection.property}': the hook 'saved' failed after an item was ${saved.kind}`)
  }
}
