import { methodNotAllowed } from '../errors/errors.ts'
import type { Collection } from '../model/model.ts'
import { methodsOf } from '../openapi/describing.ts'
import {
  allowedMethods, linkingRelation, replaceableRelation, separableRelation, type WriteMethod
} from '../plan/path/methods.ts'
import type { Resource } from '../plan/path/walk.ts'
import type { Allowed } from './grid.ts'
import type { ItemAllowed } from './item.ts'
import type { PlaceOf, Spot } from './place.ts'
import type { Visit } from './visit.ts'

/** Returns what the caller may do with a collection. */
export function allowedIn ({ spot }: PlaceOf<'collection'>): Allowed {
  const methods = methodsAt(spot)
  const { resource } = spot
  const isPosted = methods.includes('POST')
  return {
    create: isPosted && resource.from.collection.strategies.create && resource.pathValues !== undefined,
    link: isPosted ? linkingRelation(resource) : undefined,
    unlink: methods.includes('PUT') && replaceableRelation(resource) !== undefined
  }
}

/** Asks what the caller may do with an item: a scope may allow it for some items only. */
export async function askAllowed ({ spot }: PlaceOf<'item'>, visit: Visit): Promise<ItemAllowed> {
  const { headers } = await visit.ask({ method: 'OPTIONS', url: visit.ownPath })
  const methods = String(headers['allow']).split(', ')
  const isDeleted = methods.includes('DELETE')
  const isSeparable = separableRelation(spot.resource) !== undefined
  const update = methods.some(method => method === 'PATCH' || method === 'PUT')
  return { update, delete: isDeleted && !isSeparable, unlink: isDeleted && isSeparable }
}

/** Returns the methods that the caller may use on the resource. */
function methodsAt ({ resource, permissions }: Spot): readonly string[] {
  if (resource.kind === 'directory') return []
  return methodsOf(resource, { permissions, collection: collectionOf(resource) })
}

const collectionOf = (resource: Exclude<Resource, { kind: 'directory' }>): Collection =>
  'from' in resource ? resource.from.collection : resource.collection

/** Throws the denial of a method, or method_not_allowed, for a caller who may not use it here. */
export function checkMethod (method: WriteMethod, spot: Spot): void {
  if (methodsAt(spot).includes(method)) return
  throw spot.permissions.denial(method, spot.resource) ??
    methodNotAllowed(method, allowedMethods(spot.resource).join(', '))
}

/** Returns the method of updates: a form changes what it names, by PATCH or PUT alike. */
export const updateMethod = (spot: Spot): 'PATCH' | 'PUT' => methodsAt(spot).includes('PATCH') ? 'PATCH' : 'PUT'
