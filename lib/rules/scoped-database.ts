import { forbidden } from '../errors.ts'
import type { Collection, Field, StoredField } from '../model/model.ts'
import type { Scalar } from '../model/values.ts'
import type { Caller } from './caller.ts'
import type { Listing, Predicate, ReadPlan, Selection, Shown, Step } from '../plan/plan.ts'
import { both, equals, always } from '../plan/predicates.ts'
import { type Change, type Changed, type Database, type ItemPlan, type ListPlan, RefusedAtCommit, type Session } from '../sources/source.ts'

declare const scoped: unique symbol

/** A database whose every statement is scoped to a caller. Running takes no other, so that the compiler knows of each statement that it was scoped. */
export interface ScopedDatabase extends Database {
  readonly [scoped]: true
  transaction<T> (work: (session: ScopedSession) => Promise<T>): Promise<T>
}

/** A session of a transaction, scoped likewise. */
export interface ScopedSession extends Session { readonly [scoped]: true }

/**
 * The database as a caller knows it: every plan that reaches it says of every collection in it which items there are for this caller, wherever the collection
 * stands in the plan, so that no other part of this library has to (docs/http.md: Rules).
 */
export function scopeDatabase (database: Database, caller: Caller): ScopedDatabase {
  // The brand is of the type alone. Where no rule or scope has a part in the request, the whole database is the caller's.
  return (caller.guarded ? scopedBy(caller, database) : database) as ScopedDatabase
}

function scopedBy (caller: Caller, database: Database): Database {
  const { readBatches, readJson: readWritten } = database
  return {
    kind: database.kind,
    read: (plan, fresh) => database.read(scopePlan(plan, caller), fresh),
    ...readWritten && { readJson: (plan: ReadPlan, fresh?: boolean) => readWritten(scopePlan(plan, caller), fresh) },
    ...readBatches && { readBatches: (plan: ListPlan, size: number, fresh?: boolean) => readBatches.call(database, scopePlan(plan, caller) as ListPlan, size, fresh) },
    // A change of one statement is a deletion, or one of a collection without rules (write.ts).
    change: change => database.change(scopeChange(change, caller)),
    transaction: work => scopedTransaction(database, caller, work)
  }
}

async function scopedTransaction<T> (database: Database, caller: Caller, work: (session: Session) => Promise<T>): Promise<T> {
  try {
    return await database.transaction(session => work(scopedSession(session, caller)))
  } catch (error) {
    throw error instanceof RefusedAtCommit ? withoutNames(error, caller) : error
  }
}

/** Which items a commit was refused for cannot be looked up any more, and so not whether this caller may see them. */
function withoutNames (error: RefusedAtCommit, caller: Caller): RefusedAtCommit {
  const { refused, collection, cause } = error
  if (refused.by !== 'unique' || collection === undefined || caller.scope(collection) === always) return error
  return new RefusedAtCommit({ kind: 'refused', by: 'other', fields: [] }, collection, cause)
}

/** Whether what is written must be looked at by a rule before or after, so that one statement does not do. */
export function isChecked (collection: Collection, caller: Caller): boolean {
  return caller.guarded && (caller.scope(collection) !== always || referencesOf(collection).some(({ target }) => caller.scope(target) !== always))
}

function scopedSession (session: Session, caller: Caller): Session {
  const read = (plan: ReadPlan) => session.read(scopePlan(plan, caller))
  const finds = async (collection: Collection, where: Predicate) => (await read({ kind: 'item', steps: [{ collection, via: undefined, where }], select: [] })).kind !== 'missing'
  return {
    transaction: session.transaction,
    announce: call => { session.announce(call) },
    read,
    lock: plan => session.lock(scopePlan(plan, caller) as ItemPlan),
    async change (change) {
      const denial = denialOf(change, caller)
      if (denial !== undefined) throw denial
      const dangling = await danglingIn(change, caller, finds)
      if (dangling.length > 0) return { kind: 'refused', by: 'foreign-key', fields: dangling }
      const changed = await session.change(scopeChange(change, caller))
      if (changed.kind === 'refused') return withoutHidden(changed, change, caller, finds)
      if (changed.kind === 'changed' && !await isInScope(change, changed, caller, finds)) throw forbidden()
      return changed
    }
  }
}

type Finds = (collection: Collection, where: Predicate) => Promise<boolean>

function denialOf (change: Change, caller: Caller) {
  switch (change.kind) {
    case 'insert': return caller.denial('create', change.collection)
    case 'update': return caller.denial('update', change.collection)
    case 'delete': return caller.denial('delete', change.collection)
    case 'link': return undefined
  }
}

/** What may refer to an item, and of which collection. */
function referencesOf ({ fields, referring }: Collection): ReadonlyArray<{ readonly foreignKey: StoredField, readonly target: Collection }> {
  return [...[...fields.values()].flatMap(reference), ...referring]
}

const reference = (field: Field) => field.kind === 'sub-item' ? [{ foreignKey: field.foreignKey, target: field.target }] : []

/** Foreign keys that refer to an item that there is not for this caller: to one that is hidden as to one that does not exist. */
async function danglingIn (change: Change, caller: Caller, finds: Finds): Promise<readonly StoredField[]> {
  if (change.kind === 'link' || change.kind === 'delete') return []
  const dangling = new Set<StoredField>()
  for (const { foreignKey, target } of referencesOf(change.collection)) {
    const value = change.values.get(foreignKey) ?? null
    // A foreign key holds a key, which is a scalar.
    if (value !== null && caller.scope(target) !== always && !await finds(target, equals(target.key, value as Scalar))) dangling.add(foreignKey)
  }
  return [...dangling]
}

/** A refusal that tells of no item but those that there are for this caller. */
async function withoutHidden (refused: Extract<Changed, { kind: 'refused' }>, change: Change, caller: Caller, finds: Finds): Promise<Changed> {
  if (refused.by !== 'unique' || change.kind === 'link' || change.kind === 'delete' || caller.scope(change.collection) === always) return refused
  const seen: StoredField[] = []
  for (const field of refused.fields) {
    const value = change.values.get(field) ?? null
    if (value !== null && await finds(change.collection, equals(field, value as Scalar))) seen.push(field)
  }
  return seen.length > 0 ? { ...refused, fields: seen } : { kind: 'refused', by: 'other', fields: [] }
}

/** Whether an item that was written is one that there still is for this caller. */
async function isInScope (change: Change, { key }: Extract<Changed, { kind: 'changed' }>, caller: Caller, finds: Finds): Promise<boolean> {
  if (change.kind === 'link' || change.kind === 'delete' || caller.scope(change.collection) === always) return true
  const { collection, values } = change
  const own = values.get(collection.key) ?? key ?? (change.kind === 'update' ? keyIn(change.steps) : undefined)
  if (own === undefined || own === null) throw new TypeError('an item that was written has a key')
  return finds(collection, equals(collection.key, own as Scalar))
}

/** In a transaction an item is written by its key. */
function keyIn (steps: readonly Step[]): unknown {
  const [step] = steps
  return step?.where.kind === 'compare' && step.where.field === step.collection.key ? step.where.value : undefined
}

function scopeChange (change: Change, caller: Caller): Change {
  return change.kind === 'update' || change.kind === 'delete' ? { ...change, steps: change.steps.map(step => scopeStep(step, caller)) } : change
}

function scopePlan (plan: ReadPlan, caller: Caller): ReadPlan {
  const steps = plan.steps.map(step => scopeStep(step, caller))
  switch (plan.kind) {
    case 'item': return { ...plan, steps, select: scopeSelection(plan.select, caller) }
    case 'list': return { ...plan, steps, listing: scopeListing(plan.listing, plan.from.collection, caller) }
    case 'groups': return { ...plan, steps, members: scopeListing(plan.members, plan.from.collection, caller) }
  }
}

const scopeStep = (step: Step, caller: Caller): Step => ({ ...step, where: scopeWhere(step.where, step.collection, caller) })

function scopeListing (listing: Listing, collection: Collection, caller: Caller): Listing {
  return { ...listing, where: scopeWhere(listing.where, collection, caller), select: scopeSelection(listing.select, caller) }
}

const scopeSelection = (selection: Selection, caller: Caller): Selection => selection.map(shown => scopeShown(shown, caller))

function scopeShown (shown: Shown, caller: Caller): Shown {
  switch (shown.kind) {
    case 'value': return shown
    case 'item': return { ...shown, where: scopeWhere(shown.where, shown.field.target, caller), select: scopeSelection(shown.select, caller) }
    case 'list': return { ...shown, listing: scopeListing(shown.listing, shown.field.target, caller) }
  }
}

/** A part of its own, which nothing that a client says can reach. */
const scopeWhere = (where: Predicate, collection: Collection, caller: Caller): Predicate => both(caller.scope(collection), scopePredicate(where, caller))

function scopePredicate (predicate: Predicate, caller: Caller): Predicate {
  switch (predicate.kind) {
    case 'compare': return predicate
    case 'all':
    case 'any': return predicate.of.length === 0 ? predicate : { ...predicate, of: predicate.of.map(one => scopePredicate(one, caller)) }
    case 'not': return { ...predicate, of: scopePredicate(predicate.of, caller) }
    case 'some': return { ...predicate, where: scopeWhere(predicate.where, predicate.field.target, caller) }
  }
}
