import { toKeyValues } from '../../model/identifiers.ts'
import type { Collection, StoredField } from '../../model/model.ts'
import { textOfDate, toValue } from '../../model/values.ts'
import type { Resource } from '../../plan/path/walk.ts'
import type { Row, Selection, Shown } from '../../plan/plan.ts'
import { equalsKey, never } from '../../plan/predicates.ts'
import { showItem } from '../../plan/read/show.ts'
import { pathValuesOf } from '../../plan/write/path-values.ts'
import { isObject } from '../../errors/is-object.ts'
import type { Members } from '../own-face.ts'
import type { OwnCall, CollectionNames } from './call.ts'

/**
 * Returns a row as own code gets it: a copy of the selected fields, by the names of their declarations. An optional
 * property without a value is left out.
 */
export const ownItem = (row: Row, select: Selection): Members => showItem(row, select, valueOf)

function valueOf (row: Row, { field }: Extract<Shown, { kind: 'value' }>): unknown {
  const value = row[field.property] ?? null
  if (field.kind === 'computed') return field.get(row)
  if (field.kind !== 'stored') return value
  // Own code may change a list or a value of JSON. To clone a scalar would take longer than to read it.
  return toValue(typeof value === 'object' && value !== null ? structuredClone(value) : value, field)
}

const isMembers = (value: unknown): value is Members => isObject(value) && !(value instanceof Date)

/** Returns values to write as the JSON of a body: without undefined members, and with the texts of Dates. */
export function bodyOf (values: unknown, collection: Collection): unknown {
  if (!isMembers(values)) return values
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, memberOf(value, name, collection)]]))
}

function memberOf (value: unknown, name: string, { fields }: Collection): unknown {
  const field = fields.get(name)
  if (field?.kind === 'sub-item') return bodyOf(value, field.target)
  if (field?.kind === 'sub-collection') {
    return Array.isArray(value) ? value.map((one: unknown) => bodyOf(one, field.target)) : value
  }
  if (typeof value === 'bigint') return String(value)
  const isText = field?.kind === 'stored' || field?.kind === 'input'
  return value instanceof Date && isText ? textOfDate(value, field.type) : value
}

type ItemResource = Extract<Resource, { kind: 'item' }>

/**
 * Returns the item that own code names: by the value of the key, by the values of a key of several fields as a list, or
 * by an object with the value of one identifier (docs/own-code.md: Queries). Throws a TypeError for an object that
 * names no identifier. A value of another type names no item, and neither does an identifier that a rule hides.
 */
export function itemResource (id: unknown, { collection, declared }: OwnCall): ItemResource {
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
