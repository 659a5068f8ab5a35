import type { DataApiError } from '../errors.ts'
import type { Collection } from '../model/model.ts'
import { isWrite, type Method } from '../plan/methods.ts'
import type { Origin } from '../plan/plan.ts'
import type { Permissions } from '../plan/request.ts'
import type { Resource } from '../plan/walk.ts'
import { linkDenial } from './authorise.ts'
import type { Caller, Operation } from './caller.ts'

/** Returns the permissions of the caller, for the plan of a request. */
export function permissionsOf (caller: Caller): Permissions {
  const { model } = caller
  if (!caller.guarded) return { model, readingDenial: noDenial, denial: noDenial }
  return {
    model,
    readingDenial: (method, name) => readingDenial(method, name, caller),
    denial: (method, resource) => methodDenial(method, resource, caller)
  }
}

const noDenial = () => undefined

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
  const collection = 'from' in resource ? resource.from.collection : resource.collection
  const operations = operationsOf(method, resource.kind, collection)
  const denials = operations.map(operation => caller.denial(operation, collection))
  if (!denials.includes(undefined)) return denials[0]
  return method === 'POST' && 'from' in resource ? postDenial(resource.from, caller) : undefined
}

/** A new item of a sub-collection is linked to its parent (docs/http.md: Rules). */
const postDenial = ({ via }: Origin, caller: Caller) =>
  via && linkDenial({ field: via, isOwnNew: false, isOtherNew: true }, caller)

function operationsOf (
  method: Exclude<Method, 'OPTIONS'>, kind: Resource['kind'], { strategies }: Collection
): readonly Operation[] {
  if (!isWrite(method)) return ['read']
  switch (method) {
    case 'POST': return ['create']
    case 'DELETE': return ['delete']
    case 'PUT':
    case 'PATCH': return kind === 'item' && strategies.upsert ? ['update', 'create'] : ['update']
  }
}
