import { mediaTypes } from '../plan/media.ts'
import type { Link, Operation, PathItem, Reference, Response, Schema } from './objects.ts'

type Paths = Readonly<Record<string, PathItem>>

/** Returns the paths with the links of answers: from an item to its relations, and from a creation to the new item. */
export function withLinks (paths: Paths): Paths {
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => {
    const { get, post } = item
    const isItem = path.endsWith(identifier)
    return [path, {
      ...item,
      ...isItem && get && { get: linked(get, '200', relationsOf(path, paths)) },
      ...!isItem && post && { post: linked(post, '201', createdIn(path, post, paths)) }
    }]
  }))
}

const identifier = '/{identifier}'

type Links = Readonly<Record<string, Link>>

function linked (operation: Operation, status: string, links: Links): Operation {
  if (Object.keys(links).length === 0) return operation
  const response = operation.responses[status] as Response
  return { ...operation, responses: { ...operation.responses, [status]: { ...response, links } } }
}

/** The paths of relations have no other parameter than the item's identifier. */
function relationsOf (item: string, paths: Paths): Links {
  return Object.fromEntries(Object.entries(paths).flatMap(([path, { get }]) => {
    const name = path.startsWith(`${item}/`) ? path.slice(item.length + 1) : ''
    if (get === undefined || name === '' || name.includes('{')) return []
    const { operationId, summary } = get
    const parameters = { identifier: '$request.path.identifier' }
    return [[linkName(name), { operationId, description: summary, parameters }]]
  }))
}

/** The new item is at its collection, whose path is that of the operation, if the acknowledgement has its key. */
function createdIn (list: string, { responses }: Operation, paths: Paths): Links {
  const get = paths[list + identifier]?.get
  if (get === undefined || !showsId(responses['201'])) return {}
  const { operationId, summary } = get
  return { item: { operationId, description: summary, parameters: { identifier: '$response.body#/id' } } }
}

/** The acknowledgement is the only form of the answer, or the first. */
function showsId (response: Response | Reference | undefined): boolean {
  if (response === undefined || '$ref' in response) return false
  const schema = response.content?.[mediaTypes.json]?.schema ?? {}
  const [acknowledgement = schema] = (schema['anyOf'] ?? []) as readonly Schema[]
  return Object.hasOwn(acknowledgement['properties'] ?? {}, 'id')
}

/** OpenAPI limits the names of links to ASCII. */
const linkName = (segment: string): string => segment.replaceAll(/[^A-Za-z0-9._-]/g, '_')
