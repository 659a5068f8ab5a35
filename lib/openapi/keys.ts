import type { Describing } from './describing.ts'
import type { OperationMethod, PathItem } from './objects.ts'
import { header } from './parameters.ts'

type Paths = Readonly<Record<string, PathItem>>

/** Adds the header `Idempotency-Key` to operations that write (docs/http.md: Idempotency keys), where it is read. */
export function withKeys (paths: Paths, describing: Describing): Paths {
  if (describing.idempotency === undefined || !describing.profile.details) return paths
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, withKey(item, describing)]))
}

const writing: readonly OperationMethod[] = ['post', 'put', 'patch', 'delete']

function withKey (item: PathItem, describing: Describing): PathItem {
  const keyed = writing.flatMap(method => {
    const operation = item[method]
    if (operation === undefined) return []
    const parameters = [...operation.parameters ?? [], header('IdempotencyKey', describing)]
    return [[method, { ...operation, parameters }]]
  })
  return { ...item, ...Object.fromEntries(keyed) as PathItem }
}
