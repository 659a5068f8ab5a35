import { forbidden } from '../errors/errors.ts'
import { type KeyValues, toKeyValues } from '../model/identifiers.ts'
import type { Collection, CollectionReference, StoredField } from '../model/model.ts'
import { referencesOf, referredKey, referringFields } from '../model/relations.ts'
import type { Predicate, Row, Step } from '../plan/plan.ts'
import { listKeys } from '../plan/read/list-keys.ts'
import { always, any, equalsKey, keyValuesIn, policed } from '../plan/predicates.ts'
import { showPlainly } from '../plan/read/select.ts'
import {
  type Change, type Changed, type ChangeOf, type ListPlan, type ReadResult, type Session, storedFields,
  type StoringChange
} from '../sources/source.ts'
import type { Caller } from './caller.ts'
import { isScoped, isScopedByRelations } from './references.ts'
import { scopePlan, type CallerScopes } from './scope-plan.ts'

/**
 * The items that a request, or an operation of a batch, has written, linked or unlinked. They must be in the caller's
 * scope at its end. Until then they exist for it, in scope or not: their links may still be missing.
 */
export interface Touched extends CallerScopes {
  /** Adds the items that the change is about to take a link from. To be called before the change. */
  addUnlinked (change: Change): Promise<void>
  /** Adds the items that the change has written or linked. */
  add (change: Change, changed: Extract<Changed, { kind: 'changed' }>): Promise<void>
  /** Throws forbidden if one of the items is out of the caller's scope: one statement for each scoped collection. */
  check (): Promise<void>
}

export function makeTouched (session: Session, caller: Caller): Touched {
  const keys = new Map<Collection, Keys>()
  const add = (collection: Collection, key: KeyValues) => {
    keys.set(collection, (keys.get(collection) ?? new Map<string, KeyValues>()).set(nameOf(key), key))
  }
  // The change may replace the key.
  const forget = ({ collection, steps }: ChangeOf<'update'>) => {
    const key = keyOfSteps(steps)
    if (key !== undefined) keys.get(collection)?.delete(nameOf(key))
  }
  const read = (plan: ListPlan) => session.read(scopePlan(plan, caller))
  return {
    scope: scopeOf(keys, caller),
    async addUnlinked (change) {
      if (change.kind !== 'update' && change.kind !== 'delete') return
      const parents = await parentPlans(change, caller, session.read)
      for (const plan of [...parents, ...linkedPlans(change, caller)]) {
        const { collection } = plan.from
        for (const row of rowsOf(await read(plan))) add(collection, keyOf(row, collection))
      }
    },
    async add (change, changed) {
      if (change.kind === 'update') forget(change)
      for (const [collection, key] of await touchedBy(change, changed, caller, session.read)) add(collection, key)
    },
    async check () {
      for (const [collection, touched] of keys) {
        const plan = listKeys({ collection, via: undefined }, [], keyIn(collection, touched.values()))
        if (rowsOf(await read(plan)).length < touched.size) throw forbidden()
      }
    }
  }
}

/** Returns the scope in which the touched items exist too. */
const scopeOf = (keys: ReadonlyMap<Collection, Keys>, caller: Caller): CallerScopes['scope'] =>
  (collection, _operation, where) => {
    const touched = keys.get(collection)
    const scope = caller.scope(collection)
    if (touched === undefined || scope === always || scope === policed) return scope
    // Most statements name one item: in a large write, each of them would name all the others too.
    const key = keyValuesIn(where, collection.key)
    if (key !== undefined) return touched.has(nameOf(key)) ? always : scope
    return any([scope, keyIn(collection, touched.values())])
  }

/** Keys, each by its values as one text. */
type Keys = Map<string, KeyValues>

const nameOf = (key: KeyValues) => JSON.stringify(key)

export function keyIn ({ key }: Collection, keys: Iterable<KeyValues>): Predicate {
  const [field, other] = key
  const values = [...keys]
  return field !== undefined && other === undefined
    ? { kind: 'compare', field, operator: 'in', value: values.flat() }
    : anyInHalves(values.map(one => equalsKey(key, one)))
}

/** A chain of a thousand `or` is deeper than SQLite takes. */
function anyInHalves (of: readonly Predicate[]): Predicate {
  const half = of.length >> 1
  return half < 50 ? any(of) : any([anyInHalves(of.slice(0, half)), anyInHalves(of.slice(half))])
}

function keyOf (row: Row, { key, property }: Collection): KeyValues {
  const values = toKeyValues(key.map(field => row[field.property]))
  if (values === undefined) throw new TypeError(`collection '${property}': an item has no key`)
  return values
}

export const rowsOf = (result: ReadResult): readonly Row[] => result.kind === 'rows' ? result.rows : []

type MadeChange = Extract<Changed, { kind: 'changed' }>
type Touch = readonly [collection: Collection, key: KeyValues]

type ReadList = (plan: ListPlan) => ReadResult | Promise<ReadResult>

/** The written items, the items that they refer to, and both items of a link, where scopes ask for relations. */
async function touchedBy (
  change: Change, changed: MadeChange, caller: Caller, read: ReadList
): Promise<readonly Touch[]> {
  switch (change.kind) {
    case 'delete': return []
    case 'link':
    case 'unlink': {
      const { field: { holder, target }, own, other } = change
      return ([[holder, own], [target, other]] as const).filter(([end]) => isScopedByRelations(end, caller))
    }
    case 'insert':
    case 'update': {
      const { collection } = change
      const keys = keysAfter(change, changed)
      const references = foreignKeysIn(collection, storedFields(change), caller)
      const parents = await parentsOf(collection, keys, references, read)
      return isScoped(collection, caller) ? [...keys.map(key => [collection, key] as const), ...parents] : parents
    }
  }
}

/** Returns the foreign keys of which a field is written, whose targets' scope asks for relations. */
export const foreignKeysIn = (
  collection: Collection, written: readonly StoredField[], caller: Caller
): readonly CollectionReference[] => referencesOf(collection).filter(one =>
  referringFields(one).some(field => written.includes(field)) && isScopedByRelations(one.target, caller))

/** Returns the items that the items with these keys refer to, as they are stored now. */
async function parentsOf (
  collection: Collection, keys: readonly KeyValues[], references: readonly CollectionReference[], read: ReadList
): Promise<readonly Touch[]> {
  if (references.length === 0) return []
  const plan = listKeys({ collection, via: undefined }, [], keyIn(collection, keys))
  const select = references.flatMap(one => referringFields(one).map(showPlainly))
  const rows = rowsOf(await read({ ...plan, listing: { ...plan.listing, select } }))
  return rows.flatMap(row => references.flatMap(one => {
    const parent = referredKey(one, field => row[field.property])
    return parent === undefined ? [] : [[one.target, parent] as const]
  }))
}

/**
 * Returns the keys of the items after the change; of an insert those that the database returns, which is nothing where
 * nobody has asked for them. One that the trigger of a view has left out is an error elsewhere (run/insert.ts).
 */
export function keysAfter (change: StoringChange, { keys = [] }: MadeChange): readonly KeyValues[] {
  if (change.kind === 'insert') return keys.filter(key => toKeyValues(key) !== undefined)
  const { collection: { key }, steps, values } = change
  const before = keyOfSteps(steps)
  const own = toKeyValues(key.map((field, index) => values.get(field) ?? before?.[index]))
  if (own === undefined) throw new TypeError('an item that was written has a key')
  return [own]
}

/** Returns the key in the steps of an update: in a transaction, their only step compares the key. */
export const keyOfSteps = ([step]: readonly Step[]) => step && keyValuesIn(step.where, step.collection.key)

type UnlinkingChange = Extract<Change, { kind: 'update' | 'delete' }>

/** Plans to read the parents that an update or deletion takes an item from, where their scope asks for relations. */
async function parentPlans (change: UnlinkingChange, caller: Caller, read: ReadList): Promise<readonly ListPlan[]> {
  const { kind, collection, steps } = change
  const key = keyOfSteps(steps)
  if (key === undefined) return []
  const written = kind === 'delete' ? collection.stored : [...change.values.keys()]
  const references = foreignKeysIn(collection, written, caller)
  const parents = await parentsOf(collection, [key], references, read)
  return parents.map(([target, parent]) =>
    listKeys({ collection: target, via: undefined }, [], equalsKey(target.key, parent)))
}

/** Plans to read the items that a deletion unlinks in join tables, where their scope asks for relations. */
function linkedPlans ({ kind, collection, steps }: UnlinkingChange, caller: Caller): readonly ListPlan[] {
  if (kind !== 'delete') return []
  return collection.links.flatMap(field => {
    const { holder, target } = field
    const plans: ListPlan[] = []
    if (holder === collection && isScopedByRelations(target, caller)) {
      plans.push(listKeys({ collection: target, via: field }, steps, always))
    }
    const [own] = steps
    if (target === collection && own !== undefined && isScopedByRelations(holder, caller)) {
      plans.push(listKeys({ collection: holder, via: undefined }, [], { kind: 'some', field, where: own.where }))
    }
    return plans
  })
}
