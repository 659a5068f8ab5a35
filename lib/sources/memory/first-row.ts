import { placeOf } from '../../model/fields.ts'
import type { Collection, StoredField } from '../../model/model.ts'
import { orNearest } from '../../errors/suggest.ts'
import type { Finding } from '../catalog-check.ts'
import { tableOf } from './relations.ts'
import { readerOf } from './values.ts'

/** Compares a collection with the first of its objects, which must have a value for each field that needs one. */
export function checkFirstRow (collection: Collection): readonly Finding[] {
  const [row] = tableOf(collection).all()
  if (row === undefined) return []
  return collection.stored
    .filter(field => !field.nullable && readerOf(field)(row) === null)
    .map(field => ({ kind: 'fault', message: missingValue(collection, field, row) }))
}

function missingValue ({ property, properties }: Collection, field: StoredField, row: object): string {
  const unknown = Object.keys(row).filter(name => !properties.has(name))
  const advice = orNearest(field.property, unknown) || '; give it one, or make the field optional'
  return `${placeOf(property, field.property)}: the first object of memory() has no value for it${advice}`
}
