import { isDeepStrictEqual } from 'node:util'
import type { ItemValues } from '../declare/collection.ts'
import { constraint } from '../errors/errors.ts'
import type { Violation } from '../errors/violation.ts'
import { ExactJson } from '../model/exact-json.ts'
import { leadsElsewhere, singleKey } from '../model/identifiers.ts'
import type { Collection, StoredField } from '../model/model.ts'
import { textOfDate, toValue } from '../model/values.ts'
import type { Row } from '../plan/plan.ts'
import { showPlainly } from '../plan/read/select.ts'
import { showField } from '../plan/read/show.ts'
import type { Confirmation } from '../plan/write/item-body.ts'
import type { AuthorisedField, AuthorisedValues } from '../rules/authorise.ts'
import type { ItemDraft } from './item-draft.ts'

/**
 * Returns a row as the application's setters and hooks see it: a copy, by property. Null is left out for a property
 * whose type has no null.
 */
export function toItem (row: Row, { stored }: Collection): ItemValues {
  const item: ItemValues = {}
  for (const field of stored) {
    const value = toValue(row[field.property], field)
    if (value !== undefined) item[field.property] = structuredClone(value)
  }
  return item
}

/**
 * Returns the values of a new item. A property that was set to undefined has no value: it is stored as null, while a
 * property that was never set gets the default of its column. `canonical`: values of a client, which need no
 * conversion and replace those of the draft. Throws constraint for a key above the highest (see `checkKey`).
 */
export function storedValues (
  { values: item }: ItemDraft, collection: Collection, pointer: string,
  canonical: ReadonlyMap<AuthorisedField, unknown> = noValues
): AuthorisedValues {
  const given: ReadonlyMap<StoredField, unknown> = canonical
  checkKey(field => given.get(field) ?? valueIn(item, field), collection, pointer)
  const values = new Map<StoredField, unknown>()
  for (const field of collection.stored) {
    const value = given.has(field) ? given.get(field) : storedValue(item, field, collection)
    if (value !== undefined) values.set(field, value)
  }
  return ofDraft(values)
}

const noValues: ReadonlyMap<AuthorisedField, unknown> = new Map()

function storedValue (item: Readonly<ItemValues>, field: StoredField, { property }: Collection): unknown {
  const value = valueIn(item, field) ?? (isEmptied(item, field) ? null : undefined)
  return value === undefined ? undefined : toStored(value, field, property)
}

// A draft holds no value of a client that was not authorised.
const ofDraft = (values: ReadonlyMap<StoredField, unknown>) => values as AuthorisedValues

const isEmptied = (item: Readonly<ItemValues>, { property, nullable }: StoredField) =>
  nullable && Object.hasOwn(item, property)

/**
 * Throws constraint for an integer key above 2^52, after which a source could not generate further keys, and for the
 * keys that no URL names.
 */
export function checkKey (valueOf: (field: StoredField) => unknown, collection: Collection, pointer: string): void {
  const key = singleKey(collection)
  if (key === undefined) return
  const value = valueOf(key)
  const isTooHigh = key.type.kind === 'integer' && Number(value) > highestKey
  if (isTooHigh || leadsElsewhere(value)) throw constraint([key.name], pointer)
}

/** Returns the item's value of a field; undefined for an inherited property, such as `toString`. */
export const valueIn = (item: Readonly<ItemValues>, { property }: StoredField): unknown =>
  Object.hasOwn(item, property) ? item[property] : undefined

// Half of the integers that a double holds exactly. The other half stays for generated keys: a client that chooses the
// highest possible key must not prevent all later inserts.
const highestKey = 2 ** 52

/** The texts of values of JSON. */
export type JsonTexts = ReadonlyMap<StoredField, string>

interface Changing { readonly forced?: ReadonlySet<StoredField>, readonly texts?: JsonTexts | undefined }

/**
 * Returns the values that differ between the two items, and the values of the `forced` fields, changed or not. Those
 * that are still the values of `texts` are stored as these.
 */
export function changedValues (
  before: Readonly<ItemValues>, { values: item }: ItemDraft, collection: Collection, { forced, texts }: Changing,
  pointer: string
): AuthorisedValues {
  const { stored, property } = collection
  const values = new Map<StoredField, unknown>()
  for (const field of stored) {
    const value = valueIn(item, field) ?? null
    const isChanged = forced?.has(field) === true || !isDeepStrictEqual(value, valueIn(before, field) ?? null)
    if (!isChanged) continue
    const text = texts?.get(field)
    const isText = text !== undefined && isDeepStrictEqual(value, JSON.parse(text))
    values.set(field, isText ? new ExactJson(text, value) : toStored(value, field, property))
  }
  checkKey(field => values.get(field), collection, pointer)
  return ofDraft(values)
}

/** Returns a value in the form that sources store. Throws a TypeError for a value that the field does not take. */
function toStored (value: unknown, field: StoredField, collection: string): unknown {
  if (value === null) return null
  const canonical = field.type.take(value instanceof Date ? textOfDate(value, field.type) : value)
  if (canonical !== undefined) return canonical
  // The key of another item, such as an integer beyond 2^53, may be shown as text.
  if (typeof value === 'string' && field.type.parse(value) === value) return value
  const place = `collection '${collection}', field '${field.property}'`
  const expected = `but the field takes ${field.type.expected}`
  throw new TypeError(`${place}: a setter or hook set a value of type '${typeof value}', ${expected}`)
}

/**
 * Returns a violation for each member that cannot be written and differs from what GET shows now (docs/http.md:
 * Writing). The row must hold the fields of the members.
 */
export function confirm (confirmations: readonly Confirmation[], row: Row): readonly Violation[] {
  return confirmations
    .filter(confirmation => !isCurrent(confirmation, row))
    .map(({ pointer, message }) => ({ pointer, message }))
}

function isCurrent ({ field, value }: Confirmation, row: Row): boolean {
  const shown = showField(row, showPlainly(field))
  const sent = field.kind === 'stored' && value !== null ? field.type.take(value) ?? value : value
  // Compared as JSON, in which 0 and -0 are equal.
  return isDeepStrictEqual(JSON.parse(JSON.stringify(sent, keepInfinity)), JSON.parse(JSON.stringify(shown)))
}

/** Replaces a number too large for a double, which JSON.stringify() would turn into null. */
const keepInfinity = (_name: string, value: unknown) =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
