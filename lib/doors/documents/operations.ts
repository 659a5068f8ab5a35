import type { CollectionView, RelationView, ResourceView } from '../../core/api/face.ts'
import { mediaTypes } from '../../core/plan/media.ts'
import { formType } from '../../core/request/parse.ts'
import { createSchema, elementSchema, postedSchema, updateSchema } from './bodies.ts'
import { resolveParameter } from './components.ts'
import type { Describing } from './describing.ts'
import { filterParameters } from './filters.ts'
import { itemSchema, listedSchema, pageSchema } from './items.ts'
import type { Content, Operation, Parameter, PathItem, Reference, Response, Schema } from './objects.ts'
import { importContent, importedForms } from './imports.ts'
import { header, listParameters, selectionParameters } from './parameters.ts'
import { isPlainName } from './profiles.ts'
import { createdSchema, doneSchema, eventSchema, jsonContent, ok, tried, wrappedSchema } from './responses.ts'
import { shownSchema } from './shown.ts'

/** A list to describe: a collection, or the sub-collection `via` of an item. */
export interface List {
  readonly collection: CollectionView
  readonly via: RelationView | undefined
  readonly resource: ResourceView
  /** The words of its operations' identifiers, such as `artists`, `albums`. */
  readonly words: readonly string[]
}

/** Returns the operation that reads a page or, where the profile has them, a stream. */
export function getList (list: List, describing: Describing): Operation {
  const { collection, via, words } = list
  const [first = ''] = words
  const { face, profile } = describing
  // Filters of related items go through `where`: a parameter for each would make the document unreadable.
  const filters = profile.namedFilters && via === undefined ? filterParameters(collection, face.syntax) : []
  const headers = profile.details ? [header('Count', describing), header('IfNoneMatch', describing)] : []
  return {
    operationId: describing.operationId(`list_${words.join('_')}`),
    summary: via === undefined ? `List ${first}` : `List the ${via.name} of an item of ${first}`,
    description: pageWords[face.pageLinks],
    tags: [first],
    parameters: [...filters, ...listParameters(collection, describing), ...headers],
    responses: {
      200: describing.components.responseOf(collection, 'Page', () => pageResponse(collection, describing)),
      ...profile.details && { 304: describing.components.response('NotModified') },
      400: describing.components.response('BadRequest'),
      ...via !== undefined && { 404: describing.components.response('NotFound') },
      default: describing.components.response('Failed')
    }
  }
}

const inLink = 'The answer is a page; `Link` leads to the next one.'
const inBody = 'The answer is a page; `page.next` leads to the next one.'
const pageWords = { header: inLink, wrapped: inBody, both: inBody, none: 'The answer is a page.' } as const

/** Returns the operation QUERY, whose body is a query string (OpenAPI 3.2). */
export function queryList (list: List, describing: Describing): Operation {
  const { parameters = [], ...get } = getList(list, describing)
  const { components } = describing
  const isIn = (place: string) => (parameter: Parameter | Reference) =>
    resolveParameter(parameter, components)?.in === place
  const schema = (): Schema => {
    const inQuery = parameters.filter(isIn('query')).flatMap(one => resolveParameter(one, components) ?? [])
    return { type: 'object', properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])) }
  }
  // Only filters with a name of their own differ between collections.
  const isCommon = parameters.every(parameter => '$ref' in parameter)
  const body = isCommon ? components.named('Query', schema) : schema()
  return {
    ...get,
    operationId: describing.operationId(`query_${list.words.join('_')}`),
    description: 'As GET, for queries that are too long for a URL: the body is the query string.',
    parameters: parameters.filter(isIn('header')),
    requestBody: { required: false, content: { [formType]: { schema: body } } }
  }
}

function pageResponse (collection: CollectionView, describing: Describing): Response {
  const { face, profile } = describing
  const { pageLinks } = face
  const element = listedSchema(collection, describing)
  const items = pageSchema(element, describing)
  const wrapped = pageLinks === 'wrapped' || pageLinks === 'both'
  const response = ok('A page of items.', wrapped ? wrappedSchema(items) : items, { headers: pageHeaders(describing) })
  const streams: Content = profile.streams && face.streams()
    ? {
        [mediaTypes.ndjson]: { itemSchema: element },
        [mediaTypes.csv]: { schema: { type: 'string' } }
      }
    : {}
  const events = eventContent('collection', collection, describing)
  return { ...response, content: { ...response.content, ...streams, ...events } }
}

/** Returns the content of a live document: its events; none where the resource is not live. */
function eventContent (kind: 'collection' | 'item', collection: CollectionView, describing: Describing): Content {
  const { sight, profile, components } = describing
  if (!profile.streams || !sight.at({ kind, collection }).isLive) return {}
  return { [mediaTypes.events]: { itemSchema: components.named('Event', eventSchema) } }
}

/** Returns the headers of a page. */
export function pageHeaders ({ face: { pageLinks }, profile }: Describing): NonNullable<Response['headers']> {
  const inHeader = pageLinks === 'header' || pageLinks === 'both'
  return {
    ...inHeader && { Link: stringHeader('The pages `first`, `prev` and `next` (RFC 8288).') },
    ...profile.details && {
      'X-Total-Count': { description: 'The number of all items (`Prefer: count=exact`).', schema: { type: 'integer' } },
      ETag: tag
    }
  }
}

const stringHeader = (description: string) => ({ description, schema: { type: 'string' } })
const tag = stringHeader('The tag of this representation.')

/** An item to describe: one of the collection `tag`, or the sub-item `part` of such an item. */
export interface DescribedItem { readonly tag: string, readonly part: string | undefined }

const wordsOf = ({ tag, part }: DescribedItem): string => `${tag}_${part ?? 'item'}`

const phraseOf = ({ tag, part }: DescribedItem): string =>
  part === undefined ? `an item of ${tag}` : `the ${part} of an item of ${tag}`

/** Returns the operation that reads one item. The answer is null for a sub-item that is not there. */
export function getItem (collection: CollectionView, describing: Describing, item: DescribedItem): Operation {
  const { profile } = describing
  const nullable = item.part !== undefined
  return {
    operationId: describing.operationId(`get_${wordsOf(item)}`),
    summary: `Read ${phraseOf(item)}`,
    description: nullable ? 'The answer is null where there is none.' : 'The answer has all fields but hidden ones.',
    tags: [item.tag],
    parameters: [
      ...selectionParameters(collection, describing), ...profile.details ? [header('IfNoneMatch', describing)] : []
    ],
    responses: {
      200: itemResponse(collection, describing, nullable),
      ...profile.details && { 304: describing.components.response('NotModified') },
      400: describing.components.response('BadRequest'),
      404: describing.components.response('NotFound'),
      default: describing.components.response('Failed')
    }
  }
}

function itemResponse (collection: CollectionView, describing: Describing, nullable: boolean): Reference {
  const schema = itemSchema(collection, describing)
  return describing.components.responseOf(collection, nullable ? 'ItemOrNull' : 'Item', () => {
    const response = ok('The item.', nullable ? { anyOf: [schema, { type: 'null' }] } : schema, {
      ...describing.profile.details && { headers: { ETag: tag } }
    })
    const events = eventContent('item', collection, describing)
    return { ...response, content: { ...response.content, ...events } }
  })
}

/** Returns the operation that creates items; no operation if the profile cannot name a required member. */
export function createOperation ({ collection, via, resource, words }: List, describing: Describing): PathItem {
  const { plainNames } = describing.profile
  const { requirements } = resource
  if (plainNames && !requirements.every(({ field }) => isPlainName(field.name))) return {}
  const [first = ''] = words
  const body = via === undefined ? createSchema(collection, describing) : postedSchema(via, describing)
  const anyOf = [body, { type: 'array', items: body }]
  const post: Operation = {
    operationId: describing.operationId(`create_${words.join('_')}`),
    summary: via === undefined ? `Create in ${first}` : `Create or link in the ${via.name} of an item of ${first}`,
    description: `The body is ${plainNames ? 'the new item' : 'an item, or many that are created all or none'}.`,
    tags: [first],
    parameters: writeParameters(collection, describing),
    requestBody: {
      required: requirements.length > 0,
      content: { ...jsonContent(plainNames ? body : { anyOf }), ...importContent(collection, body, describing) }
    },
    responses: {
      ...via === undefined ? tried(collection, describing) : { 200: linkedResponse(collection, describing) },
      201: createdResponse(collection, describing),
      400: describing.components.response('BadRequest'),
      ...via !== undefined && { 404: describing.components.response('NotFound') },
      409: describing.components.response('Conflict'),
      default: describing.components.response('Failed')
    }
  }
  return { post }
}

function createdResponse (collection: CollectionView, describing: Describing): Reference {
  return describing.components.responseOf(collection, 'Created', () => createdForms(collection, describing))
}

function createdForms (collection: CollectionView, describing: Describing): Response {
  const { face: { createdBody }, profile } = describing
  const headers = { Location: stringHeader('The path of the new item.') }
  const isShown = createdBody === 'id' && collection.key.every(({ readable }) => readable)
  const id = isShown ? keySchema(collection) : undefined
  const acknowledgement = createdSchema(id)
  const item = itemSchema(collection, describing)
  const one = profile.details && profile.selection ? [acknowledgement, item] : [acknowledgement]
  // An array of a sub-collection can link some items and create others.
  const mixed = { type: 'array', items: { anyOf: [acknowledgement, doneSchema(describing)] } }
  const description = 'Created. `Prefer` decides what the body shows.'
  if (createdBody === 'none' && !profile.selection) return { description: 'Created.', headers }
  if (profile.plainNames) return ok('Created.', acknowledgement, { headers })
  const schemas = one.flatMap(schema => [schema, { type: 'array', items: schema }])
  return ok(description, { anyOf: [...schemas, mixed, ...importedForms(collection, describing)] }, { headers })
}

/** The answer to a request that has linked items which existed. */
function linkedResponse (collection: CollectionView, describing: Describing): Reference {
  const { components, profile } = describing
  const done = doneSchema(describing)
  const forms = profile.details && profile.selection ? [done, itemSchema(collection, describing)] : [done]
  return components.responseOf(collection, 'Linked', () => {
    return ok('Linked.', { anyOf: forms.flatMap(form => [form, { type: 'array', items: form }]) })
  })
}

/** Returns the operation that replaces the links of a sub-collection. */
export function replaceOperation (via: RelationView, list: List, describing: Describing): Operation {
  const [first = ''] = list.words
  const items = { type: 'array', items: elementSchema(via, describing) }
  return {
    operationId: describing.operationId(`replace_${list.words.join('_')}`),
    summary: `Replace the ${via.name} of an item of ${first}`,
    description: via.creates
      ? 'Links the items of the array, creates those that do not exist, and unlinks all others.'
      : 'Links the items of the array, and unlinks all others.',
    tags: [first],
    requestBody: { required: true, content: jsonContent(items) },
    responses: { 200: linkedResponse(via.target, describing), ...writeErrors(describing) }
  }
}

/** A key of several fields is shown as its path segment. */
function keySchema (collection: CollectionView): Schema {
  const [key, other] = collection.key
  return key === undefined || other !== undefined ? { type: 'string' } : shownSchema(key)
}

/** Returns the operation that updates an item and, where configured and it is no sub-item, creates it. */
export function updateOperation (
  collection: CollectionView, method: string, describing: Describing, item: DescribedItem
): Operation {
  const { profile, components } = describing
  const done = doneSchema(describing)
  const shown = itemSchema(collection, describing)
  // `Prefer` shows the item.
  const oneOf = ([first, ...others]: [Schema, ...Schema[]]) =>
    profile.details && profile.selection ? { anyOf: [first, ...others] } : first
  const upsert = item.part === undefined && collection.strategies.upsert
  return {
    operationId: describing.operationId(`${profile.allUpdates ? method.toLowerCase() : 'update'}_${wordsOf(item)}`),
    summary: `${upsert ? 'Update or create' : 'Update'} ${phraseOf(item)}`,
    description: 'The update is partial: members that the body leaves out keep their values.',
    tags: [item.tag],
    parameters: [
      ...writeParameters(collection, describing), ...profile.details ? [header('IfMatch', describing)] : []
    ],
    requestBody: { required: true, content: jsonContent(updateSchema(collection, describing)) },
    responses: {
      200: components.responseOf(collection, 'Updated', () => ok('Updated.', oneOf([done, shown]))),
      ...upsert && {
        // The client knows the identifier: it is that of the URL.
        201: components.responseOf(collection, 'Upserted', () => {
          return ok('Created.', oneOf([createdSchema(undefined), shown]))
        })
      },
      ...profile.details && { 204: { description: 'Updated; `Prefer: return=minimal`.' } },
      ...writeErrors(describing)
    }
  }
}

export function deleteOperation (item: DescribedItem, unlinks: boolean, describing: Describing): Operation {
  return {
    operationId: describing.operationId(`delete_${wordsOf(item)}`),
    summary: `${unlinks ? 'Unlink' : 'Delete'} ${phraseOf(item)}`,
    description: unlinks ? 'Both items stay.' : 'The application decides if what refers to it is deleted as well.',
    tags: [item.tag],
    parameters: describing.profile.details ? [header('IfMatch', describing)] : [],
    responses: { 200: ok('Deleted.', doneSchema(describing)), ...writeErrors(describing) }
  }
}

/** The errors of a change to an item. */
export const writeErrors = (describing: Describing) => ({
  400: describing.components.response('BadRequest'),
  404: describing.components.response('NotFound'),
  409: describing.components.response('Conflict'),
  ...describing.profile.details && { 412: describing.components.response('Conflict') },
  default: describing.components.response('Failed')
})

/** A write can show what it wrote, so it takes a selection. */
export function writeParameters (collection: CollectionView, describing: Describing): readonly Reference[] {
  const { details, selection } = describing.profile
  return details && selection ? [...selectionParameters(collection, describing), header('Return', describing)] : []
}
