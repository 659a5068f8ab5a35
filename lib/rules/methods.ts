import type { DataApiError } from '../errors/errors.ts'
import type { Collection, RelationField } from '../model/model.ts'
import { isWrite, linkingRelation, type Method, separable, separableRelation } from '../plan/path/methods.ts'
import type { Origin } from '../plan/plan.ts'
import type { ItemChange, Permissions } from '../plan/request.ts'
import type { Resource } from '../plan/path/walk.ts'
import { linkDenial } from './authorise.ts'
import type { Caller, Operation } from './caller.ts'
import { isScoped } from './references.ts'

/** Returns the permissions of the caller, for the plan of a request. */
export function permissionsOf (caller: Caller): Permissions {
  const { model } = caller
  if (!caller.guarded) return { model, readingDenial: none, denial: none, change: none }
  return {
    model,
    readingDenial: (method, name) => readingDenial(method, name, caller),
    denial: (method, resource) => methodDenial(method, resource, caller),
    change: (method, resource) => {
      const change = changeOf(method, resource)
      return change !== undefined && isScoped(change.collection, caller, change.operation) ? change : undefined
    }
  }
}

const none = () => undefined

/** Returns the change of an item that a method makes (docs/http.md: Rules); undefined if it makes none. */
function changeOf (method: Method, resource: Resource): ItemChange | undefined {
  if (!isWrite(method) || (resource.kind !== 'item' && resource.kind !== 'scalar')) return undefined
  const { collection, walked } = resource
  const steps = walked.map(({ step }) => step)
  const via = method === 'DELETE' && resource.kind === 'item' ? separableRelation(resource)?.via : undefined
  if (via === undefined) return { operation: method === 'DELETE' ? 'delete' : 'update', collection, steps }
  const isOfElement = via.kind === 'sub-collection' && via.link.kind === 'foreign-key'
  return isOfElement
    ? { operation: 'update', collection, steps }
    : { operation: 'update', collection: via.holder, steps: steps.slice(0, -1) }
}

/**
 * Checks the first collection of the path only. The caller's model has no relations that lead to a collection that the
 * caller may not read, so the rest of the path cannot reach one.
 */
function readingDenial (method: string, name: string | undefined, { model, denial }: Caller): DataApiError | undefined {
  if (method !== 'GET' && method !== 'HEAD' && method !== 'QUERY') return undefined
  const collection = name === undefined ? undefined : model.collections.get(name)
  return collection === undefined ? undefined : denial('read', collection)
}

/**
 * Allows the method if any operation that it may do is allowed. Which operation it does is known only after the data is
 * read; the scoped database and the run of the write then check the rule of that operation.
 */
function methodDenial (method: Method, resource: Resource, caller: Caller): DataApiError | undefined {
  if (method === 'OPTIONS' || resource.kind === 'directory') return undefined
  const links = linkWriteDenial(method, resource, caller)
  if (links !== 'no links') return links
  const collection = 'from' in resource ? resource.from.collection : resource.collection
  const operations = operationsOf(method, resource.kind, collection)
  const denials = operations.map(operation => caller.denial(operation, collection))
  if (!denials.includes(undefined)) return denials[0]
  return method === 'POST' && 'from' in resource ? postDenial(resource.from, caller) : undefined
}

/**
 * Returns the denial of a method that changes links and no items; `no links` for any other method. A POST may do both:
 * it is denied if neither is allowed.
 */
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
  const denial = relationDenial(via, caller)
  return method === 'POST' && denial !== undefined ? 'no links' : denial
}

function relationDenial (via: RelationField, caller: Caller): DataApiError | undefined {
  if (via.kind === 'sub-collection') return linkDenial({ field: via, isOwnNew: false, isOtherNew: false }, caller)
  return caller.writeDenial(via.holder.property, via.property) ?? caller.denial('update', via.holder)
}

/** A new item of a sub-collection is linked to its parent (docs/http.md: Rules). */
const postDenial = ({ via }: Origin, caller: Caller) =>
  via && linkDenial({ field: via, isOwnNew: false, isOtherNew: true }, caller)

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
