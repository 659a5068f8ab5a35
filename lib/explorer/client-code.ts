import type { Collection } from '../model/model.ts'
import { planFilters } from '../plan/filter.ts'
import type { Query } from '../request/request.ts'
import { compileSyntax, type Syntax } from '../request/syntax.ts'
import { memoize } from '../memoize.ts'
import { callOf } from './client-path.ts'
import { type Code, objectOf, print } from './client-print.ts'
import { whereOf } from './client-where.ts'
import type { Place } from './place.ts'
import { wordOf } from './words.ts'

/**
 * Returns a program that sends the request of a page by the client (docs/client.md); undefined for a resource that the
 * client has no function for, and for an API whose query language is not the one that the client writes.
 */
export function clientCode (place: Place): string | undefined {
  const { spot, site, syntax } = place
  if (spot === undefined || !isOrdinary(syntax)) return undefined
  const { request, resource } = spot
  if (resource.kind === 'directory' || resource.kind === 'scalar') return undefined
  const call = callOf(request, syntax.dictionaryPrefix, spot.permissions.model)
  if (call === undefined) return undefined
  const collection = 'from' in resource ? resource.from.collection : resource.collection
  const count = wordOf('_count', place.query) === undefined ? undefined : true
  const query = queryOf(request.query, collection, count)
  const isList = resource.kind === 'collection'
  const result = isList ? count === undefined ? '{ items, next }' : '{ items, next, total }' : 'found'
  return `import { createClient } from 'fastify-data-api/client'

const client = createClient(${print(site.origin + site.root)})
const ${result} = await ${call}.${isList ? 'list' : 'get'}(${query.size === 0 ? '' : print(query)})`
}

/** Returns a query in the client's words. Throws what the plan of its filters throws. */
function queryOf (query: Query, collection: Collection, count?: true): ReadonlyMap<string, Code> {
  const { filters, sort = [], fields, page: { page, size, offset, after, before } } = query
  const terms = sort.map(({ name, descending }) => descending ? `${name} desc` : name)
  const numberOf = (value: typeof page) => value === undefined ? undefined : Number(value.text)
  return objectOf({
    where: filters.length === 0 ? undefined : whereOf(planFilters(filters, collection)),
    fields: fields?.map(asked => fieldOf(asked, collection)),
    sort: terms.length > 1 ? terms : terms[0],
    page: numberOf(page),
    size: numberOf(size),
    offset: numberOf(offset),
    after: after?.text,
    before: before?.text,
    count
  })
}

function fieldOf ({ name, query }: NonNullable<Query['fields']>[number], collection: Collection): Code {
  const field = collection.fields.get(name)
  if (query === undefined || field === undefined || !('target' in field)) return name
  const nested = queryOf(query, field.target)
  const fields = nested.get('fields')
  return objectOf({ [name]: nested.size === 1 && fields !== undefined ? fields : nested })
}

/** Returns true for the query language that the client writes. */
const isOrdinary = memoize((syntax: Syntax): boolean => {
  const ordinary = compileSyntax({})
  return String(syntax.operators) === String(ordinary.operators) &&
    parameters.every(name => syntax.parameters.get(name) === ordinary.parameters.get(name)) &&
    [syntax.fields, syntax.sort, syntax.list].every(delimiters => delimiters.has(',')) && syntax.direction.has(' ') &&
    syntax.directions.get('desc') === true
})

const parameters = ['where', 'sort', 'fields', 'page', 'size', 'offset', 'after', 'before']
