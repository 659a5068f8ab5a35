import type { Collection } from '../../model/model.ts'
import { type Syntax, yieldTo } from '../../request/syntax.ts'
import { memoize } from '../../scheduling/memoize.ts'
import { takesFilters } from '../read/filter.ts'
import type { Resource } from './walk.ts'

/** Returns the syntax of query strings at a resource (docs/http.md: Query strings). */
export function syntaxAt (resource: Resource, api: Syntax): Syntax {
  if (resource.kind === 'directory') return api
  return syntaxOf('from' in resource ? resource.from.collection : resource.collection, api)
}

/** Returns the syntax at the URLs of a collection, from that of the API or of another collection. */
export const syntaxOf = (collection: Collection, syntax: Syntax): Syntax =>
  syntaxesOf(syntax.here?.api ?? syntax)(collection)

const syntaxesOf = memoize((api: Syntax) => memoize((collection: Collection): Syntax => {
  const fields = [...collection.fields.values()].filter(takesFilters).map(({ name }) => name)
  return yieldTo(new Set(fields), api, relation => {
    const field = collection.fields.get(relation)
    return field !== undefined && 'target' in field ? syntaxOf(field.target, api) : api
  })
}))
