import type { CollectionView, FieldView, RelationView, ValueView } from '../../core/api/face.ts'
import { mediaTypes } from '../../core/plan/media.ts'
import { mergePatchType } from '../../core/request/body.ts'
import { formType } from '../../core/request/parse.ts'
import { resolveParameter } from './components.ts'
import {
  type Describing, holds, type OnCollection, type OnFields, type OnRelation, type OnResource, type OnRoot, type Piece
} from './needs.ts'
import type { Content, Parameters, SchemaReference, RequestBody, Schema } from './objects.ts'
import { isNameable } from './profiles.ts'
import { jsonContent } from './responses.ts'
import { anyOf, closedObject, distinctSchema, fieldSchema, patchSchema, textFor } from './value-schema.ts'

// The bodies that operations take (operations.ts), and their schemas.

type Body<On = OnCollection> = Piece<On, RequestBody>

const json = (schema: Schema): RequestBody => ({ required: true, content: jsonContent(schema) })

export const batch: Body<OnRoot> = (_, { components, face }) => json({
  type: 'array', maxItems: face.operations, items: components.named('BatchOperation', batchOperationSchema)
})

export const newItem: Body<OnResource> = (on, describing) =>
  oneOrMany(createSchema(on.collection, describing), on, describing)

export const newOrLinked: Body<OnRelation> = (on, describing) =>
  oneOrMany(postedSchema(on.via, describing), on, describing)

function oneOrMany (item: Schema, on: OnResource, describing: Describing): RequestBody {
  const schema = describing.profile.plainNames ? item : { anyOf: [item, { type: 'array', items: item }] }
  const imports = holds('imports', on, describing) ? describing.face.importTypes : []
  // Each line is an item (docs/http.md: Imports).
  const lines = (type: string) => type === mediaTypes.csv ? { schema: { type: 'string' } } : { itemSchema: item }
  const content: Content = { ...jsonContent(schema), ...Object.fromEntries(imports.map(type => [type, lines(type)])) }
  return { required: on.resource.requirements.length > 0, content }
}

export const allLinks: Body<OnRelation> = ({ via }, describing) =>
  json({ type: 'array', items: elementSchema(via, describing) })

export const update: Body = ({ collection }, describing) => json(updateSchema(collection, describing, 'Update'))

/** A change of an item by PATCH. */
export const patch: Body = mergeable((collection, describing, form) => updateSchema(collection, describing, form))

/** An element for each item that changes (docs/http.md: Arrays of changes). */
export const eachChange: Body = mergeable((collection, describing, form) =>
  ({ type: 'array', items: changeSchema(collection, describing, form) }))

/** These, or a change of all items that a filter finds (docs/http.md: Writes by a filter). */
export const allChanges: Body = mergeable((collection, describing, form) => ({
  anyOf: [
    updateSchema(collection, describing, form),
    { type: 'array', items: changeSchema(collection, describing, form) }
  ]
}))

/** The form of an update: the other one is that of a merge patch (docs/http.md: Merging). */
type UpdateForm = 'Update' | 'Update_patch'

/** Makes a body of a schema, and of that of a merge patch where the collection has values of JSON to merge. */
function mergeable (schemaOf: (on: CollectionView, describing: Describing, form: UpdateForm) => Schema): Body {
  return ({ collection }, describing) => {
    const { content } = json(schemaOf(collection, describing, 'Update'))
    const merges = describing.profile.merges === true && collection.fields.some(isMerged)
    const patches = merges ? { [mergePatchType]: { schema: schemaOf(collection, describing, 'Update_patch') } } : {}
    return { required: true, content: { ...content, ...patches } }
  }
}

/** Returns true for a field of JSON whose values are merged. */
const isMerged = (field: FieldView) => isOfJson(field) && field.writable && field.readable

const isOfJson = (field: FieldView) => !('target' in field) && field.kind !== 'computed' && field.values === 'json'

/** A patch of the value of a field. */
export const valuePatch: Body<OnFields> = ({ fields }, { components }) => {
  const schemas = fields.map(field => patchSchema(fieldSchema(field, 'body', components)))
  return { required: true, content: { [mergePatchType]: { schema: distinctSchema(schemas) } } }
}

export const newValue: Body<OnFields> = ({ fields }, { components }) =>
  json(distinctSchema(fields.map(field => fieldSchema(field, 'body', components))))

/** What makes the new value of the one that an item has. */
export const amendment: Body<OnFields> = ({ fields }) => json(distinctSchema(fields.flatMap(field =>
  field.amendments.map(way =>
    closedObject({ [way]: way === 'add' ? addendSchema(field) : fieldSchema(field, 'body')['items'] ?? {} })))))

const addendSchema = ({ values }: ValueView): Schema =>
  values === 'int64' || values === 'decimal' ? { type: 'string', format: values } : { type: values }

const batchOperationSchema = (): Schema => closedObject({
  method: { type: 'string', enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
  path: {
    ...textFor('the path after the root of the API; `/$name` begins that of the item of an earlier operation'),
    pattern: '^/'
  },
  body: { description: 'as of the request alone; `{"$":"name"}` is the item of an earlier operation' },
  as: { ...textFor('the name by which later operations refer to the item'), pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' },
  merge: { const: true, description: 'The body of a PATCH is a merge patch.' },
  if_match: textFor('the header `If-Match` of the operation'),
  if_none_match: textFor('the header `If-None-Match` of the operation'),
  return: { type: 'string', enum: ['representation', 'minimal'], description: 'the body of the result' }
}, ['method', 'path'])

/** A query string of these parameters. Only filters with a name of their own differ between collections. */
export const asQuery = (pieces: ReadonlyArray<Piece<OnCollection, Parameters>>): Body => (on, describing) => {
  const { components } = describing
  const parameters = pieces.flatMap(piece => piece(on, describing) ?? [])
  const schema = (): Schema => {
    const known = parameters.flatMap(one => resolveParameter(one, components) ?? [])
    return { type: 'object', properties: Object.fromEntries(known.map(({ name, schema }) => [name, schema])) }
  }
  const isCommon = parameters.every(parameter => '$ref' in parameter)
  const body = isCommon ? components.named('Query', schema) : schema()
  return { required: false, content: { [formType]: { schema: body } } }
}

/** Returns the schema of a new item in a body. */
function createSchema (collection: CollectionView, describing: Describing): SchemaReference {
  return describing.components.ref(collection, 'Create', () => bodySchema(collection, undefined, describing))
}

/** Returns the schema of a new item in a sub-collection: its parent is known, so it does not name it. */
function createInSchema (via: RelationView, describing: Describing): SchemaReference {
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
function elementSchema (via: RelationView, describing: Describing): Schema {
  const created = isCreating(via, describing) ? [createInSchema(via, describing)] : []
  return anyOf([...linkSchemas(via.target, givenIn(via, describing)), ...created])
}

/** Returns the schema of an item that a POST to a sub-collection links or, where the caller may, creates. */
function postedSchema (via: RelationView, describing: Describing): Schema {
  const created = mayCreate(via.target, describing) ? [createInSchema(via, describing)] : []
  return anyOf([...linkSchemas(via.target, givenIn(via, describing)), ...created])
}

/** Returns true if an element of the relation may be a new item of this caller. */
function isCreating ({ kind, isJoin, creates, target }: RelationView, describing: Describing): boolean {
  return (kind === 'sub-collection' && !isJoin) || (creates && mayCreate(target, describing))
}

const mayCreate = (collection: CollectionView, { sight }: Describing): boolean =>
  sight.at({ kind: 'collection', collection }).denial('POST') === undefined

/** Returns the schema of a partial update. */
function updateSchema (collection: CollectionView, describing: Describing, form: UpdateForm): SchemaReference {
  return describing.components.ref(collection, form, () => ({
    type: 'object',
    properties: changedMembers(collection, describing, form),
    additionalProperties: false
  }))
}

/** Returns the members of an update; of a merge patch without those that are not merged, as no caller reads them. */
function changedMembers (
  collection: CollectionView, describing: Describing, form: UpdateForm
): Readonly<Record<string, Schema>> {
  const members = membersOf(collection, describing)
  if (form === 'Update') return members
  return Object.fromEntries(fieldsOf(collection, describing).flatMap(field => {
    const member = members[field.name] ?? {}
    if (!isOfJson(field)) return [[field.name, member]]
    return isMerged(field) ? [[field.name, patchSchema(member)]] : []
  }))
}

/** Returns the schema of an element that names an item, and of what is to change in it. */
function changeSchema (collection: CollectionView, describing: Describing, form: UpdateForm): SchemaReference {
  return describing.components.ref(collection, form === 'Update' ? 'Change' : 'Change_patch', () => {
    const names = collection.inBodies.filter(fields => fields.every(({ readable }) => readable))
    const identifiers = names.flat().map(field => [field.name, fieldSchema(field, 'body')] as const)
    const [required, ...others] = names.map(namesOf)
    return {
      type: 'object',
      properties: { ...Object.fromEntries(identifiers), ...changedMembers(collection, describing, form) },
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
      allOf: [updateSchema(collection, describing, 'Update'), ...either],
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
  fields.filter(field => field.writable && isNameable(field, profile))

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
