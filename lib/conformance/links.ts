import type { RelationField } from '../model/model.ts'
import { relatedRows, tableOf } from '../sources/memory/relations.ts'
import { generateElement } from './bodies.ts'
import type { ValueGenerator } from './generator.ts'
import { type ApiModel, encode, generateItem, keySegment, relationsOf } from './resources.ts'
import type { SentRequest } from './serve.ts'

/**
 * Returns a request that makes or unmakes links at the URL of a sub-collection: a POST of elements, a PUT of the whole
 * list, or a DELETE of an element; undefined if the item has no sub-collection.
 */
export function generateLinking (generator: ValueGenerator, api: ApiModel): SentRequest | undefined {
  const { path, collection, row } = generateItem(generator, api, 1)
  const relations = relationsOf(collection, 'sub-collection')
  const writable = relations.filter(one => one.writable)
  const field = generator.from(writable.length > 0 && generator.chance(90) ? writable : relations)
  if (field === undefined) return undefined
  const url = `${path}/${encode(field.name)}`
  const method = generator.weighted([3, 'POST'], [3, 'PUT'], [3, 'DELETE'])
  if (method === 'DELETE') {
    return { method, url: `${url}/${elementOf(generator, field, row)}`, headers: {} }
  }
  const elements = Array.from({ length: generator.below(4) }, () => generateElement(generator, field.target, 1))
  const isOne = method === 'POST' && generator.chance(75)
  const body = isOne ? generateElement(generator, field.target, 1) : `[${elements.join(',')}]`
  return { method, url, headers: { 'content-type': 'application/json' }, body }
}

/** Returns the segment of an element of a relation, at times of another item. */
function elementOf (generator: ValueGenerator, field: RelationField, row: object | undefined): string {
  const related = row === undefined || generator.chance(15) ? [] : relatedRows(row, field)
  const element = generator.from(related) ?? generator.from([...tableOf(field.target).all()]) ?? {}
  return keySegment(element, field.target)
}
