import type { DataApiError } from '../errors.ts'
import type { Collection } from '../model/model.ts'
import { isWrite, type Method } from '../plan/methods.ts'
import type { Permissions } from '../plan/request.ts'
import type { Resource } from '../plan/walk.ts'
import type { Caller, Operation } from './caller.ts'

/** What the rules allow the caller, as the plan of a request asks it. */
export function permissionsOf (caller: Caller): Permissions {
  const { model } = caller
  if (!caller.guarded) return { model, readingDenial: never, denial: never }
  return {
    model,
    readingDenial: (method, name) => readingDenial(method, name, caller),
    denial: (method, resource) => methodDenial(method, resource, caller)
  }
}

const never = () => undefined

/** A relation leads to no collection that the caller may not read, so that its own name alone does. */
function readingDenial (method: string, name: string | undefined, { model, denial }: Caller): DataApiError | undefined {
  const collection = name === undefined ? undefined : model.collections.get(name)
  return collection !== undefined && (method === 'GET' || method === 'HEAD' || method === 'QUERY') ? denial('read', collection) : undefined
}

/** The method is allowed where one of the operations is that it may come to; which one it does is known when the data is. */
function methodDenial (method: Method, resource: Resource, caller: Caller): DataApiError | undefined {
  if (method === 'OPTIONS' || resource.kind === 'directory') return undefined
  const collection = 'from' in resource ? resource.from.collection : resource.collection
  const denials = operationsOf(method, resource.kind, collection).map(operation => caller.denial(operation, collection))
  return denials.includes(undefined) ? undefined : denials[0]
}

function operationsOf (method: Exclude<Method, 'OPTIONS'>, kind: Resource['kind'], { strategies }: Collection): readonly Operation[] {
  if (!isWrite(method)) return ['read']
  switch (method) {
    case 'POST': return ['create']
    case 'DELETE': return ['delete']
    case 'PUT':
    case 'PATCH': return kind === 'item' && strategies.upsert ? ['update', 'create'] : ['update']
  }
}
