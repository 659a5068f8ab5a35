import type { CollectionView, ValueView } from '../../core/api/face.ts'
import type { Describing } from './describing.ts'
import { groupSchema, listedSchema } from './items.ts'
import type { Operation, Parameter, PathItem, Response, Schema } from './objects.ts'
import { pageHeaders, writeErrors } from './operations.ts'
import { header, identifierParameter, listParameters } from './parameters.ts'
import { doneSchema, jsonContent, ok, wrappedSchema } from './responses.ts'
import { shownSchema } from './shown.ts'
import { fieldSchema, valuesOf } from './values.ts'

type Paths = Readonly<Record<string, PathItem>>

/** Returns one path for all scalars of an item: a path for each would make the document several times as long. */
export function scalarPath (item: string, collection: CollectionView, describing: Describing): Paths {
  const scalars = valuesOf(collection)
    .map(field => ({ field, methods: describing.sight.at({ kind: 'scalar', collection, field }).methods }))
  const taking = (method: 'GET' | 'PUT' | 'POST') =>
    scalars.filter(({ methods }) => methods.includes(method)).map(({ field }) => field)
  const shown = taking('GET').filter(({ readable }) => readable)
  const written = taking('PUT')
  const amended = taking('POST').filter(({ kind }) => kind === 'stored')
  const path: PathItem = {
    parameters: [identifierParameter(collection, describing)],
    ...shown.length > 0 && { get: getScalar(collection, shown, describing) },
    ...written.length > 0 && { put: putScalar(collection, written, describing) },
    ...amended.length > 0 && { post: postScalar(collection, amended, describing) }
  }
  return { [`${item}/{field}`]: path }
}

const fieldParameter = (fields: readonly ValueView[]): Parameter => ({
  name: 'field',
  in: 'path',
  required: true,
  description: 'The field.',
  schema: { type: 'string', enum: fields.map(({ name }) => name) }
})

/** The value of any of the fields. */
const anyOf = (schemas: readonly Schema[]): Schema => {
  const distinct = new Map(schemas.map(({ description: _, ...schema }) => [JSON.stringify(schema), schema]))
  const [only, ...others] = distinct.values()
  return others.length === 0 && only !== undefined ? only : { anyOf: [...distinct.values()] }
}

function getScalar (collection: CollectionView, shown: readonly ValueView[], describing: Describing): Operation {
  const { name } = collection
  return {
    operationId: describing.operationId(`get_${name}_field`),
    summary: `Read the value of one field of an item of ${name}`,
    description: 'The answer is the value alone, as JSON.',
    tags: [name],
    parameters: [fieldParameter(shown), header('IfNoneMatch', describing)],
    responses: {
      200: ok('The value.', anyOf(shown.map(field => shownSchema(field, describing.components)))),
      304: describing.components.response('NotModified'),
      400: describing.components.response('BadRequest'),
      404: describing.components.response('NotFound'),
      default: describing.components.response('Failed')
    }
  }
}

function putScalar (collection: CollectionView, written: readonly ValueView[], describing: Describing): Operation {
  const { name } = collection
  const { components } = describing
  const taken = written.map(field => fieldSchema(field, 'body', components))
  const shown = written.filter(field => field.readable).map(field => shownSchema(field, components))
  return {
    operationId: describing.operationId(`put_${name}_field`),
    summary: `Write the value of one field of an item of ${name}`,
    description: 'The body is the new value alone, as JSON.',
    tags: [name],
    parameters: [fieldParameter(written), header('Return', describing), header('IfMatch', describing)],
    requestBody: { required: true, content: jsonContent(anyOf(taken)) },
    responses: {
      200: ok('Written.', anyOf([doneSchema(describing), ...shown])),
      204: { description: 'Written; `Prefer: return=minimal`.' },
      405: describing.components.response('Failed'),
      ...writeErrors(describing)
    }
  }
}

/** Returns the operation that makes the new value of one that an item has. */
function postScalar (collection: CollectionView, fields: readonly ValueView[], describing: Describing): Operation {
  const put = putScalar(collection, fields, describing)
  const bodies = fields.flatMap(field => field.amendments.map(way =>
    closed({ [way]: way === 'add' ? addendSchema(field) : fieldSchema(field, 'body')['items'] ?? {} }, way)))
  const shown = anyOf(fields.map(field => shownSchema(field, describing.components)))
  const done = closed({ status: { type: 'string', const: 'ok' }, value: shown }, 'status')
  return {
    ...put,
    operationId: describing.operationId(`change_${collection.name}_field`),
    summary: `Change the value of one field of an item of ${collection.name} by what it is`,
    description: 'Adds a number to it, appends an element to a list, or removes all elements that are equal to one.',
    requestBody: { required: true, content: jsonContent(anyOf(bodies)) },
    responses: { ...put.responses, 200: ok('Written.', anyOf([done, shown])) }
  }
}

const closed = (properties: Schema, required: string): Schema =>
  ({ type: 'object', properties, required: [required], additionalProperties: false })

const addendSchema = ({ values }: ValueView): Schema =>
  values === 'int64' || values === 'decimal' ? { type: 'string', format: values } : { type: values }

/**
 * Returns the paths of a collection's dictionaries: items by the value of an identifier, or groups of items. A key of
 * several fields has a path of its own, since the commas of its name are not encoded.
 */
export function dictionaryPaths (root: string, collection: CollectionView, describing: Describing): Paths {
  const { face, sight } = describing
  const fields = valuesOf(collection).filter(({ filterable }) => filterable)
  const [field] = fields
  if (field === undefined || !sight.at({ kind: 'dictionary', collection, field }).methods.includes('GET')) return {}
  const path = `${root}/${encodeURIComponent(face.syntax.dictionaryPrefix)}`
  const keys = collection.identifiers.flatMap(({ fields: key = [] }) => key.length > 1 ? [key] : [])
    .filter(key => key.every(one => fields.includes(one)))
  return {
    [`${path}{field}`]: {
      parameters: [fieldParameter(fields)],
      get: getDictionary(collection, describing)
    },
    ...Object.fromEntries(keys.map(key => [
      `${path}${key.map(({ name }) => encodeURIComponent(name)).join(',')}`,
      { get: getDictionary(collection, describing) }
    ]))
  }
}

function getDictionary (collection: CollectionView, describing: Describing): Operation {
  return {
    operationId: describing.operationId(`group_${collection.name}`),
    summary: `Read ${collection.name} by the value of a field`,
    description: 'A member for each value: the item for an identifier, else the items that share the value; ' +
      'with functions such as `fields=count()`, values of the group.',
    tags: [collection.name],
    parameters: [...listParameters(collection, describing), header('IfNoneMatch', describing)],
    responses: {
      200: describing.components.responseOf(collection, 'Groups', () => groupsResponse(collection, describing)),
      304: describing.components.response('NotModified'),
      400: describing.components.response('BadRequest'),
      default: describing.components.response('Failed')
    }
  }
}

function groupsResponse (collection: CollectionView, describing: Describing): Response {
  const element = listedSchema(collection, describing)
  const member = { anyOf: [element, { type: 'array', items: element }, groupSchema(describing)] }
  const members = { type: 'object', additionalProperties: member }
  const { pageLinks } = describing.face
  const isWrapped = pageLinks === 'wrapped' || pageLinks === 'both'
  return ok('The members.', isWrapped ? wrappedSchema(members) : members, { headers: pageHeaders(describing) })
}
