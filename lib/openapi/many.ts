import { updateSchema } from './bodies.ts'
import type { Describing } from './describing.ts'
import { filterParameters } from './filters.ts'
import type { Operation, Schema } from './objects.ts'
import { type List, writeErrors } from './operations.ts'
import { header, listParameters } from './parameters.ts'
import { jsonContent, ok } from './responses.ts'

/** Returns the operation that updates all items which a filter finds (docs/http.md: Writes by a filter). */
export function updateManyOperation (list: List, describing: Describing): Operation {
  const { collection, words } = list
  return {
    ...manyOperation(list, 'Update', describing),
    operationId: describing.operationId(`update_many_${words.join('_')}`),
    requestBody: { required: true, content: jsonContent(updateSchema(collection, describing)) }
  }
}

/** Returns the operation that deletes all items which a filter finds, or unlinks them. */
export const deleteManyOperation = (list: List, describing: Describing): Operation => ({
  ...manyOperation(list, 'Delete', describing),
  operationId: describing.operationId(`delete_many_${list.words.join('_')}`)
})

function manyOperation (
  { collection, via, words }: List, verb: 'Update' | 'Delete', describing: Describing
): Omit<Operation, 'operationId'> {
  const [first = ''] = words
  const { profile, syntax, components } = describing
  const headers = profile.details ? [header('MaxAffected', describing)] : []
  const filters = profile.namedFilters && via === undefined ? filterParameters(collection, syntax) : []
  return {
    summary: `${verb} all items that a filter finds in ${via === undefined ? first : `the ${via.name} of ${first}`}`,
    description: 'A filter is required. All are written, or none.',
    tags: [first],
    parameters: [...filters, ...listParameters(collection, describing).slice(0, 1), ...headers],
    responses: {
      200: ok('The number of items.', components.named('Affected', affectedSchema)),
      ...writeErrors(describing)
    }
  }
}

const affectedSchema = (): Schema => ({
  type: 'object',
  properties: { status: { type: 'string', const: 'ok' }, affected: { type: 'integer', minimum: 0 } },
  // A dry run does not tell how many.
  required: ['status']
})
