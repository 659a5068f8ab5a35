import type { CollectionView } from '../../core/api/face.ts'
import { mediaTypes } from '../../core/plan/media.ts'
import type { ResponseSuffix } from './components.ts'
import {
  type Describing, holds, type OnCollection, type OnFields, type OnRoot, type Piece, when
} from './needs.ts'
import { groupSchema, itemSchema, listedSchema, pageSchema } from './items.ts'
import type { Content, SchemaReference, Response, Schema } from './objects.ts'
import {
  affectedSchema, createdSchema, directorySchema, doneSchema, eventSchema, importedAnswers, jsonResponse,
  type SharedResponse, wrappedSchema
} from './responses.ts'
import { shownSchema } from './shown.ts'
import { anyOf, closedObject, distinctSchema, textFor } from './value-schema.ts'

// The answers that operations have (operations.ts).

type Answer<On = OnCollection> = Piece<On, Response | SchemaReference>

/** Returns an answer to which all operations of a collection refer. */
const kept = (
  suffix: ResponseSuffix, make: (on: OnCollection, describing: Describing) => Response
): Answer => (on, describing) => describing.components.responseOf(on.collection, suffix, () => make(on, describing))

const shared = (name: SharedResponse): Answer<OnRoot> => (_, { components }) => components.response(name)

export const notModified = when(['details'], shared('NotModified'))
export const badRequest = shared('BadRequest')
export const notFound = shared('NotFound')
export const conflict = shared('Conflict')
export const failedPrecondition = when(['details'], conflict)
export const failed = shared('Failed')

export const directory: Answer<OnRoot> = (_, describing) =>
  jsonResponse('The collections.', directorySchema(describing))

export const batchDone: Answer<OnRoot> = (on, describing) => {
  const results = { type: 'array', items: describing.components.named('BatchResult', batchResultSchema) }
  const isTried = holds('tries', on, describing)
  return isTried
    ? jsonResponse('All done, or tried.', { anyOf: [results, doneSchema(describing)] })
    : jsonResponse('All done.', results)
}

const batchResultSchema = (): Schema => closedObject({
  status: { type: 'integer', description: 'the status of the request alone' },
  location: textFor('the path of the new item'),
  etag: textFor('the tag of the body'),
  body: { description: 'the body of the answer to the request alone' }
}, ['status'])

export const page = kept('Page', (on, describing) => {
  const { face, profile } = describing
  const element = listedSchema(on.collection, describing)
  const response = paged('A page of items.', pageSchema(element, describing), on, describing)
  const streams: Content = profile.streams && face.streams()
    ? { [mediaTypes.ndjson]: { itemSchema: element }, [mediaTypes.csv]: { schema: { type: 'string' } } }
    : {}
  return withContent(response, { ...streams, ...eventContent('collection', on, describing) })
})

/** Returns the answer of these items, or of an object of them. */
function paged (description: string, items: Schema, on: OnCollection, describing: Describing): Response {
  const headers = {
    ...holds('linksInHeader', on, describing) && { Link: headerOf('The pages `first`, `prev` and `next` (RFC 8288).') },
    ...describing.profile.details && {
      'X-Total-Count': headerOf('The number of all items (`Prefer: count=exact`).', 'integer'),
      ETag: tag
    }
  }
  return jsonResponse(description, holds('linksInBody', on, describing) ? wrappedSchema(items) : items, { headers })
}

const withContent = (response: Response, more: Content): Response =>
  ({ ...response, content: { ...response.content, ...more } })

/** Returns the content of a live document: its events; none where the resource is not live. */
function eventContent (
  kind: 'collection' | 'item', { collection }: OnCollection, { sight, profile, components }: Describing
): Content {
  if (!profile.streams || !sight.at({ kind, collection }).isLive) return {}
  return { [mediaTypes.events]: { itemSchema: components.named('Event', eventSchema) } }
}

const headerOf = (description: string, type = 'string') => ({ description, schema: { type } })
const tag = headerOf('The tag of this representation.')

export const item = kept('Item', (on, describing) =>
  itemResponse(itemSchema(on.collection, describing), on, describing))

export const itemOrNull = kept('ItemOrNull', (on, describing) =>
  itemResponse({ anyOf: [itemSchema(on.collection, describing), { type: 'null' }] }, on, describing))

function itemResponse (schema: Schema, on: OnCollection, describing: Describing): Response {
  const response = jsonResponse('The item.', schema, { ...describing.profile.details && { headers: { ETag: tag } } })
  return withContent(response, eventContent('item', on, describing))
}

/** The answer to a creation that is tried. */
export const tried: Answer = when(['tries', 'details'], (on, describing) => {
  const imported = importedAnswers(on, describing)
  const done = doneSchema(describing)
  return jsonResponse('Tried, and not created.', imported.length === 0 ? done : { anyOf: [done, ...imported] })
})

export const created = kept('Created', (on, describing) => {
  const { collection } = on
  const { face: { createdBody }, profile } = describing
  const headers = { Location: headerOf('The path of the new item.') }
  const acknowledgement = creationSchema(on, describing)
  const one = orShown(acknowledgement, collection, describing)
  // An array of a sub-collection can link some items and create others.
  const mixed = { type: 'array', items: { anyOf: [acknowledgement, doneSchema(describing)] } }
  if (createdBody === 'none' && !profile.selection) return { description: 'Created.', headers }
  if (profile.plainNames) return jsonResponse('Created.', acknowledgement, { headers })
  const forms = [...oneOrMany(one), mixed, ...importedAnswers(on, describing)]
  return jsonResponse('Created. `Prefer` decides what the body shows.', { anyOf: forms }, { headers })
})

/** The acknowledgement of a new item, of which the application shows the key or not. */
function creationSchema ({ collection }: OnCollection, { face: { createdBody } }: Describing): Schema {
  const isShown = createdBody === 'id' && collection.key.every(({ readable }) => readable)
  return createdSchema(isShown ? keySchema(collection) : undefined)
}

/** A key of several fields is shown as its path segment. */
function keySchema (collection: CollectionView): Schema {
  const [key, other] = collection.key
  return key === undefined || other !== undefined ? { type: 'string' } : shownSchema(key)
}

const oneOrMany = (schemas: readonly Schema[]) => schemas.flatMap(schema => [schema, { type: 'array', items: schema }])

/** Returns the forms of an answer to a write: that of what was done and, where `Prefer` shows it, that of the item. */
function orShown (done: Schema, collection: CollectionView, describing: Describing): readonly Schema[] {
  const item = itemSchema(collection, describing)
  const { details, selection } = describing.profile
  return details && selection ? [done, item] : [done]
}

/** The answer to a request that has linked items which existed. */
export const linked = kept('Linked', ({ collection }, describing) =>
  jsonResponse('Linked.', { anyOf: oneOrMany(orShown(doneSchema(describing), collection, describing)) }))

export const updated = kept('Updated', ({ collection }, describing) => {
  const headers = { 'Content-Location': headerOf("The item's path, where its update has changed it.") }
  const schema = anyOf(orShown(doneSchema(describing), collection, describing))
  return jsonResponse('Updated.', schema, describing.profile.details ? { headers } : {})
})

/** The client knows the identifier: it is that of the URL. */
export const upserted = kept('Upserted', ({ collection }, describing) =>
  jsonResponse('Created.', anyOf(orShown(createdSchema(undefined), collection, describing))))

export const deleted: Answer = (_, describing) => jsonResponse('Deleted.', doneSchema(describing))

export const affected: Answer = (_, describing) => jsonResponse('The number of items.', affectedSchema(describing))

/** The answers to an array of changes, and to what is no array, or one that is tried. */
const changesWith = (other: (describing: Describing) => Schema): Answer => (on, describing) => {
  const { collection } = on
  const others = other(describing)
  const done = doneSchema(describing)
  const created = collection.strategies.upsert ? [creationSchema(on, describing)] : []
  const element = { anyOf: [done, ...created, itemSchema(collection, describing)] }
  return jsonResponse('Updated.', { anyOf: [{ type: 'array', items: element }, others] })
}
export const changed = changesWith(doneSchema)
export const allChanged = changesWith(affectedSchema)

const without = (what: string): Answer =>
  when(['details'], () => ({ description: `${what}; \`Prefer: return=minimal\`.` }))
export const updatedSilently = without('Updated')
export const writtenSilently = without('Written')
export const deletedSilently = without('Deleted')

export const value: Answer<OnFields> = (on, describing) =>
  jsonResponse('The value.', distinctSchema(valuesIn(on, describing)))

const valuesIn = ({ fields }: OnFields, { components }: Describing) =>
  fields.filter(({ readable }) => readable).map(field => shownSchema(field, components))

export const written: Answer<OnFields> = (on, describing) => {
  const shown = valuesIn(on, describing)
  return jsonResponse('Written.', distinctSchema([doneSchema(describing), ...shown]))
}

export const valueChanged: Answer<OnFields> = ({ fields }, describing) => {
  const shown = distinctSchema(fields.map(field => shownSchema(field, describing.components)))
  const done = closedObject({ status: { type: 'string', const: 'ok' }, value: shown }, ['status'])
  return jsonResponse('Written.', distinctSchema([done, shown]))
}

export const groups = kept('Groups', (on, describing) => {
  const element = listedSchema(on.collection, describing)
  const member = { anyOf: [element, { type: 'array', items: element }, groupSchema(describing)] }
  return paged('The members.', { type: 'object', additionalProperties: member }, on, describing)
})
