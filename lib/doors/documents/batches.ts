import type { Describing } from './describing.ts'
import type { Operation, Schema } from './objects.ts'
import { writeErrors } from './operations.ts'
import { doneSchema, jsonContent, ok } from './responses.ts'

/** Returns the operation of the root that takes batches. `most`: the most operations. `tags`: those of the root. */
export function batchOperation (most: number, tags: readonly string[], describing: Describing): Operation {
  const { components } = describing
  const operations = { type: 'array', maxItems: most, items: components.named('BatchOperation', operationSchema) }
  return {
    operationId: describing.operationId('write_batch'),
    summary: 'Write several items at once',
    description: 'Runs the operations in their order in one transaction: all are done, or none. An error tells the ' +
      'index of its `operation`.',
    tags,
    requestBody: { required: true, content: jsonContent(operations) },
    responses: {
      200: ok('All done, or tried.', {
        anyOf: [{ type: 'array', items: components.named('BatchResult', resultSchema) }, doneSchema(describing)]
      }),
      ...writeErrors(describing)
    }
  }
}

const text = (description: string) => ({ type: 'string', description })

const operationSchema = (): Schema => ({
  type: 'object',
  properties: {
    method: { type: 'string', enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
    path: {
      ...text('the path after the root of the API; `/$name` begins that of the item of an earlier operation'),
      pattern: '^/'
    },
    body: { description: 'as of the request alone; `{"$":"name"}` is the item of an earlier operation' },
    as: { ...text('the name by which later operations refer to the item'), pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' },
    if_match: text('the header `If-Match` of the operation'),
    if_none_match: text('the header `If-None-Match` of the operation'),
    return: { type: 'string', enum: ['representation', 'minimal'], description: 'the body of the result' }
  },
  required: ['method', 'path'],
  additionalProperties: false
})

const resultSchema = (): Schema => ({
  type: 'object',
  properties: {
    status: { type: 'integer', description: 'the status of the request alone' },
    location: text('the path of the new item'),
    etag: text('the tag of the body'),
    body: { description: 'the body of the answer to the request alone' }
  },
  required: ['status'],
  additionalProperties: false
})
