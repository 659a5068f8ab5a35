import { takenStrategies } from '../../model/strategies.ts'
import { linkingRelation, refusesLink, replaceableRelation, separableRelation } from './links.ts'
import type { Resource, ResourceOf } from './walk.ts'

/** A method that some resource takes. */
export type Method = ReadMethod | WriteMethod
export type ReadMethod = 'GET' | 'HEAD' | 'OPTIONS' | 'QUERY'
export type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const reading: readonly Method[] = ['GET', 'HEAD', 'OPTIONS']

/** Returns the methods that a resource takes, for OPTIONS and the `Allow` of a 405 (docs/http.md: URLs, Writing). */
export const allowedMethods = (resource: Resource): readonly Method[] => [...reading, ...otherMethods(resource)]

/** Returns the methods besides those that every resource takes. */
function otherMethods (resource: Resource): readonly Method[] {
  switch (resource.kind) {
    case 'directory':
    case 'dictionary': return none
    case 'collection': return collectionMethods(resource)
    case 'item': return itemMethods(resource)
    case 'scalar': return takesValue(resource) ? value : none
  }
}

const none: readonly Method[] = []
const value: readonly Method[] = ['PUT']

/** Returns the method if the resource takes it, else undefined. */
export function findMethod (method: string, resource: Resource): Method | undefined {
  // The list of a resource's own methods is made for the others only.
  return reading.find(one => one === method) ?? otherMethods(resource).find(one => one === method)
}

/** Returns true for a method that changes data. */
export const isWrite = (method: Method): method is WriteMethod =>
  method === 'POST' || method === 'PUT' || method === 'PATCH' || method === 'DELETE'

function collectionMethods (resource: ResourceOf<'collection'>): readonly Method[] {
  const isPosted = takesItems(resource) || linkingRelation(resource) !== undefined
  const isReplaced = replaceableRelation(resource) !== undefined
  if (isPosted) return isReplaced ? ['QUERY', 'POST', 'PUT'] : ['QUERY', 'POST']
  return isReplaced ? ['QUERY', 'PUT'] : ['QUERY']
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

const takesValue = ({ field, collection }: ResourceOf<'scalar'>) =>
  field.writable && takenStrategies(collection).update.length > 0
