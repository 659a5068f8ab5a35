import { mediaTypes } from '../plan/media.ts'
import { componentOf } from './components.ts'
import type { Link, PathItem, Reference, Response, Schema } from './objects.ts'

type Paths = Readonly<Record<string, PathItem>>

/**
 * Adds the links of answers to the responses of a collection: from an item to its relations, and from a creation to the
 * new item. `paths`: those of the collection.
 */
export function addLinks (paths: Paths, responses: Record<string, Response>): void {
  for (const [path, { get, post }] of Object.entries(paths)) {
    if (path.endsWith(identifier)) add(get?.responses['200'], () => relationsOf(path, paths))
    else add(post?.responses['201'], response => createdIn(path, response, paths))
  }

  function add (reference: Response | Reference | undefined, linksOf: (response: Response) => Links): void {
    if (reference === undefined || !('$ref' in reference)) return
    const name = componentOf(reference)
    const response = responses[name]
    const links = response === undefined ? {} : linksOf(response)
    if (response !== undefined && Object.keys(links).length > 0) responses[name] = { ...response, links }
  }
}

const identifier = '/{identifier}'

type Links = Readonly<Record<string, Link>>

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
function createdIn (list: string, response: Response, paths: Paths): Links {
  const get = paths[list + identifier]?.get
  if (get === undefined || !showsId(response)) return {}
  const { operationId, summary } = get
  return { item: { operationId, description: summary, parameters: { identifier: '$response.body#/id' } } }
}

/** The acknowledgement is the only form of the answer, or the first. */
function showsId ({ content }: Response): boolean {
  const schema = content?.[mediaTypes.json]?.schema ?? {}
  const [acknowledgement = schema] = (schema['anyOf'] ?? []) as readonly Schema[]
  return Object.hasOwn(acknowledgement['properties'] ?? {}, 'id')
}

/** OpenAPI limits the names of links to ASCII. */
const linkName = (segment: string): string => segment.replaceAll(/[^A-Za-z0-9._-]/g, '_')
