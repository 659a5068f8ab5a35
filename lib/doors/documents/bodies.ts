import { distincts } from '../../core/model/identifiers.ts'
import type {
  Collection, Field, InputField, RelationField, StoredField, SubCollectionField
} from '../../core/model/model.ts'
import { isWritable, type WritableField } from '../../core/plan/write/body.ts'
import { parentValues } from '../../core/plan/write/path-values.ts'
import { requirementsOf } from '../../core/plan/write/required.ts'
import type { Describing } from './describing.ts'
import type { Reference, Schema } from './objects.ts'
import { isPlainName } from './profiles.ts'
import { fieldSchema } from './values.ts'

/** Returns the schema of a new item in a body. */
export function createSchema (collection: Collection, describing: Describing): Reference {
  return describing.components.ref(collection, 'Create', () => bodySchema(collection, describing, undefined))
}

/** Returns the schema of a new item in a sub-collection: its parent is known, so it does not name it. */
function createInSchema (via: SubCollectionField, describing: Describing): Reference {
  if (via.link.kind === 'join') return createSchema(via.target, describing)
  const { components } = describing
  // The names on the wire may have a `_`: those of `a_b` and `c` would be those of `a` and `b_c`.
  return components.ref(via.target, `Create_in_${components.nameOf(via.holder)}_${via.name}`, () => {
    return bodySchema(via.target, describing, via)
  })
}

/**
 * Returns the schema of an element of a sub-collection: an item to link, or, where the relation creates, a new item.
 */
export function elementSchema (via: SubCollectionField, describing: Describing): Schema {
  const created = isCreating(via, describing) ? [createInSchema(via, describing)] : []
  return anyOf([...linkSchemas(via.target, parentFields(via)), ...created])
}

/** Returns the schema of an item that a POST to a sub-collection links or, where the caller may, creates. */
export function postedSchema (via: SubCollectionField, describing: Describing): Schema {
  const created = describing.creations.has(via.target.name) ? [createInSchema(via, describing)] : []
  return anyOf([...linkSchemas(via.target, parentFields(via)), ...created])
}

/** Returns true if an element of the relation may be a new item of this caller. */
function isCreating (field: RelationField, { creations }: Describing): boolean {
  const isList = field.kind === 'sub-collection' && field.link.kind === 'foreign-key'
  return isList || (field.creates && creations.has(field.target.name))
}

/** JSON Schema has no empty `anyOf`: such a value cannot be given. Linters refuse one of a single schema. */
function anyOf (schemas: readonly Schema[]): Schema {
  const [only, ...others] = schemas
  if (only === undefined) return { not: {} }
  return others.length === 0 ? only : { anyOf: schemas }
}

/** Returns the schema of a partial update. */
export function updateSchema (collection: Collection, describing: Describing): Reference {
  return describing.components.ref(collection, 'Update', () => ({
    type: 'object',
    properties: membersOf(collection, describing),
    additionalProperties: false
  }))
}

/** Returns the schema of an element that names an item, and of what is to change in it. */
export function changeSchema (collection: Collection, describing: Describing): Reference {
  return describing.components.ref(collection, 'Change', () => {
    const names = distincts(collection).filter(fields => fields.every(({ readable }) => readable))
    const identifiers = names.flat().map(field => [field.name, fieldSchema(field, 'body')] as const)
    const [required, ...others] = names.map(namesOf)
    return {
      type: 'object',
      properties: { ...Object.fromEntries(identifiers), ...membersOf(collection, describing) },
      additionalProperties: false,
      ...others.length > 0 ? { anyOf: names.map(fields => requiring(namesOf(fields))) } : { required }
    }
  })
}

/** Returns false for a profile that cannot name a member which a new item must have. */
export function canCreate (collection: Collection, { profile }: Describing): boolean {
  return !profile.plainNames || requirementsOf(collection, []).every(({ field }) => isPlainName(field.name))
}

/** Returns false for a creation whose body may be left out, because nothing must be in it. */
export const isBodyRequired = (collection: Collection, via: SubCollectionField | undefined): boolean =>
  requirements(collection, via?.link.kind === 'join' ? undefined : via).length > 0

function requirements (collection: Collection, via: SubCollectionField | undefined) {
  return requirementsOf(collection, parentValues(via))
}

function bodySchema (collection: Collection, describing: Describing, via: SubCollectionField | undefined): Schema {
  const required = requirements(collection, via)
  const always = required.filter(({ instead }) => instead.length === 0).map(({ field }) => field.name)
  const either = required.filter(({ instead }) => instead.length > 0)
    .map(({ field, instead }) => ({ anyOf: [[field], ...instead].map(fields => requiring(namesOf(fields))) }))
  if (describing.profile.compact) {
    const given = fieldsOf(collection, describing).filter(field => isGivenBy(field, parentFields(via)))
    return {
      allOf: [updateSchema(collection, describing), ...either],
      ...always.length > 0 && { required: always },
      ...given.length > 0 && { properties: Object.fromEntries(given.map(({ name }) => [name, { not: {} }])) }
    }
  }
  return {
    type: 'object',
    properties: membersOf(collection, describing, parentFields(via)),
    ...always.length > 0 && { required: always },
    ...either.length > 0 && { allOf: either },
    additionalProperties: false
  }
}

/** Tools want the properties beside the names of those that are required. */
const requiring = (names: readonly string[]): Schema =>
  ({ required: names, properties: Object.fromEntries(names.map(name => [name, {}])) })

/** The foreign key of a new item's parent. */
const parentFields = (via: SubCollectionField | undefined): readonly StoredField[] =>
  parentValues(via).map(({ field }) => field)

function membersOf (
  collection: Collection, describing: Describing, known: readonly StoredField[] = []
): Readonly<Record<string, Schema>> {
  const named = fieldsOf(collection, describing).filter(field => !isGivenBy(field, known))
  return Object.fromEntries(named.map(field => [field.name, memberSchema(field, describing)]))
}

/** Returns the writable fields that the profile can name. */
const fieldsOf = ({ fields }: Collection, { profile }: Describing): readonly WritableField[] =>
  [...fields.values()].filter(isWritable).filter(({ name }) => !profile.plainNames || isPlainName(name))

const isGivenBy = (field: Field, known: readonly StoredField[]) =>
  known.some(one => one === field || (field.kind === 'sub-item' && field.foreignKey.includes(one)))

function memberSchema (field: WritableField, describing: Describing): Schema {
  if (field.kind === 'stored' || field.kind === 'input') return valueIn(field, describing)
  if (field.kind === 'sub-collection') return { type: 'array', items: elementSchema(field, describing) }
  const created = isCreating(field, describing) ? [createSchema(field.target, describing)] : []
  const empty = field.foreignKey.some(({ nullable }) => nullable) ? [{ type: 'null' }] : []
  return anyOf([...linkSchemas(field.target), ...created, ...empty])
}

/** A value that no answer shows. */
function valueIn (field: StoredField | InputField, { components }: Describing): Schema {
  const schema = fieldSchema(field, 'body', components)
  return field.readable ? schema : { ...schema, writeOnly: true }
}

/**
 * An element that exists already is named by one of its identifiers, or by all fields of its key. `known`: the fields
 * that the parent gives.
 */
function linkSchemas (collection: Collection, known: readonly StoredField[] = []): readonly Schema[] {
  return distincts(collection).filter(fields => fields.every(({ readable }) => readable)).map(fields => ({
    type: 'object',
    properties: Object.fromEntries(fields.map(field => [field.name, fieldSchema(field, 'body')])),
    required: namesOf(fields.filter(field => !known.includes(field))),
    additionalProperties: false
  }))
}

const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name)
