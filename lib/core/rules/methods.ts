import type { DataApiError } from '../errors/errors.ts'
import type { Collection, RelationField } from '../model/model.ts'
import { takenStrategies } from '../model/strategies.ts'
import { isWrite, linkingRelation, type Method, separable, separableRelation } from '../plan/path/methods.ts'
import type { Origin } from '../plan/plan.ts'
import { collectionAt, type Resource } from '../plan/path/walk.ts'
import { always } from '../plan/predicates.ts'
import type { AskedPath, ItemChange, Permissions } from '../plan/request.ts'
import { linkDenial } from './authorise.ts'
import type { Caller, Operation } from './caller.ts'
import { isScoped } from './references.ts'

export function permissionsOf (caller: Caller): Permissions {
  const { model } = caller
  if (!caller.guarded) return { model, readingDenial: none, denial: none, changes: () => [] }
  return {
    model,
    readingDenial: (method, path) => readingDenial(method, path, caller),
    denial: (method, resource) => methodDenial(method, resource, caller),
    changes: (method, resource) => changesOf(method, resource).filter(({ collection, operation }) =>
      isScoped(collection, caller, operation))
  }
}

const none = () => undefined

/** Returns the changes of items that a method makes (docs/http.md: Rules). */
function changesOf (method: Method, resource: Resource): readonly ItemChange[] {
  if (!isWrite(method) || (resource.kind !== 'item' && resource.kind !== 'scalar')) return []
  const { collection, walked } = resource
  const steps = walked.map(({ step }) => step)
  const via = method === 'DELETE' && resource.kind === 'item' ? separableRelation(resource)?.via : undefined
  if (via === undefined) return [{ operation: method === 'DELETE' ? 'delete' : 'update', collection, steps }]
  const ofElement = { operation: 'update', collection, steps } as const
  const ofHolder = { operation: 'update', collection: via.holder, steps: steps.slice(0, -1) } as const
  if (via.kind === 'sub-item') return [ofHolder]
  return via.link.kind === 'join' ? [ofHolder, ofElement] : [ofElement]
}

/**
 * Denies all URLs of a collection that the caller may not read, but OPTIONS, and POST at the collection itself, which
 * only creates. Checks the first collection of the path only: the caller's model has no relations that lead to a
 * collection that the caller may not read, so the rest of the path cannot reach one.
 */
function readingDenial (
  method: string, { segments, from }: AskedPath, { model, denial }: Caller
): DataApiError | undefined {
  const [name] = segments
  const collection = from ?? (name === undefined ? undefined : model.collections.get(name))
  const isOpen = method === 'OPTIONS' || (method === 'POST' && from === undefined && segments.length === 1)
  return collection === undefined || isOpen ? undefined : denial('read', collection)
}

/** Denies what readingDenial denies, for a resource. */
function rootDenial (method: Method, resource: Resource, caller: Caller): DataApiError | undefined {
  const collection = collectionAt(resource)
  if (resource.kind === 'directory' || collection === undefined) return undefined
  const [first] = resource.walked
  const isItself = resource.kind === 'collection' && first === undefined && resource.where === always
  return method === 'POST' && isItself ? undefined : caller.denial('read', first?.step.collection ?? collection)
}

/**
 * Allows the method if any operation that it may do is allowed. Which operation it does is known only after the data is
 * read; the scoped database and the run of the write then check the rule of that operation.
 */
function methodDenial (method: Method, resource: Resource, caller: Caller): DataApiError | undefined {
  if (method === 'OPTIONS' || resource.kind === 'directory') return undefined
  const unreadable = rootDenial(method, resource, caller)
  if (unreadable !== undefined) return unreadable
  const links = linkWriteDenial(method, resource, caller)
  if (links !== 'no links') return links
  const collection = 'from' in resource ? resource.from.collection : resource.collection
  const operations = operationsOf(method, resource.kind, collection)
  const denials = operations.map(operation => caller.denial(operation, collection))
  if (!denials.includes(undefined)) return denials[0]
  return method === 'POST' && 'from' in resource ? creationDenial(resource.from, caller) : undefined
}

/** Returns the denial of a method that changes links, and perhaps creates items; `no links` for any other method. */
function linkWriteDenial (
  method: Method, resource: Resource, caller: Caller
): DataApiError | 'no links' | undefined {
  if (method === 'DELETE' && (resource.kind === 'item' || resource.kind === 'collection')) {
    const via = (resource.kind === 'item' ? separableRelation(resource) : separable(resource.from.via))?.via
    return via === undefined ? 'no links' : relationDenial(via, caller)
  }
  if (resource.kind !== 'collection' || (method !== 'POST' && method !== 'PUT')) return 'no links'
  const via = linkingRelation(resource)
  if (via === undefined) return 'no links'
  const linking = relationDenial(via, caller)
  const creates = takenStrategies(via.target).create && (method === 'POST' || via.creates)
  if (linking === undefined || !creates) return linking
  const creating = creationDenial(resource.from, caller)
  return creating === undefined ? undefined : method === 'POST' ? creating : linking
}

/** Returns the denial of the links between items that exist. */
function relationDenial (via: RelationField, caller: Caller): DataApiError | undefined {
  if (via.kind === 'sub-item') {
    return caller.writeDenial(via.holder.property, via.property) ?? caller.denial('update', via.holder)
  }
  return linkDenial({ field: via, isOwnNew: false, isOtherNew: false }, caller) ?? caller.denial('update', via.target)
}

/** A new item of a sub-collection is linked to its parent (docs/http.md: Rules). */
const creationDenial = ({ collection, via }: Origin, caller: Caller): DataApiError | undefined =>
  caller.denial('create', collection) ??
    (via && linkDenial({ field: via, isOwnNew: false, isOtherNew: true }, caller))

function operationsOf (
  method: Exclude<Method, 'OPTIONS'>, kind: Resource['kind'], { strategies }: Collection
): readonly Operation[] {
  if (!isWrite(method)) return ['read']
  switch (method) {
    case 'POST': return kind === 'scalar' ? ['update'] : ['create']
    case 'DELETE': return ['delete']
    case 'PUT':
    case 'PATCH': return kind !== 'scalar' && strategies.upsert ? ['update', 'create'] : ['update']
  }
}
