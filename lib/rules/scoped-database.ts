import { forbidden } from '../errors.ts'
import { type KeyValues, toKeyValues } from '../model/keys.ts'
import type { Collection, Field, StoredField } from '../model/model.ts'
import type { Caller } from './caller.ts'
import type { Listing, Predicate, ReadPlan, Selection, Shown, Step } from '../plan/plan.ts'
import { both, equalsKey, always, keyValuesIn } from '../plan/predicates.ts'
import { showPlainly } from '../plan/select.ts'
import {
  type Change, type Changed, type ConstraintViolation, type Database, type ItemPlan, type ListPlan, RefusedAtCommit,
  type Session
} from '../sources/source.ts'

declare const scoped: unique symbol

/**
 * A database whose every statement is scoped to a caller. run/ takes no other database, so the compiler proves that
 * every statement was scoped.
 */
export interface ScopedDatabase extends Database {
  readonly [scoped]: true
  transaction<T> (work: (session: ScopedSession) => Promise<T>): Promise<T>
}

/** A session whose every statement is scoped to a caller. */
export interface ScopedSession extends Session { readonly [scoped]: true }

/**
 * Returns the database as the caller knows it: every collection in every plan is restricted to the items that exist for
 * the caller, at whatever depth of the plan (docs/http.md: Rules).
 */
export function scopeDatabase (database: Database, caller: Caller): ScopedDatabase {
  // The brand exists in the type only. If no rule or scope affects the request, the database itself is returned.
  return (caller.guarded ? scopedBy(caller, database) : database) as ScopedDatabase
}

/** Returns true if a scope applies to what is written to this collection: its own, or that of an item it refers to. */
export function isChecked (collection: Collection, caller: Caller): boolean {
  if (!caller.guarded) return false
  return isScoped(collection, caller) || referencesOf(collection).some(({ target }) => isScoped(target, caller))
}

const isScoped = (collection: Collection, caller: Caller) => caller.scope(collection) !== always

function scopedBy (caller: Caller, database: Database): Database {
  const { readBatches, readJson } = database
  return {
    kind: database.kind,
    read: (plan, noCache) => database.read(scopePlan(plan, caller), noCache),
    ...readJson && {
      readJson: (plan: ReadPlan, noCache?: boolean) => readJson(scopePlan(plan, caller), noCache)
    },
    ...readBatches && {
      readBatches: (plan: ListPlan, size: number, noCache?: boolean) =>
        readBatches.call(database, scopePlan(plan, caller) as ListPlan, size, noCache)
    },
    // Outside a transaction, run/write.ts makes deletions and changes for which isChecked returns false.
    change: change => database.change(scopeChange(change, caller)),
    transaction: work => scopedTransaction(database, caller, work)
  }
}

async function scopedTransaction<T> (
  database: Database, caller: Caller, work: (session: Session) => Promise<T>
): Promise<T> {
  try {
    return await database.transaction(session => work(scopedSession(session, caller)))
  } catch (error) {
    throw error instanceof RefusedAtCommit ? withoutNames(error, caller) : error
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

function scopedSession (session: Session, caller: Caller): Session {
  const read = (plan: ReadPlan) => session.read(scopePlan(plan, caller))
  const exists = async (collection: Collection, where: Predicate) => {
    const found = await read({ kind: 'item', steps: [{ collection, via: undefined, where }], select: [] })
    return found.kind !== 'missing'
  }
  return {
    transaction: session.transaction,
    announce: call => { session.announce(call) },
    read,
    lock: plan => session.lock(scopePlan(plan, caller) as ItemPlan),
    async change (change) {
      const denial = denialOf(change, caller)
      if (denial !== undefined) throw denial
      const known = { exists, read }
      const dangling = await danglingIn(change, caller, known)
      if (dangling.length > 0) return { kind: 'refused', by: 'foreign-key', fields: dangling }
      const changed = await session.change(scopeChange(change, caller))
      if (changed.kind === 'refused') return withoutHidden(changed, change, caller, known)
      if (changed.kind === 'changed' && !await isInScope(change, changed, caller, exists)) throw forbidden()
      return changed
    }
  }
}

/** Returns true if an item that satisfies the predicate exists for the caller. */
type Exists = (collection: Collection, where: Predicate) => Promise<boolean>

/** The reads of a session within the caller's scopes. */
interface Reads { readonly exists: Exists, readonly read: Session['read'] }

type StoringChange = Extract<Change, { kind: 'insert' | 'update' }>

/**
 * Returns the values of a key or foreign key after a change; undefined if the change sets none of them, and if one of
 * them is null.
 */
async function valuesAfter (
  fields: readonly StoredField[], change: StoringChange, { read }: Reads
): Promise<KeyValues | undefined> {
  const { values } = change
  const unset = fields.filter(field => !values.has(field))
  if (unset.length === fields.length) return undefined
  const found = unset.length === 0 || change.kind === 'insert'
    ? undefined
    : await read({ kind: 'item', steps: change.steps, select: unset.map(showPlainly) })
  const row = found?.kind === 'rows' ? found.rows[0] : undefined
  return toKeyValues(fields.map(field => values.has(field) ? values.get(field) : row?.[field.property]))
}

function denialOf (change: Change, caller: Caller) {
  switch (change.kind) {
    case 'insert': return caller.denial('create', change.collection)
    case 'update': return caller.denial('update', change.collection)
    case 'delete': return caller.denial('delete', change.collection)
    case 'link': return undefined
  }
}

interface Reference { readonly foreignKey: readonly StoredField[], readonly target: Collection }

/** The foreign keys of a collection, each with the collection that it refers to. */
const referencesOf = ({ fields, referring }: Collection): readonly Reference[] =>
  [...[...fields.values()].flatMap(referenceOf), ...referring]

const referenceOf = (field: Field): readonly Reference[] =>
  field.kind === 'sub-item' ? [{ foreignKey: field.foreignKey, target: field.target }] : []

/**
 * Returns the foreign keys whose item does not exist for this caller. A hidden item gives the same result as a missing
 * one.
 */
async function danglingIn (change: Change, caller: Caller, reads: Reads): Promise<readonly StoredField[]> {
  if (change.kind === 'link' || change.kind === 'delete') return []
  const dangling = new Set<StoredField>()
  for (const { foreignKey, target } of referencesOf(change.collection)) {
    const key = isScoped(target, caller) ? await valuesAfter(foreignKey, change, reads) : undefined
    if (key === undefined || await reads.exists(target, equalsKey(target.key, key))) continue
    for (const field of foreignKey) if (change.values.has(field)) dangling.add(field)
  }
  return [...dangling]
}

/** Removes from a violation the fields that conflict only with items that are hidden from this caller. */
async function withoutHidden (
  violation: ConstraintViolation, change: Change, caller: Caller, reads: Reads
): Promise<Changed> {
  if (violation.by !== 'unique' || change.kind === 'link' || change.kind === 'delete') return violation
  if (!isScoped(change.collection, caller)) return violation
  const visible = new Set<StoredField>()
  for (const fields of violatedTogether(violation, change.collection)) {
    const values = await valuesAfter(fields, change, reads)
    if (values === undefined || !await reads.exists(change.collection, equalsKey(fields, values))) continue
    for (const field of fields) visible.add(field)
  }
  return visible.size > 0 ? { ...violation, fields: [...visible] } : unnamedViolation
}

/** Returns the fields of a violation: each alone, but those of a key of several fields together. */
function violatedTogether (
  { fields }: ConstraintViolation, { key }: Collection
): ReadonlyArray<readonly StoredField[]> {
  const isKey = key.length > 1 && key.every(field => fields.includes(field))
  const alone = isKey ? fields.filter(field => field.identifier || !key.includes(field)) : fields
  return [...alone.map(field => [field]), ...isKey ? [key] : []]
}

/** Returns true if the item, as it is after the change, exists for this caller. */
async function isInScope (
  change: Change, { key }: Extract<Changed, { kind: 'changed' }>, caller: Caller, exists: Exists
): Promise<boolean> {
  if (change.kind === 'link' || change.kind === 'delete' || !isScoped(change.collection, caller)) return true
  const { collection, values } = change
  const before = key ?? (change.kind === 'update' ? keyIn(change.steps) : undefined)
  const own = toKeyValues(collection.key.map((field, index) => values.get(field) ?? before?.[index]))
  if (own === undefined) throw new TypeError('an item that was written has a key')
  return exists(collection, equalsKey(collection.key, own))
}

/** Returns the key of the item that an update names: in a transaction, its only step compares the key. */
const keyIn = ([step]: readonly Step[]) => step && keyValuesIn(step.where, step.collection.key)

function scopeChange (change: Change, caller: Caller): Change {
  if (change.kind !== 'update' && change.kind !== 'delete') return change
  return { ...change, steps: change.steps.map(step => scopeStep(step, caller)) }
}

function scopePlan (plan: ReadPlan, caller: Caller): ReadPlan {
  const steps = plan.steps.map(step => scopeStep(step, caller))
  switch (plan.kind) {
    case 'item': return { ...plan, steps, select: scopeSelection(plan.select, caller) }
    case 'list': return { ...plan, steps, listing: scopeListing(plan.listing, plan.from.collection, caller) }
    case 'groups': return { ...plan, steps, members: scopeListing(plan.members, plan.from.collection, caller) }
  }
}

const scopeStep = (step: Step, caller: Caller): Step =>
  ({ ...step, where: scopeWhere(step.where, step.collection, caller) })

function scopeListing (listing: Listing, collection: Collection, caller: Caller): Listing {
  return {
    ...listing,
    where: scopeWhere(listing.where, collection, caller),
    select: scopeSelection(listing.select, caller)
  }
}

const scopeSelection = (selection: Selection, caller: Caller): Selection =>
  selection.map(shown => scopeShown(shown, caller))

function scopeShown (shown: Shown, caller: Caller): Shown {
  switch (shown.kind) {
    case 'value': return shown
    case 'item': return {
      ...shown,
      where: scopeWhere(shown.where, shown.field.target, caller),
      select: scopeSelection(shown.select, caller)
    }
    case 'list': return { ...shown, listing: scopeListing(shown.listing, shown.field.target, caller) }
  }
}

/** Returns `scope and where`. No filter of a client can be inside the scope's part. */
const scopeWhere = (where: Predicate, collection: Collection, caller: Caller): Predicate =>
  both(caller.scope(collection), scopePredicate(where, caller))

/** Adds the scopes of the targets to all relations within the predicate. */
function scopePredicate (predicate: Predicate, caller: Caller): Predicate {
  switch (predicate.kind) {
    case 'compare': return predicate
    case 'all':
    case 'any': {
      // `always` and `never` keep their identity, by which they are compared.
      if (predicate.of.length === 0) return predicate
      return { ...predicate, of: predicate.of.map(one => scopePredicate(one, caller)) }
    }
    case 'not': return { ...predicate, of: scopePredicate(predicate.of, caller) }
    case 'some': return { ...predicate, where: scopeWhere(predicate.where, predicate.field.target, caller) }
  }
}
