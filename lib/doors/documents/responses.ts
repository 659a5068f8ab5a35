import { Type } from '@sinclair/typebox'
import { directoryEntry } from '../../../schemas/directory.ts'
import { errorKinds } from '../../core/errors/errors.ts'
import { mediaTypes, problemType } from '../../core/plan/media.ts'
import { type Describing, holds, type OnCollection } from './needs.ts'
import type { Content, Response, Schema } from './objects.ts'
import { closedObject, valueSchema } from './value-schema.ts'

export type SharedResponse = 'NotModified' | 'BadRequest' | 'NotFound' | 'Conflict' | 'Failed'

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

export function jsonResponse (description: string, schema: Schema, more: Pick<Response, 'headers'> = {}): Response {
  return { description, ...more, content: jsonContent(schema) }
}

export const jsonContent = (schema: Schema): Content => ({ [mediaTypes.json]: { schema } })

export const directorySchema = ({ components }: Describing): Schema =>
  ({ type: 'array', items: components.named('DirectoryEntry', () => valueSchema(directoryEntry, false, 'answer')) })

/** Returns the schema of the answer to an update or a deletion. */
export const doneSchema = ({ components }: Describing): Schema => components.named('Done', () => {
  return valueSchema(Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false }), false, 'answer')
})

/** Returns the schema of the answer to a creation. `id`: the schema of the key; undefined if it is not shown. */
export function createdSchema (id: Schema | undefined): Schema {
  return closedObject({ status: { type: 'string', enum: ['created'] }, ...id !== undefined && { id } })
}

/** Returns the schema of a page around its items. */
export function wrappedSchema (items: Schema): Schema {
  const link = { type: 'string', description: 'a relative URL' }
  const page = closedObject({ first: link, prev: link, next: link, total: { type: 'integer' } }, [])
  return closedObject({ items, page })
}

/** Returns the schema of the answer to a write of all items that a filter finds. */
export const affectedSchema = ({ components }: Describing): Schema => components.named('Affected', () => ({
  type: 'object',
  properties: { status: { type: 'string', const: 'ok' }, affected: { type: 'integer', minimum: 0 } },
  // A dry run does not tell how many.
  required: ['status']
}))

/** Returns the form of the answer to an import; none where the collection takes none. */
export const importedAnswers = (on: OnCollection, describing: Describing): readonly Schema[] =>
  holds('imports', on, describing) ? [describing.components.named('Imported', importedSchema)] : []

/** The number of items or, with a resolution, of those that were created, and of those that existed. */
const importedSchema = (): Schema =>
  ({ anyOf: [['count'], ['created', 'updated'], ['created', 'ignored']].map(importedForm) })

const importedForm = (counts: readonly string[]): Schema => closedObject({
  status: { type: 'string', enum: ['created', 'ok'] },
  ...Object.fromEntries(counts.map(name => [name, { type: 'integer', minimum: 0 }]))
})

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
