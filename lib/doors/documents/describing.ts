import type { Collection } from '../../core/model/model.ts'
import { allowedMethods, type Method } from '../../core/plan/path/methods.ts'
import type { Permissions } from '../../core/plan/request.ts'
import { always } from '../../core/plan/predicates.ts'
import type { Resource } from '../../core/plan/path/walk.ts'
import type { Syntax } from '../../core/request/syntax.ts'
import type { Components } from './components.ts'
import type { Profile } from './profiles.ts'

/** The view that one caller has of a collection, and the caller's permissions, which hold the caller's model. */
export interface View { readonly collection: Collection, readonly permissions: Permissions }

/** All that the parts of a document depend on. */
export interface Describing {
  readonly profile: Profile
  readonly version: Version
  readonly syntax: Syntax
  readonly answers: AnswerOptions
  /** Returns true if collections are answered as NDJSON and CSV too. */
  streams (): boolean
  /** Returns true if clients can follow how the resource changes. */
  isLive (resource: Resource): boolean
  /** Undefined where no stream is imported. */
  readonly imports: object | undefined
  /** Undefined if no write has a key. */
  readonly idempotency: object | undefined
  readonly components: Components
  /** The names of the collections in which the caller may create items. */
  readonly creations: ReadonlySet<string>
  /** Returns an operation's identifier that the document does not have yet. */
  operationId (name: string): string
}

/** The versions of OpenAPI. 3.2 adds the method QUERY and the items of streams. */
export const versions = ['3.1', '3.2'] as const
export type Version = typeof versions[number]

/** The options that decide the form of answers. */
export interface AnswerOptions {
  readonly createdBody: 'id' | 'status' | 'none'
  readonly pageLinks: 'header' | 'wrapped' | 'both' | 'none'
}

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

/** Returns true if the caller may create items of the collection. */
export const mayCreate = (collection: Collection, permissions: Permissions | undefined): boolean =>
  permissions !== undefined && permissions.denial('POST', listOf(collection)) === undefined

/** Returns a collection as a path leads to it. */
export function listOf (collection: Collection): Extract<Resource, { kind: 'collection' }> {
  return { kind: 'collection', from: { collection, via: undefined }, where: always, pathValues: [], walked: [] }
}

/** Returns an item of a collection as a path leads to it. */
export function itemOf (collection: Collection): Extract<Resource, { kind: 'item' }> {
  return { kind: 'item', collection, special: false, nullable: false, pathValues: [], walked: [] }
}
