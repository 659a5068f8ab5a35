import { DeclarationError } from '../errors/errors.ts'
import { placeOf } from './fields.ts'
import type { Collection, Field, StoredField } from './model.ts'
import type { ValueType } from './values.ts'

/** Throws a DeclarationError for a foreign key whose values can equal no key of the collection that it refers to. */
export function checkForeignKeys (collection: Collection): void {
  for (const field of collection.properties.values()) {
    const place = placeOf(collection.property, field.property)
    if (field.kind === 'sub-item') checkTypes(place, field.foreignKey, field.target.key)
    if (field.kind === 'sub-collection' && field.link.kind === 'foreign-key') {
      checkTypes(place, field.link.foreignKey, field.holder.key)
    }
  }
}

function checkTypes (place: string, foreignKey: readonly StoredField[], keys: readonly StoredField[]): void {
  for (const [index, field] of foreignKey.entries()) {
    const target = keys[index]
    if (target === undefined || !areForeign(field.type, target.type)) continue
    const found = `its foreign key '${field.property}' is ${field.type.expected}`
    const expected = `the key '${target.property}', to which it refers, is ${target.type.expected}`
    throw new DeclarationError(`${place}: ${found}, but ${expected}; declare both with one type`)
  }
}

/** The type in JavaScript of the values of a kind. Kinds that are not listed hold values of several. */
const classes: Readonly<Record<string, 'number' | 'text' | 'boolean' | undefined>> = {
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  string: 'text',
  uuid: 'text',
  date: 'text',
  'date-time': 'text',
  time: 'text'
}

function areForeign (one: ValueType, other: ValueType): boolean {
  const [first, second] = [classes[one.kind], classes[other.kind]]
  return first !== undefined && second !== undefined && first !== second
}

/** A foreign key of a collection, and the collection that it refers to. */
export interface Reference { readonly foreignKey: readonly StoredField[], readonly target: Collection }

/** Returns the foreign keys of a collection, also those that only the other collection declares. */
export const referencesOf = ({ fields, referring }: Collection): readonly Reference[] =>
  [...[...fields.values()].flatMap(referenceOf), ...referring]

const referenceOf = (field: Field): readonly Reference[] =>
  field.kind === 'sub-item' ? [{ foreignKey: field.foreignKey, target: field.target }] : []
