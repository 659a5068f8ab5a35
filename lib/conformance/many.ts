import { generateUpdate } from './bodies.ts'
import type { ValueGenerator } from './generator.ts'
import { generateFilterPart } from './queries.ts'
import { type ApiModel, generateCollection } from './resources.ts'
import type { SentRequest } from './serve.ts'

/** Returns a write of all items that a filter finds. */
export function generateMany (generator: ValueGenerator, api: ApiModel): SentRequest {
  const { path, collection } = generateCollection(generator, api, 2)
  const filters = Array.from({ length: generator.weighted([1, 0], [6, 1], [2, 2]) }, () => {
    return generateFilterPart(generator, collection)
  })
  const url = [path, ...filters.length === 0 ? [] : [filters.filter(part => part !== '').join('&')]].join('?')
  const prefer = { prefer: generator.of(['return=representation', 'return=minimal', 'max-affected=1', 'dry-run']) }
  const headers = generator.chance(70) ? {} : prefer
  return generator.chance(60)
    ? {
        method: 'PATCH',
        url,
        headers: { ...headers, 'content-type': 'application/json' },
        body: generateUpdate(generator, collection, 1)
      }
    : { method: 'DELETE', url, headers }
}
