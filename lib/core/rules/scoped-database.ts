import { forbidden } from '../errors/errors.ts'
import { distincts } from '../model/identifiers.ts'
import type { Collection, StoredField } from '../model/model.ts'
import type { Scalar } from '../model/values.ts'
import type { Predicate, ReadPlan, Step } from '../plan/plan.ts'
import { all, both, equals } from '../plan/predicates.ts'
import type { ItemChange } from '../plan/request.ts'
import {
  type Change, type Changed, type ConstraintViolation, type Database, databaseOf, type IsAbandoned, isLinkChange,
  isOfSeveral, type ItemPlan, type ListPlan, RefusedAtCommit, type Session
} from '../sources/source.ts'
import { type AuthorisedChange, changeDenial } from './authorise.ts'
import type { Caller, ScopedOperation } from './caller.ts'
import { danglingIn, type Reads, type AuthorisedStoringChange, valuesAfter } from './dangling.ts'
import { foresee } from './foresee.ts'
import { isScoped } from './references.ts'
import { scopeChange, scopePlan } from './scope-plan.ts'
import { makePermitted, type Permitted } from './permitted.ts'
import { foreignKeysIn, makeTouched, type Touched } from './touched.ts'

declare const scoped: unique symbol

/**
 * A database whose every statement is scoped to a caller. run/ takes no other database, so the compiler proves that
 * every statement was scoped.
 */
export interface ScopedDatabase extends Omit<Database, 'change' | 'transaction'> {
  readonly [scoped]: true
  change (change: AuthorisedChange): Changed | Promise<Changed>
  transaction<T> (work: (session: ScopedSession) => Promise<T>): Promise<T>
}

/** A session whose every statement is scoped to a caller. */
export interface ScopedSession extends Omit<Session, 'change'> {
  readonly [scoped]: true
  /**
   * Throws forbidden for an item that this caller may read, but not update or delete. `change` asks as well. Undefined
   * if no rule or scope affects the request.
   */
  readonly permit?: Permitted['check']
  change (change: AuthorisedChange): Changed | Promise<Changed>
}

/**
 * Returns the database as the caller knows it: every collection in every plan is restricted to the items that exist for
 * the caller, at whatever depth of the plan (docs/http.md: Rules).
 */
export function scopeDatabase (database: Database, caller: Caller): ScopedDatabase {
  // The brand exists in the type only. If no rule or scope affects the request, the database itself is returned.
  return (caller.guarded ? scopedBy(caller, caller.inSession(database)) : database) as ScopedDatabase
}

function scopedBy (caller: Caller, database: Database): Omit<ScopedDatabase, typeof scoped> {
  const { readBatches, readJson } = database
  return {
    kind: database.kind,
    read: (plan, noCache, isAbandoned) => database.read(scopePlan(plan, caller), noCache, isAbandoned),
    ...readJson && {
      readJson: (plan: ReadPlan, noCache?: boolean, isAbandoned?: IsAbandoned) =>
        readJson(scopePlan(plan, caller), noCache, isAbandoned)
    },
    ...readBatches && {
      readBatches: (plan: ListPlan, size: number, noCache?: boolean) =>
        readBatches.call(database, scopePlan(plan, caller) as ListPlan, size, noCache)
    },
    // Outside a transaction, run/write.ts makes the changes that need no check of scopes (references.ts).
    change: change => database.change(scopeAlone(change, caller)),
    transaction: work => scopedTransaction(database, caller, work)
  }
}

/** Adds the scopes to a change outside a transaction, that of the operation too: nothing else judges its item. */
function scopeAlone (change: AuthorisedChange, caller: Caller): Change {
  const scoped = scopeChange(change, caller)
  if (scoped.kind !== 'update' && scoped.kind !== 'delete') return scoped
  return { ...scoped, steps: withScope(scoped.steps, scoped.kind, caller) }
}

/** Adds the scope of an operation to the last step. */
const withScope = (steps: readonly Step[], operation: ScopedOperation, caller: Caller): readonly Step[] =>
  steps.map((step, index) => index < steps.length - 1
    ? step
    : { ...step, where: both(caller.scope(step.collection, operation), step.where) })

/** Returns true if the caller may make the change to the item; false also for an item that does not exist for it. */
export async function permits ({ operation, collection, steps }: ItemChange, caller: Caller): Promise<boolean> {
  const plan = scopePlan({ kind: 'item', steps, select: [] }, caller)
  const scoped = { ...plan, steps: withScope(plan.steps, operation, caller) }
  const found = await caller.inSession(databaseOf(collection)).read(scoped, true)
  return found.kind !== 'missing' && found.kind !== 'ambiguous'
}

const scopedTransaction = <T>(database: Database, caller: Caller, work: (session: ScopedSession) => Promise<T>) =>
  sharedTransaction(database, [caller], async begin => {
    const { session, check } = begin(caller)
    const result = await work(session)
    await check()
    return result
  })

/** The part of a transaction that writes what one request alone would write. */
interface TransactionPart {
  readonly session: ScopedSession
  /** Throws forbidden if an item that the part has written, linked or unlinked is out of the caller's scope. */
  check (): Promise<void>
}

/**
 * Runs the work in one transaction. `begin` begins a part of it for one of the callers: those of a batch, whose
 * collections no relation connects. Each part is to be checked before the next begins: an item that is out of its scope
 * in between would show others through its relations, and meet the values of hidden ones.
 */
export async function sharedTransaction<T> (
  database: Database, callers: readonly Caller[], work: (begin: (caller: Caller) => TransactionPart) => Promise<T>
): Promise<T> {
  const guarded = callers.filter(caller => caller.guarded)
  try {
    return await database.transaction(session => work(caller => {
      if (!caller.guarded) return { session: session as Partial<Session> as ScopedSession, check: async () => {} }
      const touched = makeTouched(session, caller)
      const own = scopedSession(session, caller, touched, makePermitted(session, caller))
      return { session: own, check: () => touched.check() }
    }))
  } catch (error) {
    throw error instanceof RefusedAtCommit ? guarded.reduce(withoutNames, error) : error
  }
}

/**
 * Removes the names of the fields from a violation that was found at the commit: the conflicting item can no longer be
 * read, so nobody knows whether it exists for this caller.
 */
function withoutNames (error: RefusedAtCommit, caller: Caller): RefusedAtCommit {
  const { refused, collection, cause } = error
  if (refused.by !== 'unique' || collection === undefined || !isScoped(collection, caller)) return error
  return new RefusedAtCommit(unnamedViolation, collection, cause)
}

const unnamedViolation: ConstraintViolation = { kind: 'refused', by: 'other', fields: [] }

/** Returns the change; for an update that deletes its item, the deletion: the item may leave the caller's scope. */
function effectOf (change: AuthorisedChange): AuthorisedChange {
  if (change.kind !== 'update' || change.deletes !== true) return change
  return { kind: 'delete', collection: change.collection, steps: change.steps }
}

/** The sessions behind those that are scoped. */
const unscoped = new WeakMap<ScopedSession, Session>()

/** Returns the session itself, for lib/core/api/own, which scopes it to the caller of each of its calls. */
export const unscopedSession = (session: ScopedSession): Session =>
  unscoped.get(session) ?? session as unknown as Session

function scopedSession (
  session: Session, caller: Caller, touched: Touched, permitted: Permitted
): ScopedSession {
  const read = (plan: ReadPlan) => session.read(scopePlan(plan, touched))
  const exists = async (collection: Collection, where: Predicate) => {
    const found = await read({ kind: 'item', steps: [{ collection, via: undefined, where }], select: [] })
    return found.kind !== 'missing'
  }
  const change = async (asked: AuthorisedChange) => {
    const denial = changeDenial(asked, caller)
    if (denial !== undefined) throw denial
    await permitted.checkChange(asked)
    const dangling = await danglingIn(asked, caller, { exists, read })
    if (dangling.length > 0 && isOfSeveral(asked)) return { kind: 'unchanged' } as const
    if (dangling.length > 0) return { kind: 'refused', by: 'foreign-key', fields: dangling } as const
    const touching = effectOf(asked)
    await touched.addUnlinked(touching)
    const changed = await session.change(scopeChange(noting(asked, caller), touched))
    if (changed.kind === 'refused') return withoutHidden(changed, asked, caller, { exists, read })
    if (changed.kind === 'changed') {
      permitted.add(asked, changed)
      await touched.add(touching, changed)
    }
    return changed
  }
  const made = {
    transaction: session.transaction,
    announce: call => { session.announce(call) },
    read: plan => session.read(scopePlan(plan, caller)),
    lock: plan => session.lock(scopePlan(plan, touched) as ItemPlan),
    change,
    permit: permitted.check
  } satisfies Omit<ScopedSession, typeof scoped> as ScopedSession
  unscoped.set(made, session)
  return made
}

/** Has an insert return the keys of its items where a scope makes the transaction note them. */
function noting (change: AuthorisedChange, caller: Caller): AuthorisedChange {
  if (change.kind !== 'insert' || change.keyed) return change
  const { collection, fields } = change
  const isNoted = isScoped(collection, caller) || isScoped(collection, caller, 'update') ||
    foreignKeysIn(collection, fields, caller).length > 0
  return isNoted ? { ...change, keyed: true } : change
}

/** Removes from a violation the fields that conflict only with items that are hidden from this caller. */
async function withoutHidden (
  violation: ConstraintViolation, change: AuthorisedChange, caller: Caller, reads: Reads
): Promise<Changed> {
  if (violation.by !== 'unique' || isLinkChange(change) || change.kind === 'delete') return violation
  const { collection } = change
  if (!isScoped(collection, caller)) return violation
  if (caller.denial('read', collection) !== undefined) {
    // To this caller all items are hidden alike: that one has the value is told, not whether the scope includes it.
    if (await isForeseenOutside(change, caller, reads)) throw forbidden()
    return violation
  }
  const visible = new Set<StoredField>()
  for (const fields of conflictsIn(violation, collection)) {
    const values = await valuesAfter(change, fields, reads)
    // Only scalars can be unique.
    const isSame = fields.map((field, index) => equals(field, (values[index] ?? null) as Scalar | null))
    if (await reads.exists(collection, all(isSame))) for (const field of fields) visible.add(field)
  }
  if (visible.size > 0) return { ...violation, fields: [...visible] }
  if (await isForeseenOutside(change, caller, reads)) throw forbidden()
  return unnamedViolation
}

/**
 * Returns true if the item would be outside of the caller's scope without the conflict, too: the answer is then the
 * same as if the hidden item did not exist.
 */
async function isForeseenOutside (change: AuthorisedStoringChange, caller: Caller, reads: Reads): Promise<boolean> {
  const { collection } = change
  const fields = change.kind === 'insert' ? change.fields : collection.stored
  const after = await valuesAfter(change, fields, reads)
  const foreseen = new Map(fields.map((field, index) => [field, after[index] ?? null]))
  return await foresee(caller.scope(collection), foreseen, reads.exists) === false
}

/**
 * Returns the fields of a violation: an identifier conflicts alone, a key of several fields together, and so do the
 * fields of any other constraint.
 */
function conflictsIn ({ fields }: ConstraintViolation, collection: Collection): ReadonlyArray<readonly StoredField[]> {
  const known = distincts(collection).filter(one => one.every(field => fields.includes(field)))
  const isKnown = fields.every(field => known.some(one => one.includes(field)))
  return isKnown ? known : [fields]
}
