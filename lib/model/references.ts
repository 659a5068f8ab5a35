import type { Collection, Field, StoredField } from './model.ts'

/** A foreign key of a collection, and the collection that it refers to. */
export interface Reference { readonly foreignKey: readonly StoredField[], readonly target: Collection }

/** Returns the foreign keys of a collection, also those that only the other collection declares. */
export const referencesOf = ({ fields, referring }: Collection): readonly Reference[] =>
  [...[...fields.values()].flatMap(referenceOf), ...referring]

const referenceOf = (field: Field): readonly Reference[] =>
  field.kind === 'sub-item' ? [{ foreignKey: field.foreignKey, target: field.target }] : []
