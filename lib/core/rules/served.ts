import type { RowChange } from '../declare/source.ts'
import { type Collection, isRelation, type Model, type RelationField } from '../model/model.ts'
import { takenStrategies } from '../model/strategies.ts'
import { refusesLink } from '../plan/path/methods.ts'
import type { Operation } from './caller.ts'

/** The operations that requests can do to the items of a collection, each with the switch that makes it possible. */
export type Served = ReadonlyMap<Operation, string>

/**
 * Returns the operations that can be done to each collection: by its strategies, as far as its table takes the change,
 * and by relations of any collection that lead to it, in bodies and at their own URLs.
 */
export function servedOperations ({ collections }: Model): ReadonlyMap<Collection, Served> {
  const all = [...collections.values()]
  const relations = all.flatMap(({ fields }) => [...fields.values()].filter(isRelation)).filter(one => one.writable)
  const creations = creationsIn(all, relations)
  const updates = updatesIn(all, relations, creations)
  return new Map(all.map(collection => {
    const switches: ReadonlyArray<readonly [Operation, string | undefined]> = [
      ['read', 'registration'],
      ['create', creations.get(collection)],
      ['update', updates.get(collection)],
      ['delete', takenStrategies(collection).delete ? 'requestStrategies.delete' : undefined]
    ]
    return [collection, new Map(switches.flatMap(([operation, by]) => by === undefined ? [] : [[operation, by]]))]
  }))
}

/** The collections whose items can be changed in one way, each with the switch of the first such change. */
type Switches = ReadonlyMap<Collection, string>

/** Returns the collections in which items can be created, also in bodies of other items. */
function creationsIn (all: readonly Collection[], relations: readonly RelationField[]): Switches {
  const creations = new Map<Collection, string>()
  for (const collection of all) {
    const { create, upsert } = takenStrategies(collection)
    if (create) creations.set(collection, 'requestStrategies.create')
    else if (upsert && isUpdated(collection)) creations.set(collection, 'requestStrategies.upsert')
  }
  const nested = relations.filter(one => one.creates && !refuses(one.target, 'insert') && !refusesLink(one, 'insert'))
  const inBodies = new Set([...creations.keys(), ...all.filter(isUpdated)])
  // The iteration includes the elements that are added meanwhile: the body of a new item has relations of its own.
  for (const holder of inBodies) {
    for (const relation of nested.filter(one => one.holder === holder)) {
      if (!creations.has(relation.target)) creations.set(relation.target, switchOf(relation))
      inBodies.add(relation.target)
    }
  }
  return creations
}

/** Returns the collections whose items can be updated: by a value of theirs, or by a link that changes them. */
function updatesIn (
  all: readonly Collection[], relations: readonly RelationField[], creations: Switches
): Switches {
  const updates = new Map<Collection, string>()
  for (const collection of all) {
    const isWritten = [...collection.fields.values()].some(({ writable }) => writable)
    if (isWritten && isUpdated(collection)) updates.set(collection, 'requestStrategies.update')
  }
  for (const relation of relations) {
    for (const changed of linkedBy(relation, creations)) {
      if (!updates.has(changed)) updates.set(changed, switchOf(relation))
    }
  }
  return updates
}

/** Returns the collections whose existing items a link by the relation changes: those that authoriseLink asks for. */
function linkedBy (relation: RelationField, creations: Switches): readonly Collection[] {
  // The foreign key of a sub-item is a value of the item that has it.
  if (relation.kind === 'sub-item') return []
  const { holder, target, link } = relation
  // A table that refuses updates of its own rows can have relations at their URLs, which change others.
  const isAtUrls = holder.strategies.update.length > 0
  if (!isAtUrls && !creations.has(holder)) return []
  if (link.kind === 'foreign-key') return refuses(target, 'update') ? [] : [target]
  const takesLinks = !refusesLink(relation, 'insert') || (isAtUrls && !refusesLink(relation, 'delete'))
  if (!takesLinks) return []
  return isAtUrls ? [holder, target] : [target]
}

const isUpdated = (collection: Collection) => takenStrategies(collection).update.length > 0

const refuses = ({ source }: Collection, change: RowChange) => source.refused?.()?.has(change) === true

const switchOf = ({ holder, property }: RelationField) => `the relation '${property}' of '${holder.property}'`
