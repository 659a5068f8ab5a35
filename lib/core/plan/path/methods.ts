import type { LinkingChange } from '../../declare/source.ts'
import type { Field, RelationField, SubCollectionField } from '../../model/model.ts'
import { distincts } from '../../model/identifiers.ts'
import { takenStrategies } from '../../model/strategies.ts'
import { always } from '../predicates.ts'
import { amendmentsOf, isMergeable } from '../write/amendment.ts'
import type { Resource, ResourceOf } from './walk.ts'

export type Method = ReadMethod | WriteMethod
type ReadMethod = 'GET' | 'HEAD' | 'OPTIONS' | 'QUERY'
export type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const reading: readonly Method[] = ['GET', 'HEAD', 'OPTIONS']

/** Returns the methods that a resource takes, for OPTIONS and the `Allow` of a 405 (docs/http.md: URLs, Writing). */
export const allowedMethods = (resource: Resource): readonly Method[] => [...reading, ...otherMethods(resource)]

/** Returns the methods besides those that every resource takes. */
function otherMethods (resource: Resource): readonly Method[] {
  switch (resource.kind) {
    case 'directory': return resource.batch ? posted : none
    case 'dictionary': return none
    case 'collection': return collectionMethods(resource)
    case 'item': return itemMethods(resource)
    case 'scalar': return scalarMethods(resource)
  }
}

const none: readonly Method[] = []
const posted: readonly Method[] = ['POST']

/** Returns the method if the resource takes it, else undefined. */
export function findMethod (method: string, resource: Resource): Method | undefined {
  // The list of a resource's own methods is made for the others only, and that of a collection for none.
  const read = reading.find(one => one === method)
  if (read !== undefined || resource.kind !== 'collection') {
    return read ?? otherMethods(resource).find(one => one === method)
  }
  const [found, takes] = ofCollections.find(([one]) => one === method) ?? []
  return takes?.(resource) === true ? found : undefined
}

export const isWrite = (method: Method): method is WriteMethod =>
  method === 'POST' || method === 'PUT' || method === 'PATCH' || method === 'DELETE'

/** The methods that some collections take, in the order of `Allow`, and whether a collection takes them. */
const ofCollections: ReadonlyArray<readonly [Method, (resource: ResourceOf<'collection'>) => boolean]> = [
  ['QUERY', () => true],
  ['POST', resource => takesItems(resource) || linkingRelation(resource) !== undefined],
  ['PUT', resource => replaceableRelation(resource) !== undefined],
  ['PATCH', updatesEach],
  ['DELETE', deletesAll]
]

const collectionMethods = (resource: ResourceOf<'collection'>): readonly Method[] =>
  ofCollections.flatMap(([method, takes]) => takes(resource) ? [method] : none)

/** Returns true if PATCH updates all items that a filter finds as well. */
export const updatesAll = (resource: ResourceOf<'collection'>): boolean =>
  updatesEach(resource) && resource.from.collection.strategies.bulk.includes('PATCH')

/**
 * Returns true if PATCH updates the items of an array, each of which an identifier names. A tag is that of one item, so
 * none can be required.
 */
function updatesEach ({ from: { collection } }: ResourceOf<'collection'>): boolean {
  const { requireIfMatch, update } = takenStrategies(collection)
  const isNamed = () => distincts(collection).some(fields => fields.every(({ readable }) => readable))
  return update.includes('PATCH') && !requireIfMatch && isNamed()
}

/** Returns true if DELETE deletes all items that a filter finds; of a separable relation, it unlinks them. */
function deletesAll ({ from: { collection, via } }: ResourceOf<'collection'>): boolean {
  const { bulk, requireIfMatch, delete: deletes } = takenStrategies(collection)
  const takes = separable(via)?.writable ?? deletes
  return bulk.includes('DELETE') && takes && !requireIfMatch
}

const takesItems = ({ from, pathValues }: ResourceOf<'collection'>) =>
  takenStrategies(from.collection).create && pathValues !== undefined &&
    (from.via === undefined || !refusesLink(from.via, 'insert'))

function itemMethods (resource: ResourceOf<'item'>): readonly Method[] {
  const { update, delete: deletes } = takenStrategies(resource.collection)
  // Behind a relation that can be taken apart, DELETE takes the item out of it, and never deletes it for everybody.
  const takesDelete = separableRelation(resource)?.writable ?? deletes
  return takesDelete ? [...update, 'DELETE'] : update
}

function scalarMethods ({ field, collection }: ResourceOf<'scalar'>): readonly Method[] {
  const { update } = takenStrategies(collection)
  if (!field.writable || update.length === 0) return none
  const merged: readonly Method[] = update.includes('PATCH') && isMergeable(field) ? ['PATCH'] : none
  return ['PUT', ...amendmentsOf(field).length > 0 ? posted : none, ...merged]
}

/**
 * Returns true if an item of the relation can be taken out of it and still exist: its link is a row of a join table, or
 * a foreign key that can be null (docs/http.md: Writing).
 */
function isSeparable (via: RelationField): boolean {
  if (via.kind === 'sub-collection' && via.link.kind === 'join') return true
  const foreignKey = via.kind === 'sub-item' ? via.foreignKey : via.link.kind === 'join' ? [] : via.link.foreignKey
  return foreignKey.some(field => field.nullable)
}

/**
 * Returns true if clients may link items by this relation: it is writable, its holder takes updates, and so does the
 * table that stores its foreign key, or the join table these changes.
 */
function isWritable (via: RelationField, ...changes: readonly LinkingChange[]): boolean {
  const { writable, holder } = via
  if (!writable || holder.strategies.update.length === 0) return false
  if (via.kind === 'sub-collection' && via.link.kind === 'join') {
    return !changes.some(change => refusesLink(via, change))
  }
  const { source } = via.kind === 'sub-item' ? holder : via.target
  return source.refused?.()?.has('update') !== true
}

/** Returns true if the join table of a relation does not take the change (docs/databases.md: Views and triggers). */
export function refusesLink (field: Field, change: LinkingChange): boolean {
  if (field.kind !== 'sub-collection' || field.link.kind !== 'join') return false
  return field.holder.source.refused?.(field.link.through)?.has(change) === true
}

/** Returns the relation by which a collection takes existing items; undefined if it takes none. */
export function linkingRelation ({ from: { via }, where }: ResourceOf<'collection'>): SubCollectionField | undefined {
  return via !== undefined && where === always && isWritable(via, 'insert') ? via : undefined
}

/** Returns the relation whose elements a client may replace as a whole; undefined if it may not. */
export function replaceableRelation (resource: ResourceOf<'collection'>): SubCollectionField | undefined {
  const via = linkingRelation(resource)
  return via !== undefined && isSeparable(via) && isWritable(via, 'delete') ? via : undefined
}

/** The relation that the path of an item ends with, if it is separable. `writable`: a client may unlink the item. */
interface Separable { readonly via: RelationField, readonly writable: boolean }

/** Returns the separable relation that the path of an item ends with; undefined for any other path. */
export const separableRelation = ({ walked }: ResourceOf<'item'>): Separable | undefined =>
  separable(walked.at(-1)?.step.via)

/** Returns the relation if its items can be taken out of it; undefined for any other, and for none. */
export function separable (via: RelationField | undefined): Separable | undefined {
  return via !== undefined && isSeparable(via) ? { via, writable: isWritable(via, 'delete') } : undefined
}
