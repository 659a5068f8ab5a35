import { Type } from '@sinclair/typebox'
import { directoryEntry } from '../../../schemas/directory.ts'
import type { CollectionView } from '../../core/api/face.ts'
import { errorKinds } from '../../core/errors/errors.ts'
import { mediaTypes, problemType } from '../../core/plan/media.ts'
import type { Describing } from './describing.ts'
import { importedForms } from './imports.ts'
import type { Content, Response, Schema } from './objects.ts'
import { valueSchema } from './values.ts'

/** Returns the responses that operations share. Every error has the same form. */
export function sharedResponses ({ components, profile }: Describing): Readonly<Record<string, Response>> {
  const content = {
    [mediaTypes.json]: { schema: components.named('Error', errorSchema) },
    [problemType]: { schema: components.named('Problem', problemSchema) }
  }
  return {
    ...profile.details && {
      NotModified: { description: 'The client has the current representation (If-None-Match).' }
    },
    BadRequest: { description: 'The request is wrong; the message says where and how.', content },
    NotFound: { description: 'There is no such item.', content },
    Conflict: { description: 'The change contradicts what is stored: a duplicate or a missing reference.', content },
    Failed: { description: 'Any other error.', content }
  }
}

/** Returns a response whose body is JSON. */
export function ok (description: string, schema: Schema, more: Pick<Response, 'headers'> = {}): Response {
  return { description, ...more, content: jsonContent(schema) }
}

export const jsonContent = (schema: Schema): Content => ({ [mediaTypes.json]: { schema } })

/** Returns the schema of the directory. */
export const directorySchema = ({ components }: Describing): Schema =>
  ({ type: 'array', items: components.named('DirectoryEntry', () => valueSchema(directoryEntry, false, 'answer')) })

/** Returns the answer to a creation that is tried; none where that is no answer, or the profile does not tell it. */
export function tried (collection: CollectionView, describing: Describing): Readonly<Record<string, Response>> {
  if (!collection.strategies.dryRun || !describing.profile.details) return {}
  const imported = importedForms(collection, describing)
  const done = doneSchema(describing)
  return { 200: ok('Tried, and not created.', imported.length === 0 ? done : { anyOf: [done, ...imported] }) }
}

/** Returns the schema of the answer to an update or a deletion. */
export const doneSchema = ({ components }: Describing): Schema => components.named('Done', () => {
  return valueSchema(Type.Object({ status: Type.Literal('ok') }, closed), false, 'answer')
})

/** Returns the schema of the answer to a creation. `id`: the schema of the key; undefined if it is not shown. */
export function createdSchema (id: Schema | undefined): Schema {
  const properties = { status: { type: 'string', enum: ['created'] }, ...id !== undefined && { id } }
  return { type: 'object', properties, required: Object.keys(properties), ...closed }
}

/** Returns the schema of a page around its items. */
export function wrappedSchema (items: Schema): Schema {
  const link = { type: 'string', description: 'a relative URL' }
  return {
    type: 'object',
    properties: {
      items,
      page: {
        type: 'object',
        properties: { first: link, prev: link, next: link, total: { type: 'integer' } },
        additionalProperties: false
      }
    },
    required: ['items', 'page'],
    additionalProperties: false
  }
}

/** Returns the schema of an event of a live document. */
export const eventSchema = (): Schema => ({
  type: 'object',
  properties: {
    event: { type: 'string', enum: ['snapshot', 'patch', 'end'] },
    id: { type: 'string', description: 'the ETag that GET has at that moment' },
    data: { type: 'string', contentMediaType: 'application/json', description: 'the body, a JSON Patch, or the error' }
  },
  required: ['event', 'data']
})

const closed = { additionalProperties: false }

const facts = {
  parameter: { type: 'string', description: 'the query parameter with the error' },
  position: { type: 'integer', description: 'the position in the parameter, in characters from 1' },
  suggestion: { type: 'string', description: 'the name that was probably meant' },
  fields: { type: 'array', items: { type: 'string' }, description: 'the offending fields' },
  details: {
    type: 'array',
    description: 'the violations in the body; `pointer` is a JSON pointer',
    items: {
      type: 'object',
      properties: { line: { type: 'integer' }, pointer: { type: 'string' }, message: { type: 'string' } },
      required: ['pointer', 'message']
    }
  },
  pointer: { type: 'string', description: 'the offending element of the body: a JSON pointer' },
  line: { type: 'integer', description: 'the line of an import with the error, from 1' },
  collection: { type: 'string', description: 'the collection in which the caller may not do the operation' },
  operation: {
    type: ['integer', 'string'],
    description: 'the index of the operation of a batch that failed; of no batch, what the caller may not do: ' +
      '`read`, `create`, `update` or `delete`'
  },
  candidates: { type: 'array', items: { type: 'string' }, description: 'paths that lead to one item each' }
}

const code = { type: 'string', enum: Object.keys(errorKinds), description: 'the stable code of the error' }

const states = [...new Set(Object.values(errorKinds).flatMap(kind => 'state' in kind ? [kind.state] : []))]

const errorSchema = (): Schema => ({
  type: 'object',
  properties: {
    status: { type: 'string', enum: states },
    error: code,
    message: { type: 'string', description: 'for people' },
    ...facts
  },
  required: ['error', 'message']
})

const problemSchema = (): Schema => ({
  type: 'object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    error: code,
    ...facts
  },
  required: ['type', 'title', 'status', 'detail', 'error']
})
