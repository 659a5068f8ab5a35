import type { Resource } from './walk.ts'

/** A method that some resource takes. */
export type Method = ReadMethod | WriteMethod
export type ReadMethod = 'GET' | 'HEAD' | 'OPTIONS' | 'QUERY'
export type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const reading: readonly Method[] = ['GET', 'HEAD', 'OPTIONS']
const listing: readonly Method[] = [...reading, 'QUERY']
const listingAndPosting: readonly Method[] = [...listing, 'POST']

/** The methods that a resource takes, as OPTIONS and 405 tell them (docs/http.md: URLs, Writing). */
export function allowedMethods (resource: Resource): readonly Method[] {
  switch (resource.kind) {
    case 'directory':
    case 'dictionary': return reading
    case 'collection': return takesItems(resource) ? listingAndPosting : listing
    case 'item': return [...reading, ...itemMethods(resource)]
    case 'scalar': return resource.field.writable && resource.collection.strategies.update.length > 0 ? [...reading, 'PUT'] : reading
  }
}

/** The method, if the resource takes it. */
export function findMethod (method: string, resource: Resource): Method | undefined {
  // What everything can be asked.
  return reading.find(one => one === method) ?? allowedMethods(resource).find(one => one === method)
}

/** Whether a method changes what it is sent to. */
export const isWrite = (method: Method): method is WriteMethod => method === 'POST' || method === 'PUT' || method === 'PATCH' || method === 'DELETE'

const takesItems = ({ from, given }: Extract<Resource, { kind: 'collection' }>) => from.collection.strategies.create && given !== undefined

const itemMethods = ({ collection: { strategies } }: Extract<Resource, { kind: 'item' }>): readonly Method[] =>
  strategies.delete ? [...strategies.update, 'DELETE'] : strategies.update
