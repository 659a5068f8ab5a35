import { toKeyValues } from '../model/keys.ts'
import type { Collection, StoredField } from '../model/model.ts'
import { pathValuesOf } from '../plan/write/path-values.ts'
import { equalsKey, never } from '../plan/predicates.ts'
import type { Resource } from '../plan/path/walk.ts'
import type { Call, CollectionNames } from './call.ts'
import { isMembers, type Members } from './where.ts'

type ItemResource = Extract<Resource, { kind: 'item' }>

/**
 * Returns the item that own code names: by the value of the key, by the values of a key of several fields as a list, or
 * by an object with the value of one identifier (docs/own-code.md: Identifiers). Throws a TypeError for an object that
 * names no identifier. A value of another type names no item, and neither does an identifier that a rule hides.
 */
export function itemResource (id: unknown, { collection, declared }: Call): ItemResource {
  const { fields, values } = isMembers(id)
    ? named(id, collection, declared)
    : { fields: collection.key, values: [id].flat() }
  const taken = fields.map(({ type }, index) => type.take(values[index]))
  const key = values.length === fields.length ? toKeyValues(taken) : undefined
  const where = key === undefined ? never : equalsKey(fields, key)
  const step = { collection, via: undefined, where }
  const text = values.map(String).join(',')
  return {
    kind: 'item',
    collection,
    special: false,
    nullable: false,
    pathValues: key && pathValuesOf(fields, key),
    walked: [{ step, segment: text, length: 2, alternatives: [] }]
  }
}

interface NamedBy { readonly fields: readonly StoredField[], readonly values: readonly unknown[] }

function named (id: Members, collection: Collection, declared: CollectionNames): NamedBy {
  const { key, stored, property } = collection
  const names = Object.keys(id)
  const isKey = names.length === key.length && key.every(field => names.includes(field.property))
  if (isKey) return { fields: key, values: key.map(field => id[field.property]) }
  const [name, other] = names
  const isNamed = (one: StoredField) => one.property === name && one.identifier && one.readable
  const field = stored.find(isNamed)
  if (field !== undefined && other === undefined) return { fields: [field], values: [id[field.property]] }
  if (declared.stored.some(isNamed) && other === undefined) return { fields: [], values: Object.values(id) }
  const identifiers = stored.filter(one => one.identifier && one.readable).map(one => `'${one.property}'`)
  throw new TypeError(
    `collection '${property}': an item is named by its key or by one identifier (${identifiers.join(', ')}), ` +
      `not by ${names.map(one => `'${one}'`).join(', ') || 'an empty object'}`
  )
}
