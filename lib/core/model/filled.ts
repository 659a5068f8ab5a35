import { DeclarationError } from '../errors/errors.ts'
import { placeOf } from './fields.ts'
import { singleKey } from './identifiers.ts'
import type { Collection, StoredField } from './model.ts'
import { referringFields } from './relations.ts'

/** Returns true if code of the application, which may fill any field, runs when an item is created. */
export const mayFill = ({ hooks, setters, fields }: Collection): boolean =>
  hooks.creating !== undefined || setters.size > 0 || [...fields.values()].some(({ kind }) => kind === 'input')

/** Returns true if a new item may get a value of the field from its body, its URL, its parent or its declaration. */
export function isFilled (field: StoredField, collection: Collection): boolean {
  const { writable, schema, type, identifier } = field
  const isKey = collection.key.includes(field)
  return writable || (schema.default !== undefined && schema.default !== null) || field === collection.version ||
    (field === singleKey(collection) && type.kind === 'uuid') || isForeignKey(field, collection) ||
    // The URL of an upsert gives it.
    (collection.strategies.upsert && (isKey || identifier))
}

/**
 * Returns true for a field of a foreign key, or one beside it: the path of a POST to a sub-collection fills it, or a
 * sub-item in a body.
 */
export const isForeignKey = (field: StoredField, { referring, properties }: Collection) =>
  referring.some(one => referringFields(one).includes(field)) ||
  [...properties.values()].some(one => {
    return one.kind === 'sub-item' && one.writable && referringFields(one).includes(field)
  })

/**
 * Throws a DeclarationError for a required field that nothing fills when a client creates an item, so that every
 * creation would be refused. Of a table, its columns tell (sources/sql/check/creation.ts): they may have defaults.
 */
export function checkFilled (collection: Collection): void {
  const { strategies: { create, upsert }, source, stored, property } = collection
  if (source.database.kind !== 'memory' || !(create || upsert) || mayFill(collection)) return
  const empty = stored.find(field => {
    return !field.nullable && !isFilled(field, collection) && !isGenerated(field, collection)
  })
  if (empty === undefined) return
  const reason = 'is required, no client may write it, and nothing fills it, so no item can be created'
  const advice = "flag it 'writable', give it a default, fill it in the hook 'creating', or set " +
    'requestStrategies: { create: false }'
  throw new DeclarationError(`${placeOf(property, empty.property)}: ${reason}; ${advice}`)
}

/** Returns true for a key that memory() generates. */
const isGenerated = (field: StoredField, collection: Collection) =>
  field === singleKey(collection) && (field.type.kind === 'integer' || field.type.kind === 'int64')
