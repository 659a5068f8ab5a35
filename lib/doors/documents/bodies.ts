import type { CollectionView, FieldView, RelationView, ValueView } from '../../core/api/face.ts'
import type { Describing } from './describing.ts'
import type { Reference, Schema } from './objects.ts'
import { isPlainName } from './profiles.ts'
import { fieldSchema } from './values.ts'

/** Returns the schema of a new item in a body. */
export function createSchema (collection: CollectionView, describing: Describing): Reference {
  return describing.components.ref(collection, 'Create', () => bodySchema(collection, undefined, describing))
}

/** Returns the schema of a new item in a sub-collection: its parent is known, so it does not name it. */
function createInSchema (via: RelationView, describing: Describing): Reference {
  if (via.isJoin) return createSchema(via.target, describing)
  const { components } = describing
  // The names on the wire may have a `_`: those of `a_b` and `c` would be those of `a` and `b_c`.
  return components.ref(via.target, `Create_in_${components.nameOf(via.holder)}_${via.name}`, () => {
    return bodySchema(via.target, via, describing)
  })
}

/**
 * Returns the schema of an element of a sub-collection: an item to link, or, where the relation creates, a new item.
 */
export function elementSchema (via: RelationView, describing: Describing): Schema {
  const created = isCreating(via, describing) ? [createInSchema(via, describing)] : []
  return anyOf([...linkSchemas(via.target, givenIn(via, describing)), ...created])
}

/** Returns the schema of an item that a POST to a sub-collection links or, where the caller may, creates. */
export function postedSchema (via: RelationView, describing: Describing): Schema {
  const created = mayCreate(via.target, describing) ? [createInSchema(via, describing)] : []
  return anyOf([...linkSchemas(via.target, givenIn(via, describing)), ...created])
}

/** Returns true if an element of the relation may be a new item of this caller. */
function isCreating ({ kind, isJoin, creates, target }: RelationView, describing: Describing): boolean {
  return (kind === 'sub-collection' && !isJoin) || (creates && mayCreate(target, describing))
}

const mayCreate = (collection: CollectionView, { sight }: Describing): boolean =>
  sight.at({ kind: 'collection', collection }).denial('POST') === undefined

/** JSON Schema has no empty `anyOf`: such a value cannot be given. Linters refuse one of a single schema. */
function anyOf (schemas: readonly Schema[]): Schema {
  const [only, ...others] = schemas
  if (only === undefined) return { not: {} }
  return others.length === 0 ? only : { anyOf: schemas }
}

/** Returns the schema of a partial update. */
export function updateSchema (collection: CollectionView, describing: Describing): Reference {
  return describing.components.ref(collection, 'Update', () => ({
    type: 'object',
    properties: membersOf(collection, describing),
    additionalProperties: false
  }))
}

/** Returns the schema of an element that names an item, and of what is to change in it. */
export function changeSchema (collection: CollectionView, describing: Describing): Reference {
  return describing.components.ref(collection, 'Change', () => {
    const names = collection.inBodies.filter(fields => fields.every(({ readable }) => readable))
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

function bodySchema (collection: CollectionView, via: RelationView | undefined, describing: Describing): Schema {
  const { given, requirements: required } = describing.sight.at({ kind: 'collection', collection, via })
  const always = required.filter(({ instead }) => instead.length === 0).map(({ field }) => field.name)
  const either = required.filter(({ instead }) => instead.length > 0)
    .map(({ field, instead }) => ({ anyOf: [[field], ...instead].map(fields => requiring(namesOf(fields))) }))
  if (describing.profile.compact) {
    const refused = fieldsOf(collection, describing).filter(field => given.includes(field))
    return {
      allOf: [updateSchema(collection, describing), ...either],
      ...always.length > 0 && { required: always },
      ...refused.length > 0 && { properties: Object.fromEntries(refused.map(({ name }) => [name, { not: {} }])) }
    }
  }
  return {
    type: 'object',
    properties: membersOf(collection, describing, given),
    ...always.length > 0 && { required: always },
    ...either.length > 0 && { allOf: either },
    additionalProperties: false
  }
}

/** Tools want the properties beside the names of those that are required. */
const requiring = (names: readonly string[]): Schema =>
  ({ required: names, properties: Object.fromEntries(names.map(name => [name, {}])) })

/** The fields of a new item that its parent gives. */
const givenIn = (via: RelationView, { sight }: Describing): readonly FieldView[] =>
  sight.at({ kind: 'collection', collection: via.target, via }).given

function membersOf (
  collection: CollectionView, describing: Describing, given: readonly FieldView[] = []
): Readonly<Record<string, Schema>> {
  const named = fieldsOf(collection, describing).filter(field => !given.includes(field))
  return Object.fromEntries(named.map(field => [field.name, memberSchema(field, describing)]))
}

/** Returns the writable fields that the profile can name. */
const fieldsOf = ({ fields }: CollectionView, { profile }: Describing): readonly FieldView[] =>
  fields.filter(({ name, writable }) => writable && (!profile.plainNames || isPlainName(name)))

function memberSchema (field: FieldView, describing: Describing): Schema {
  if (!('target' in field)) return valueIn(field, describing)
  if (field.kind === 'sub-collection') return { type: 'array', items: elementSchema(field, describing) }
  const created = isCreating(field, describing) ? [createSchema(field.target, describing)] : []
  const empty = field.foreignKey.some(({ nullable }) => nullable) ? [{ type: 'null' }] : []
  return anyOf([...linkSchemas(field.target), ...created, ...empty])
}

/** A value that no answer shows. */
function valueIn (field: ValueView, { components }: Describing): Schema {
  const schema = fieldSchema(field, 'body', components)
  return field.readable ? schema : { ...schema, writeOnly: true }
}

/**
 * An element that exists already is named by one of its identifiers, or by all fields of its key. `given`: the fields
 * that the parent gives.
 */
function linkSchemas (collection: CollectionView, given: readonly FieldView[] = []): readonly Schema[] {
  return collection.inBodies.filter(fields => fields.every(({ readable }) => readable)).map(fields => ({
    type: 'object',
    properties: Object.fromEntries(fields.map(field => [field.name, fieldSchema(field, 'body')])),
    required: namesOf(fields.filter(field => !given.includes(field))),
    additionalProperties: false
  }))
}

const namesOf = (fields: readonly FieldView[]) => fields.map(({ name }) => name)
