import type { Collection } from '../../../core/model/model.ts'
import { distincts } from '../../../core/model/identifiers.ts'
import { memoryView } from '../../../core/sources/memory/view.ts'
import { generateUpdate } from './bodies.ts'
import type { ValueGenerator } from '../world/generator.ts'
import { generateFilterPart } from './queries.ts'
import { type ApiModel, generateCollection } from './resources.ts'
import type { SentRequest } from '../serving/send.ts'

/** Returns a write of all items that a filter finds, or of those that the elements of an array name. */
export function generateMany (generator: ValueGenerator, api: ApiModel): SentRequest {
  const { path, collection } = generateCollection(generator, api, 2)
  if (generator.chance(40)) return generateEach(generator, collection, path)
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

/** Returns the update of items by an array. */
export function generateEach (generator: ValueGenerator, collection: Collection, path: string): SentRequest {
  const prefer = { prefer: generator.of(['return=representation', 'return=minimal', 'dry-run']) }
  const elements = Array.from({ length: generator.weighted([1, 0], [3, 1], [6, 2], [2, 3]) }, () => {
    return nameItem(generator, collection, generateUpdate(generator, collection, 1))
  })
  return {
    method: 'PATCH',
    url: path,
    headers: { ...generator.chance(60) ? {} : prefer, 'content-type': 'application/json' },
    body: `[${elements.join(',')}]`
  }
}

/** Returns an object with the identifier of an item; the last of two members of a name counts. */
function nameItem (generator: ValueGenerator, collection: Collection, body: string): string {
  const { rows, value } = memoryView(collection)
  const row = generator.from(rows())
  const named = generator.from(distincts(collection).filter(fields => fields.every(({ readable }) => readable)))
  if (row === undefined || named === undefined || generator.chance(5)) return body
  const values = named.map(field => [field.name, value(row, field)] as const)
  const name = JSON.stringify(Object.fromEntries(values))
  return body === '{}' ? name : `${body.slice(0, -1)},${name.slice(1)}`
}
