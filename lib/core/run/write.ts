import { after } from '../scheduling/after.ts'
import type { Saved, ItemValues } from '../declare/collection.ts'
import { constraint, forbidden, validation } from '../errors/errors.ts'
import { logError } from '../errors/rejections.ts'
import type { KeyValues } from '../model/identifiers.ts'
import type { Collection } from '../model/model.ts'
import { parentKey } from '../plan/write/path-values.ts'
import type { WritePlan, WritePlanOf, Row } from '../plan/plan.ts'
import { checkConditions, versionOf } from '../plan/tag.ts'
import type { AuthorisedChange } from '../rules/authorise.ts'
import type { Caller } from '../rules/caller.ts'
import { isCreationChecked, isDeletionChecked, isScoped, isUpdateChecked } from '../rules/references.ts'
import type { ScopedDatabase, ScopedSession } from '../rules/scoped-database.ts'
import { amended, mergedFields, withoutTexts } from './amend.ts'
import { calling, type CallSite } from './application.ts'
import { changedValues, confirm, toItem, valueIn } from './stored-values.ts'
import type { AfterCommit, RunContext, UnitOfWork } from './context.ts'
import { singleChange } from './single-change.ts'
import { assign, createItem, linkElements } from './create-item.ts'
import { fitsParent, isElsewhere, runCreate } from './create-items.ts'
import { draftOf, editable, type ItemDraft } from './item-draft.ts'
import { runLink, runUnlink } from './links.ts'
import {
  byKey, isMissed, itemSelection, keyOf, lockItem, lockParent, readProjection, rowOf
} from './locate.ts'
import { lockInOrder } from './lock-order.ts'
import { runEach, runMany } from './many.ts'
import { isMoved } from './moved.ts'
import { forcedFields, updateItem } from './update-item.ts'
import { commitRefusal, expectChanged } from './violations.ts'
import { type Changed, type Missed, RefusedAtCommit } from '../sources/source.ts'

export type WriteResult =
  | { readonly kind: 'created', readonly items: readonly Created[] }
  | { readonly kind: 'linked', readonly items: readonly Linked[] }
  /**
   * `key`: undefined where the update was a single statement or changed links. `moved`: true if it has changed what its
   * URL names the item by.
   */
  | { readonly kind: 'updated', readonly row: Row | undefined, readonly key?: KeyValues, readonly moved?: boolean }
  | { readonly kind: 'deleted' }
  /** `items`: those that were updated. */
  | { readonly kind: 'affected', readonly affected: number, readonly items: readonly Created[] }
  | Missed

/** The key of an item that was written, and its row if the client asked for a representation. */
export interface Created { readonly key: KeyValues, readonly row: Row | undefined }

/** An item that is linked now. `isNew`: the request has created it. */
export interface Linked extends Created { readonly isNew: boolean }

/**
 * Runs a write: as a single statement if the plan is enough to build it, otherwise in a transaction with the
 * application's setters and hooks (docs/http.md: Writing).
 */
export function runWrite (
  plan: WritePlan, database: ScopedDatabase, context: RunContext, caller: Caller
): WriteResult | Promise<WriteResult> {
  const change = isCheckedWrite(plan, caller) ? undefined : singleChange(plan, caller)
  const run = () => runInTransaction(plan, database, context, caller)
  return change === undefined ? run() : runSingle(change, plan, database, caller.guarded ? run : undefined)
}

/** Returns true if scopes or reading rules must be checked in the transaction of the write. */
function isCheckedWrite (plan: WritePlan, caller: Caller): boolean {
  switch (plan.kind) {
    case 'create': return isCreationChecked(plan.from.collection, caller)
    case 'update': return isUpdateChecked(plan, caller)
    case 'delete': return isScoped(plan.collection, caller, 'delete') || isDeletionChecked(plan.collection, caller)
    default: return true
  }
}

async function runInTransaction (
  plan: WritePlan, database: ScopedDatabase, context: RunContext, caller: Caller
): Promise<WriteResult> {
  const afterCommit: AfterCommit = []
  const attempt = (isRetry: boolean) => database.transaction(async session => {
    // A database may run this function again.
    afterCommit.length = 0
    return runInSession(plan, { session, caller, context, afterCommit }, isRetry)
  })
  // Part of a larger transaction cannot be rolled back and run again.
  const isPart = context.afterCommit !== undefined
  const result = await attempt(isPart).catch((error: unknown) => {
    if (isPart || !isUpsertConflict(error, plan)) throw error
    return attempt(true)
  }).catch((error: unknown) => { throw error instanceof RefusedAtCommit ? commitRefusal(error) : error })
  if (context.afterCommit !== undefined) context.afterCommit.push(...afterCommit)
  else for (const notify of afterCommit) await notify()
  return result
}

/** The transaction of a write, and whose it is. */
interface WriteSession {
  readonly session: ScopedSession
  readonly caller: Caller
  readonly context: RunContext
  /** Gets the functions to call after the commit. */
  readonly afterCommit: AfterCommit
}

/** Runs a write with the application's setters and hooks. `isRetry`: see runPlan. */
export async function runInSession (
  plan: WritePlan, { session, caller, context, afterCommit }: WriteSession, isRetry: boolean
): Promise<WriteResult> {
  const saved: UnitOfWork['saved'] = []
  const entered = context.enter(session, collectionOf(plan), afterCommit)
  const scalar = plan.kind === 'update' && plan.scalar
  const result = await runPlan(plan, { session, caller, context: entered.context, scalar, saved }, isRetry)
  await entered.complete()
  afterCommit.push(...saved.map(one => () => notifySaved(one, context)))
  return result
}

export const collectionOf = (plan: WritePlan) => plan.kind === 'create' ? plan.from.collection : plan.collection

/**
 * Runs the single statement of a write. Its row count tells if the item exists. An update of a guarded caller that has
 * changed nothing is left to `run`, which knows what the caller may learn.
 */
function runSingle (
  change: AuthorisedChange, plan: WritePlan, database: ScopedDatabase, run: (() => Promise<WriteResult>) | undefined
): WriteResult | Promise<WriteResult> {
  return after(database.change(change), changed => {
    if (changed.kind !== 'changed' && plan.kind === 'update' && run !== undefined) return run()
    return changed.kind === 'unchanged' && plan.kind !== 'create'
      ? explainUnchanged(change, plan, database)
      : resultOf(plan, change, changed)
  })
}

/**
 * Returns the missing or ambiguous step because of which a change had no effect. If the path leads to an item by now,
 * makes the change. Throws forbidden after three tries: a policy or a trigger prevents the change.
 */
async function explainUnchanged (
  change: AuthorisedChange, plan: Exclude<WritePlan, { kind: 'create' }>, database: ScopedDatabase
): Promise<WriteResult> {
  // Another request may create the item between the two statements, so the change is tried again.
  for (let tries = 0; tries < 3; tries++) {
    const found = await database.read({ kind: 'item', steps: plan.steps, select: [] }, true)
    if (isMissed(found)) return found
    const changed = await database.change(change)
    if (changed.kind !== 'unchanged') return resultOf(plan, change, changed)
  }
  throw forbidden(new Error('an item can be read, but not changed; a policy or a trigger of the database prevents it'))
}

function resultOf (plan: WritePlan, change: AuthorisedChange, changed: Changed): WriteResult {
  const pointer = plan.kind === 'create' ? plan.bodies.all()[0]?.pointer ?? '' : ''
  // A trigger has dropped the row, or stored it elsewhere.
  if (plan.kind === 'create' && changed.kind === 'unchanged') throw constraint([], pointer)
  const { keys: [key] = [] } = expectChanged(changed, collectionOf(plan), pointer, plan.kind === 'delete')
  if (plan.kind === 'delete') return { kind: 'deleted' }
  if (plan.kind === 'update' || change.kind !== 'insert') return { kind: 'updated', row: undefined }
  return { kind: 'created', items: [{ key: key ?? [], row: undefined }] }
}

/**
 * Rolls back an upsert whose insert met a duplicate: another request has created the item meanwhile, or another item
 * has one of its unique values. The upsert then runs a second time.
 */
class UpsertConflict extends Error {}

/** Returns true for an upsert that is to run a second time, as its transaction was rolled back. */
export function isUpsertConflict (error: unknown, plan: WritePlan): boolean {
  if (error instanceof UpsertConflict) return true
  const isUpsert = (plan.kind === 'each' ? plan.updates : [plan]).some(one => 'insert' in one && one.insert)
  return isUpsert && error instanceof RefusedAtCommit && error.refused.by === 'unique'
}

/** `isRetry`: the second run of an upsert, in which a duplicate is an error. */
export function runPlan (plan: WritePlan, work: UnitOfWork, isRetry: boolean): Promise<WriteResult> {
  switch (plan.kind) {
    case 'create': return runCreate(plan, work)
    case 'update': return runUpdate(plan, work, isRetry)
    case 'delete': return runDelete(plan, work)
    case 'link': return runLink(plan, work)
    case 'unlink': return runUnlink(plan, work)
    case 'many': return runMany(plan, work, (one, own) => runPlan(one, own, isRetry))
    case 'each': return runEach(plan, work, one => runUpdate(one, work, isRetry))
  }
}

async function runUpdate (plan: WritePlanOf<'update'>, work: UnitOfWork, isRetry: boolean): Promise<WriteResult> {
  const { insert, conditions, collection, representation } = plan
  await lockInOrder(plan.steps, [plan.body], work)
  const select = itemSelection(collection, plan.body.confirmations, mergedFields(plan.body))
  // An upsert inserts an item that it does not find, and finds out by that if there is one.
  const found = insert === undefined || isRetry
    ? await lockItem(plan.steps, select, work)
    : await work.session.lock({ kind: 'item', steps: plan.steps, select })
  if (!isMissed(found)) {
    // An upsert of a caller who may only create.
    const denial = work.caller.denial('update', collection)
    if (denial !== undefined) throw denial
    const locked = rowOf(found)
    await work.session.permit?.('update', collection, keyOf(locked, collection))
    return updateFound(plan, locked, work)
  }
  if (insert === undefined || found.kind !== 'missing' || found.step !== plan.steps.length - 1) return found
  const parent = await lockParent(plan.steps.slice(0, -1), work)
  if (parent.kind !== 'parent') return parent
  if (!fitsParent(insert, parent) || await isElsewhere(insert, parent, work)) return found
  checkConditions(conditions, undefined, collection.strategies.requireIfMatch)
  if (insert.body.violations.length > 0) throw validation(insert.body.violations)
  const { from, given, body } = insert
  const skipped = isRetry ? 'given' : 'all'
  const created = await createItem({ from, given, body, parent: parent.item, skipped }, work)
  // The path leads to no item, and its identifier is another item's, such as one of another parent.
  if (created === undefined && isRetry) return found
  if (created === undefined) throw new UpsertConflict()
  const key = keyOf(created, collection)
  return { kind: 'created', items: [{ key, row: await readProjection(collection, key, representation, work) }] }
}

async function updateFound (plan: WritePlanOf<'update'>, locked: Row, work: UnitOfWork): Promise<WriteResult> {
  const { collection, insert, conditions, representation } = plan
  const row = withoutTexts(locked, plan.body)
  checkConditions(conditions, versionOf(row, collection), collection.strategies.requireIfMatch)
  const { body, texts } = amended(plan, locked)
  const violations = [...body.violations, ...confirm(body.confirmations, row)]
  if (violations.length > 0) throw validation(violations)
  const change = (draft: ItemDraft) => {
    const url = new Map(parentKey(insert?.from.via).map(field => [field, valueIn(draft.values, field)]))
    return assign(body, { draft, collection, url }, work)
  }
  const { pointer } = body
  const forced = forcedFields(body, collection)
  const item = await updateItem({ collection, row, pointer, forced, texts, change }, work)
  const key = keyOf(item, collection)
  await linkElements(body, { key, isNew: false }, work)
  const shown = await readProjection(collection, key, representation, work)
  return { kind: 'updated', row: shown, key, moved: isMoved(plan, row, item) }
}

async function runDelete (
  { steps, collection, conditions }: WritePlanOf<'delete'>, work: UnitOfWork
): Promise<WriteResult> {
  const found = await lockItem(steps, itemSelection(collection, []), work)
  if (isMissed(found)) return found
  const row = rowOf(found)
  await work.session.permit?.('delete', collection, keyOf(row, collection))
  checkConditions(conditions, versionOf(row, collection), collection.strategies.requireIfMatch)
  const item = toItem(row, collection)
  const callSite = { collection, pointer: '', work }
  await calling("hook 'deleting'", callSite, () => collection.hooks.deleting?.(item, work.context))
  const change = await deletionOf(row, callSite)
  if (change !== undefined) expectChanged(await work.session.change(change), collection, '', true)
  work.saved.push({ collection, saved: { kind: 'deleted', item } })
  await calling("hook 'deleted'", callSite, () => collection.hooks.deleted?.(item, work.context))
  return { kind: 'deleted' }
}

/** Returns the change that deletes an item; undefined if the application deletes it without a change. */
async function deletionOf (row: Row, callSite: CallSite): Promise<AuthorisedChange | undefined> {
  const { collection, work } = callSite
  const { deletion } = collection
  const steps = byKey(collection, keyOf(row, collection))
  if (deletion === undefined) return { kind: 'delete', collection, steps }
  const draft = draftOf(row, collection)
  await calling("function 'delete'", callSite, () => deletion(editable(draft), work.context))
  const values = changedValues(toItem(row, collection), draft, collection, {}, '')
  return values.size === 0
    ? undefined
    : { kind: 'update', collection, steps, values, asked: draft.asked, deletes: true }
}

/** Calls the hook `saved` after the commit. An error of the hook cannot undo the write, and is logged. */
export async function notifySaved (
  { collection, saved }: { readonly collection: Collection, readonly saved: Saved<ItemValues> }, context: RunContext
): Promise<void> {
  try {
    await collection.hooks.saved?.(saved, context)
  } catch (error) {
    const message = `collection '${collection.property}': the hook 'saved' failed after an item was ${saved.kind}`
    logError(context.log, { err: error }, message)
  }
}
