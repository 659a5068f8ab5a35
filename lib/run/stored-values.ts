import { isDeepStrictEqual } from 'node:util'
import type { Values } from '../collection.ts'
import { constraint } from '../errors.ts'
import type { Collection, StoredField } from '../model/model.ts'
import { toValue } from '../model/values.ts'
import type { Row } from '../plan/plan.ts'
import type { Stored } from '../sources/source.ts'

/** An item as the application's setters and hooks see it: its own copy, by property, without the properties that have no value and no null. */
export function toItem (row: Row, { stored }: Collection): Values {
  const item: Values = {}
  for (const field of stored) {
    const value = toValue(row[field.property], field)
    if (value !== undefined) item[field.property] = structuredClone(value)
  }
  return item
}

/** The values of a new item, those that it has. Throws constraint for a key that leaves sources no number to count on with. */
export function storedValues (item: Values, { stored, property, key }: Collection, pointer: string): Stored {
  checkKey(valueIn(item, key), key, pointer)
  const values = new Map<StoredField, unknown>()
  for (const field of stored) {
    const value = valueIn(item, field)
    if (value !== undefined) values.set(field, toStored(value, field, property))
  }
  return values
}

/** Throws constraint for a key that leaves sources no number to count on with. */
export function checkKey (value: unknown, key: StoredField, pointer: string): void {
  if (key.type.kind === 'integer' && Number(value) > highestKey) throw constraint([key.name], pointer)
}

/** What an item has for a field: an object inherits properties that are nobody's values, such as `toString`. */
export const valueIn = (item: Values, { property }: StoredField): unknown => Object.hasOwn(item, property) ? item[property] : undefined

// Half of what a double holds exactly: whoever chooses a key must not end the counting of all others.
const highestKey = 2 ** 52

/** The values in which an item differs from what it was. `blind`: fields that count as changed whatever they were. */
export function changedValues (before: Values, item: Values, { stored, property, key }: Collection, blind: ReadonlySet<StoredField>, pointer: string): Stored {
  const values = new Map<StoredField, unknown>()
  for (const field of stored) {
    const value = valueIn(item, field) ?? null
    if (blind.has(field) || !isDeepStrictEqual(value, valueIn(before, field) ?? null)) values.set(field, toStored(value, field, property))
  }
  checkKey(values.get(key), key, pointer)
  return values
}

/** A value in the form that sources take. Throws a TypeError for one that a setter or hook should not have given. */
function toStored (value: unknown, field: StoredField, collection: string): unknown {
  if (value === null) return null
  const canonical = field.type.take(value instanceof Date ? dateText(value, field) : value)
  if (canonical !== undefined) return canonical
  throw new TypeError(`collection '${collection}', field '${field.property}': a setter or hook set a value of type '${typeof value}', but the field takes ${field.type.expected}`)
}

function dateText (date: Date, { type }: StoredField): string {
  const text = date.toISOString()
  return type.kind === 'date' ? text.slice(0, text.indexOf('T')) : text
}
