import type { DataApiError } from '../errors.ts'
import type { Collection } from '../model/model.ts'
import type { Caller, Operation } from './caller.ts'
import { allowedMethods, type Method } from '../plan/methods.ts'
import type { Resource } from '../plan/walk.ts'

/** The methods that the resource takes of this caller, as OPTIONS and 405 tell them. */
export const permittedMethods = (resource: Resource, caller: Caller): readonly Method[] =>
  allowedMethods(resource).filter(method => refusalOf(method, resource, caller) === undefined)

/** Why the resource does not take the method of this caller, where a rule denies it. */
export function refusalOf (method: Method, resource: Resource, caller: Caller): DataApiError | undefined {
  if (!caller.guarded || method === 'OPTIONS' || resource.kind === 'directory') return undefined
  const refusals = operationsOf(method, resource).map(operation => caller.denial(operation, collectionOf(resource)))
  return refusals.includes(undefined) ? undefined : refusals[0]
}

/** Why the caller may read nothing under this name, where a rule denies it. Relations do not lead to such a collection, so its own name alone does. */
export function readingRefusal (method: string, name: string | undefined, { model, guarded, denial }: Caller): DataApiError | undefined {
  if (!guarded) return undefined
  const collection = name === undefined ? undefined : model.collections.get(name)
  return collection !== undefined && (method === 'GET' || method === 'HEAD' || method === 'QUERY') ? denial('read', collection) : undefined
}

const collectionOf = (resource: Exclude<Resource, { kind: 'directory' }>): Collection => 'from' in resource ? resource.from.collection : resource.collection

/** What the method may come to: one of these must be permitted; which it is in the end is known when the data is. */
function operationsOf (method: Exclude<Method, 'OPTIONS'>, resource: Exclude<Resource, { kind: 'directory' }>): readonly Operation[] {
  switch (method) {
    case 'GET':
    case 'HEAD':
    case 'QUERY': return ['read']
    case 'POST': return ['create']
    case 'DELETE': return ['delete']
    case 'PUT':
    case 'PATCH': return resource.kind === 'item' && collectionOf(resource).strategies.upsert ? ['update', 'create'] : ['update']
  }
}
