import { changeSchema, updateSchema } from './bodies.ts'
import type { Describing } from './describing.ts'
import { filterParameters } from './filters.ts'
import { itemSchema } from './items.ts'
import type { Operation, Schema } from './objects.ts'
import { type List, writeErrors, writeParameters } from './operations.ts'
import { header, listParameters } from './parameters.ts'
import { createdSchema, doneSchema, jsonContent, ok } from './responses.ts'

/**
 * Returns the operation that updates items, each by its element of an array (docs/http.md: Arrays of changes). `all`:
 * true if it also updates all items which a filter finds (Writes by a filter).
 */
export function updateManyOperation (list: List, all: boolean, describing: Describing): Operation {
  const { collection } = list
  const changes = { type: 'array', items: changeSchema(collection, describing) } as const
  const body = all ? { anyOf: [updateSchema(collection, describing), changes] } : changes
  const answers = all ? [affectedSchema(describing)] : [doneSchema(describing)]
  return {
    ...all ? manyOperation(list, 'Update', describing) : eachOperation(list, describing),
    operationId: describing.operationId(`update_many_${list.words.join('_')}`),
    requestBody: { required: true, content: jsonContent(body) },
    responses: { ...eachResponses(list, answers, describing), ...writeErrors(describing) }
  }
}

function eachOperation (list: List, describing: Describing): Omit<Operation, 'operationId' | 'responses'> {
  const [first = ''] = list.words
  return {
    summary: `Update items of ${placeOf(list)}`,
    description: 'Each element names an item by an identifier. All are updated, or none.',
    tags: [first],
    parameters: writeParameters(list.collection, describing)
  }
}

/** `others`: the answers that are not to an array, or are to one that is tried. */
function eachResponses (
  { collection }: List, others: readonly Schema[], describing: Describing
): Operation['responses'] {
  const done = doneSchema(describing)
  const created = collection.strategies.upsert ? [createdSchema({})] : []
  const element = { anyOf: [done, ...created, itemSchema(collection, describing)] }
  const response = ok('Updated.', { anyOf: [{ type: 'array', items: element }, ...others] })
  return { 200: response, ...created.length > 0 && { 201: response } }
}

const placeOf = ({ via, words: [first = ''] }: List) => via === undefined ? first : `the ${via.name} of ${first}`

/** Returns the operation that deletes all items which a filter finds, or unlinks them. */
export const deleteManyOperation = (list: List, describing: Describing): Operation => ({
  ...manyOperation(list, 'Delete', describing),
  operationId: describing.operationId(`delete_many_${list.words.join('_')}`)
})

function manyOperation (
  list: List, verb: 'Update' | 'Delete', describing: Describing
): Omit<Operation, 'operationId'> {
  const { collection, via, words: [first = ''] } = list
  const { face, profile } = describing
  const headers = profile.details ? [header('MaxAffected', describing)] : []
  const filters = profile.namedFilters && via === undefined ? filterParameters(collection, face.syntax) : []
  return {
    summary: `${verb} all items that a filter finds in ${placeOf(list)}`,
    description: 'A filter is required. All are written, or none.',
    tags: [first],
    parameters: [...filters, ...listParameters(collection, describing).slice(0, 1), ...headers],
    responses: {
      200: ok('The number of items.', affectedSchema(describing)),
      ...writeErrors(describing)
    }
  }
}

const affectedSchema = ({ components }: Describing): Schema => components.named('Affected', () => ({
  type: 'object',
  properties: { status: { type: 'string', const: 'ok' }, affected: { type: 'integer', minimum: 0 } },
  // A dry run does not tell how many.
  required: ['status']
}))
