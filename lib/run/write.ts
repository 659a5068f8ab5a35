import { after } from '../after.ts'
import type { Context, Saved, Values } from '../collection.ts'
import { type DataApiError, unavailable, validation } from '../errors.ts'
import type { KeyValues } from '../model/keys.ts'
import type { Collection } from '../model/model.ts'
import { parentKey } from '../plan/body.ts'
import type { Projection, Step, WritePlan, WritePlanOf, Row } from '../plan/plan.ts'
import { selectKey } from '../plan/select.ts'
import { checkConditions, versionOf } from '../plan/tag.ts'
import type { ScopedDatabase } from '../rules/scoped-database.ts'
import { confirm } from './confirm.ts'
import { singleChange } from './single-change.ts'
import { toItem } from './stored-values.ts'
import {
  assign, byKey, calling, createItem, forcedFields, itemSelection, keyOf, linkElements, type UnitOfWork, updateItem
} from './create-update.ts'
import { commitRefusal, expectChanged } from './violations.ts'
import { type Change, type Changed, type Missed, type ReadResult, RefusedAtCommit } from '../sources/source.ts'

/** The result of a write. */
export type WriteResult =
  | { readonly kind: 'created', readonly items: readonly Created[] }
  | { readonly kind: 'updated', readonly row: Row | undefined }
  | { readonly kind: 'deleted' }
  | Missed

/** The key of a new item, and its row if the client asked for a representation. */
export interface Created { readonly key: KeyValues, readonly row: Row | undefined }

/**
 * Runs a write: as a single statement if the plan is enough to build it, otherwise in a transaction with the
 * application's setters and hooks (docs/http.md: Writing).
 */
export function runWrite (
  plan: WritePlan, database: ScopedDatabase, context: Context, { checked, refusal }: WriteRules
): WriteResult | Promise<WriteResult> {
  const change = checked && plan.kind !== 'delete' ? undefined : singleChange(plan)
  return change === undefined
    ? runInTransaction(plan, database, context, refusal)
    : runSingle(change, plan, database)
}

/**
 * The caller's rules on a write. `checked`: a rule reads the written values, so the write needs a transaction.
 * `refusal`: the error for an upsert whose item exists and may not be updated.
 */
interface WriteRules { readonly checked: boolean, readonly refusal: DataApiError | undefined }

async function runInTransaction (
  plan: WritePlan, database: ScopedDatabase, context: Context, refusal: DataApiError | undefined
): Promise<WriteResult> {
  const saved: UnitOfWork['saved'] = []
  const attempt = (isRetry: boolean) => database.transaction(async session => {
    // A database may run this function again.
    saved.length = 0
    const work = { session, context: { ...context, transaction: session.transaction }, saved }
    return runPlan(plan, work, { isRetry, refusal })
  })
  const result = await attempt(false).catch((error: unknown) => {
    if (!isUpsertConflict(error, plan)) throw error
    return attempt(true)
  }).catch((error: unknown) => { throw error instanceof RefusedAtCommit ? commitRefusal(error) : error })
  for (const one of saved) await notifySaved(one, context)
  return result
}

/** Runs the single statement of a write. Its row count tells if the item exists. */
function runSingle (change: Change, plan: WritePlan, database: ScopedDatabase): WriteResult | Promise<WriteResult> {
  return after(database.change(change), changed => changed.kind === 'unchanged' && plan.kind !== 'create'
    ? explainUnchanged(change, plan, database)
    : resultOf(plan, change, changed))
}

/**
 * Returns the missing or ambiguous step because of which a change had no effect. If the path leads to an item by now,
 * makes the change. Throws unavailable after three tries.
 */
async function explainUnchanged (
  change: Change, plan: Exclude<WritePlan, { kind: 'create' }>, database: ScopedDatabase
): Promise<WriteResult> {
  // Another request may create the item between the two statements, so the change is tried again.
  for (let tries = 0; tries < 3; tries++) {
    const found = await database.read({ kind: 'item', steps: plan.steps, select: [] }, true)
    if (isMissed(found)) return found
    const changed = await database.change(change)
    if (changed.kind !== 'unchanged') return resultOf(plan, change, changed)
  }
  throw unavailable(new Error('an item disappeared and came back while it was written'))
}

function resultOf (plan: WritePlan, change: Change, changed: Changed): WriteResult {
  const collection = plan.kind === 'create' ? plan.from.collection : plan.collection
  const { key } = expectChanged(changed, collection, '', plan.kind === 'delete')
  if (plan.kind === 'delete') return { kind: 'deleted' }
  if (plan.kind === 'update' || change.kind !== 'insert') return { kind: 'updated', row: undefined }
  return { kind: 'created', items: [{ key: key ?? [], row: undefined }] }
}

/**
 * Rolls back an upsert whose insert met a duplicate: another request has created the item meanwhile, or another item
 * has one of its unique values. The upsert then runs a second time.
 */
class UpsertConflict extends Error {}

function isUpsertConflict (error: unknown, plan: WritePlan): boolean {
  if (error instanceof UpsertConflict) return true
  const isUpsert = plan.kind === 'update' && plan.insert !== undefined
  return isUpsert && error instanceof RefusedAtCommit && error.refused.by === 'unique'
}

/** `isRetry`: the second run of an upsert, in which a duplicate is an error. `refusal`: as in WriteRules. */
interface UpsertRules { readonly isRetry: boolean, readonly refusal: DataApiError | undefined }

function runPlan (plan: WritePlan, work: UnitOfWork, rules: UpsertRules): Promise<WriteResult> {
  switch (plan.kind) {
    case 'create': return runCreate(plan, work)
    case 'update': return runUpdate(plan, work, rules)
    case 'delete': return runDelete(plan, work)
  }
}

async function runCreate (
  { steps, from, given, bodies, representation }: WritePlanOf<'create'>, work: UnitOfWork
): Promise<WriteResult> {
  const parent = await lockParent(steps, work)
  if (parent.kind !== 'parent') return parent
  const items: Created[] = []
  for (const body of bodies) {
    const item = await createItem({ body, from, given, parent: parent.key, orNothing: false }, work)
    if (item === undefined) throw new TypeError('an insert without a conflict clause inserted nothing')
    const row = await readProjection(from.collection, item, representation, work)
    items.push({ key: keyOf(item, from.collection), row })
  }
  return { kind: 'created', items }
}

/** The key of the parent item; undefined for items without a parent. */
interface Parent { readonly kind: 'parent', readonly key: KeyValues | undefined }

/** Locks the parent of new items, which therefore exists until the transaction ends. */
async function lockParent (steps: readonly Step[], { session }: UnitOfWork): Promise<Parent | Missed> {
  const last = steps.at(-1)
  if (last === undefined) return { kind: 'parent', key: undefined }
  const found = await session.lock({ kind: 'item', steps, select: selectKey(last.collection) })
  return isMissed(found) ? found : { kind: 'parent', key: keyOf(rowOf(found), last.collection) }
}

async function runUpdate (plan: WritePlanOf<'update'>, work: UnitOfWork, rules: UpsertRules): Promise<WriteResult> {
  const { insert, conditions, collection, representation } = plan
  const found = await lockItem(plan, work)
  if (!isMissed(found)) {
    if (rules.refusal !== undefined) throw rules.refusal
    return updateFound(plan, rowOf(found), work)
  }
  if (insert === undefined || found.kind !== 'missing' || found.step !== plan.steps.length - 1) return found
  checkConditions(conditions, undefined, collection.strategies.requireIfMatch)
  const parent = await lockParent(plan.steps.slice(0, -1), work)
  if (parent.kind !== 'parent') return parent
  if (insert.body.violations.length > 0) throw validation(insert.body.violations)
  const created = await createItem({ ...insert, parent: parent.key, orNothing: !rules.isRetry }, work)
  if (created === undefined) throw new UpsertConflict()
  const row = await readProjection(collection, created, representation, work)
  return { kind: 'created', items: [{ key: keyOf(created, collection), row }] }
}

const lockItem = ({ steps, collection, body }: WritePlanOf<'update'>, { session }: UnitOfWork) =>
  session.lock({ kind: 'item', steps, select: itemSelection(collection, body.confirmations) })

async function updateFound (plan: WritePlanOf<'update'>, row: Row, work: UnitOfWork): Promise<WriteResult> {
  const { collection, body, insert, conditions, representation } = plan
  checkConditions(conditions, versionOf(row, collection), collection.strategies.requireIfMatch)
  const violations = [...body.violations, ...confirm(body.confirmations, row)]
  if (violations.length > 0) throw validation(violations)
  const parentFields = parentKey(insert?.from.via)
  const change = (item: Values) => assign(body, { item, isNew: false, collection, parentFields }, work)
  const item = await updateItem({ collection, row, pointer: '', forced: forcedFields(body), change }, work)
  await linkElements(body, keyOf(item, collection), work)
  return { kind: 'updated', row: await readProjection(collection, item, representation, work) }
}

async function runDelete (
  { steps, collection, conditions }: WritePlanOf<'delete'>, work: UnitOfWork
): Promise<WriteResult> {
  const found = await work.session.lock({ kind: 'item', steps, select: itemSelection(collection, []) })
  if (isMissed(found)) return found
  const row = rowOf(found)
  checkConditions(conditions, versionOf(row, collection), collection.strategies.requireIfMatch)
  const item = toItem(row, collection)
  const callSite = { collection, pointer: '', work }
  await calling("hook 'deleting'", callSite, () => collection.hooks.deleting?.(item, work.context))
  const change = { kind: 'delete', collection, steps: byKey(collection, keyOf(row, collection)) } as const
  expectChanged(await work.session.change(change), collection, '', true)
  work.saved.push({ collection, saved: { kind: 'deleted', item } })
  return { kind: 'deleted' }
}

/** Returns the fields that the client asked for, as the transaction sees them. */
async function readProjection (
  collection: Collection, item: Values, representation: Projection | undefined, { session }: UnitOfWork
): Promise<Row | undefined> {
  if (representation === undefined) return undefined
  const steps = byKey(collection, keyOf(item, collection))
  const found = await session.read({ kind: 'item', steps, select: representation.select })
  return isMissed(found) ? undefined : rowOf(found)
}

const isMissed = (result: ReadResult): result is Missed => result.kind === 'missing' || result.kind === 'ambiguous'

function rowOf (found: Exclude<ReadResult, Missed>): Row {
  const [row] = found.kind === 'rows' ? found.rows : []
  if (row === undefined) throw new TypeError('a source that finds an item gives its row')
  return row
}

/** Calls the hook `saved` after the commit. An error of the hook cannot undo the write, and is logged. */
async function notifySaved (
  { collection, saved }: { readonly collection: Collection, readonly saved: Saved<Values> }, context: Context
): Promise<void> {
  try {
    await collection.hooks.saved?.(saved, context)
  } catch (error) {
    const message = `collection '${collection.property}': the hook 'saved' failed after an item was ${saved.kind}`
    context.request.log.error({ err: error }, message)
  }
}
