import type { Face, Sight } from '../../core/api/face.ts'
import type { Collection } from '../../core/model/model.ts'
import { allowedMethods, type Method } from '../../core/plan/path/methods.ts'
import type { Permissions } from '../../core/plan/request.ts'
import { always } from '../../core/plan/predicates.ts'
import type { Resource } from '../../core/plan/path/walk.ts'
import type { Components } from './components.ts'
import type { Profile } from './profiles.ts'

/** All that the parts of a document depend on. */
export interface Describing {
  readonly face: Face
  /** What the reader of the document may see and do. */
  readonly sight: Sight
  readonly profile: Profile
  readonly version: Version
  readonly components: Components
  /** Returns an operation's identifier that the document does not have yet. */
  operationId (name: string): string
}

/** The versions of OpenAPI. 3.2 adds the method QUERY and the items of streams. */
export const versions = ['3.1', '3.2'] as const
export type Version = typeof versions[number]

/** The view that one caller has of a collection, and the caller's permissions, which hold the caller's model. */
// until the other doors ask the face
export interface View { readonly collection: Collection, readonly permissions: Permissions }

/** Returns the views of the collections that the permissions let a caller use in any way. */
export function viewsOf (permissionsOf: (name: string) => Permissions | undefined, names: readonly string[]): View[] {
  return names.flatMap(name => {
    const permissions = permissionsOf(name)
    const collection = permissions?.model.collections.get(name)
    if (permissions === undefined || collection === undefined) return []
    const view = { collection, permissions }
    const used = [listOf(collection), itemOf(collection)].flatMap(resource => methodsOf(resource, view))
    return used.length > 0 ? [view] : []
  })
}

/** Returns the methods that the resource takes from this caller, without HEAD and OPTIONS. */
export function methodsOf (resource: Resource, { permissions }: View): readonly Method[] {
  return allowedMethods(resource).filter(method => {
    return method !== 'HEAD' && method !== 'OPTIONS' && permissions.denial(method, resource) === undefined
  })
}

/** Returns a collection as a path leads to it. */
export function listOf (collection: Collection): Extract<Resource, { kind: 'collection' }> {
  return { kind: 'collection', from: { collection, via: undefined }, where: always, pathValues: [], walked: [] }
}

/** Returns an item of a collection as a path leads to it. */
export function itemOf (collection: Collection): Extract<Resource, { kind: 'item' }> {
  return { kind: 'item', collection, special: false, nullable: false, pathValues: [], walked: [] }
}
