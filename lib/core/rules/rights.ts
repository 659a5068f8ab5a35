import { type Collection, type Field, isRelation, type Model } from '../model/model.ts'
import { never } from '../plan/predicates.ts'
import type { Caller, Operation, ScopedOperation } from './caller.ts'
import { isScoped } from './references.ts'
import { servedOperations } from './served.ts'

/** What a caller may do to a collection, as far as requests can do it (docs/testing.md: Rights). */
export interface CollectionRights extends Readonly<Record<Operation, Right>> {
  /** The name on the wire. */
  readonly collection: string
  readonly fields: readonly FieldRights[]
}

/** `some`: to the items of a scope only, or to those that a rule allows. */
export type Right = 'yes' | 'some' | 'no'

/** What a caller may do to a field, in the items that it may read and write. */
export interface FieldRights { readonly name: string, readonly read: Right, readonly write: Right }

/** Returns what the caller may do to each of these collections, of the whole model. It reads no data. */
export function rightsIn (collections: Iterable<Collection>, callerOf: (name: string) => Caller | undefined) {
  const served = new Map<Model, ReturnType<typeof servedOperations>>()
  return [...collections].map((whole): CollectionRights => {
    const caller = callerOf(whole.name)
    const collection = caller?.model.collections.get(whole.name)
    const names = [...whole.fields.values()].map(({ name }) => name)
    if (caller === undefined || collection === undefined) return none(whole.name, names)
    const operations = served.get(caller.model) ?? servedOperations(caller.model)
    served.set(caller.model, operations)
    const rightTo = (operation: Operation): Right =>
      operations.get(collection)?.has(operation) === true ? rightOf(operation, collection, caller) : 'no'
    const rights = { read: rightTo('read'), create: rightTo('create'), update: rightTo('update') }
    return {
      collection: whole.name,
      ...rights,
      delete: rightTo('delete'),
      fields: names.map(name => fieldRights(name, collection, rights, caller))
    }
  })
}

const none = (collection: string, fields: readonly string[]): CollectionRights => ({
  collection,
  read: 'no',
  create: 'no',
  update: 'no',
  delete: 'no',
  fields: fields.map(name => ({ name, read: 'no', write: 'no' }))
})

function rightOf (operation: Operation, collection: Collection, caller: Caller): Right {
  if (caller.denial(operation, collection) !== undefined) return 'no'
  if (operation === 'create') return 'yes'
  return caller.denial('read', collection) === undefined ? scopeRight(operation, collection, caller) : 'no'
}

function scopeRight (operation: ScopedOperation, collection: Collection, caller: Caller): Right {
  if ([caller.scope(collection), caller.scope(collection, operation)].includes(never)) return 'no'
  return isScoped(collection, caller, operation) ? 'some' : 'yes'
}

function fieldRights (
  name: string, collection: Collection, { read, create, update }: Pick<CollectionRights, 'read' | 'create' | 'update'>,
  caller: Caller
): FieldRights {
  const field = collection.fields.get(name)
  const isWritten = field?.writable === true && (create !== 'no' || update !== 'no')
  return {
    name,
    read: field?.readable === true && read !== 'no' ? 'yes' : 'no',
    write: isWritten ? isByItem(field, collection, caller) ? 'some' : 'yes' : 'no'
  }
}

/** Returns true if a rule decides for each item whether the field may be written there. */
function isByItem (field: Field, collection: Collection, caller: Caller): boolean {
  if (isRelation(field)) {
    return field.kind === 'sub-item' && field.foreignKey.some(one => caller.itemRule(collection, one) !== undefined)
  }
  return field.kind === 'stored' && caller.itemRule(collection, field) !== undefined
}
