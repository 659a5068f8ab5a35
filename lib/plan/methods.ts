import { takenStrategies } from '../model/strategies.ts'
import { linkingRelation, refusesLink, replaceableRelation, separableRelation } from './links.ts'
import type { Resource } from './walk.ts'

/** A method that some resource takes. */
export type Method = ReadMethod | WriteMethod
export type ReadMethod = 'GET' | 'HEAD' | 'OPTIONS' | 'QUERY'
export type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const reading: readonly Method[] = ['GET', 'HEAD', 'OPTIONS']
const listing: readonly Method[] = [...reading, 'QUERY']

/** Returns the methods that a resource takes, for OPTIONS and the `Allow` of a 405 (docs/http.md: URLs, Writing). */
export function allowedMethods (resource: Resource): readonly Method[] {
  switch (resource.kind) {
    case 'directory':
    case 'dictionary': return reading
    case 'collection': return [...listing, ...collectionMethods(resource)]
    case 'item': return [...reading, ...itemMethods(resource)]
    case 'scalar': return takesValue(resource) ? [...reading, 'PUT'] : reading
  }
}

/** Returns the method if the resource takes it, else undefined. */
export function findMethod (method: string, resource: Resource): Method | undefined {
  // Every resource takes the reading methods, so the list of its own methods is made for the others only.
  return reading.find(one => one === method) ?? allowedMethods(resource).find(one => one === method)
}

/** Returns true for a method that changes data. */
export const isWrite = (method: Method): method is WriteMethod =>
  method === 'POST' || method === 'PUT' || method === 'PATCH' || method === 'DELETE'

type On<K extends Resource['kind']> = Extract<Resource, { kind: K }>

function collectionMethods (resource: On<'collection'>): readonly Method[] {
  const isPosted = takesItems(resource) || linkingRelation(resource) !== undefined
  const isReplaced = replaceableRelation(resource) !== undefined
  return [...isPosted ? ['POST'] as const : [], ...isReplaced ? ['PUT'] as const : []]
}

const takesItems = ({ from, presets }: On<'collection'>) =>
  takenStrategies(from.collection).create && presets !== undefined &&
    (from.via === undefined || !refusesLink(from.via, 'insert'))

function itemMethods (resource: On<'item'>): readonly Method[] {
  const { update, delete: deletes } = takenStrategies(resource.collection)
  // Behind a relation that can be taken apart, DELETE takes the item out of it, and never deletes it for everybody.
  const takesDelete = separableRelation(resource)?.writable ?? deletes
  return takesDelete ? [...update, 'DELETE'] : update
}

const takesValue = ({ field, collection }: On<'scalar'>) =>
  field.writable && takenStrategies(collection).update.length > 0
