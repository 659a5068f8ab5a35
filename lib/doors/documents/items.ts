import type { CollectionView, FieldView, RelationView } from '../../core/api/face.ts'
import type { Describing } from './needs.ts'
import type { SchemaReference, Schema } from './objects.ts'
import { isNameable } from './profiles.ts'
import { shownSchema } from './shown.ts'
import type { Traits } from './types/type-of.ts'

/**
 * Returns the schema of an item. With a selection, an answer can hold any readable fields, so none is required; without
 * one, the schema is that of the item's full form.
 */
export function itemSchema (collection: CollectionView, describing: Describing): SchemaReference {
  return describing.components.ref(collection, '', () => {
    const shown = describing.profile.selection
      ? readableFields(collection, describing)
      : fieldsIn(collection, 'full')
    const { title } = collection
    const described = { ...formSchema(shown, describing), ...title !== undefined && { title } }
    return { ...described, 'x-data-api': traitsOf(collection, describing) }
  })
}

/** Returns the schema of an item in a listing or in another item. */
export function listedSchema (collection: CollectionView, describing: Describing): SchemaReference {
  if (describing.profile.selection) return itemSchema(collection, describing)
  return describing.components.ref(collection, 'Listed', () => {
    return formSchema(fieldsIn(collection, 'listed'), describing)
  })
}

const fieldsIn = (collection: CollectionView, form: 'full' | 'listed'): readonly FieldView[] =>
  collection.shape(undefined, form).map(({ field }) => field)

/** Returns the readable fields that the profile can name. */
export const readableFields = ({ fields }: CollectionView, { profile }: Describing): readonly FieldView[] =>
  fields.filter(field => field.readable && isNameable(field, profile))

function formSchema (fields: readonly FieldView[], describing: Describing): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(field => [field.name, memberSchema(field, describing)])),
    ...!describing.profile.selection && { required: fields.map(({ name }) => name) },
    ...!describing.profile.plainNames && { additionalProperties: false }
  }
}

function memberSchema (field: FieldView, describing: Describing): Schema {
  if (!('target' in field)) return shownSchema(field, describing.components)
  const { kind, target, schema } = field
  const element = listedSchema(target, describing)
  const { title, description: about, group } = schema
  const description = {
    ...title !== undefined && { title },
    ...about !== undefined && { description: about },
    ...group !== undefined && { 'x-group': group }
  }
  if (kind === 'sub-item') return { anyOf: [element, { type: 'null' }], ...description }
  const elements = { type: 'array', items: element }
  // The functions of a selection make an object.
  return describing.profile.selection
    ? { anyOf: [elements, functionsSchema], ...description }
    : { ...elements, ...description }
}

/** What functions make of items, which a selection shows in their place: their number, and an object for each field. */
const functionsSchema: Schema = {
  type: 'object',
  properties: { count: { type: ['integer', 'object'], minimum: 0 } },
  additionalProperties: { type: 'object' },
  minProperties: 1
}

/** Returns the schema of a group, whose members are those that its selection names. */
export const groupSchema = ({ components }: Describing): SchemaReference => components.named('Group', () => ({
  type: 'object',
  description: 'Values of a group of items, as functions in the selection make them.',
  additionalProperties: { type: ['string', 'number', 'boolean', 'object', 'null'] }
}))

/** Returns the schema of the items of a page, in whose place a selection can make groups. */
export function pageSchema (element: Schema | SchemaReference, describing: Describing): Schema {
  const items = { type: 'array', items: element }
  return describing.profile.selection
    ? { anyOf: [items, { type: 'array', items: groupSchema(describing) }] }
    : items
}

/** The facts of a collection that generators of typed clients need besides its schema. */
function traitsOf (collection: CollectionView, { profile, components }: Describing): Traits {
  const readable = collection.fields.filter(field => field.readable)
  const namesOf = (fields: ReadonlyArray<{ readonly name: string }>) => fields.map(({ name }) => name)
  const relations = readable.filter((field): field is RelationView => 'target' in field)
  const targetsOf = (kind: RelationView['kind']) => Object.fromEntries(relations
    .filter(field => field.kind === kind).map(({ name, target }) => [name, target.name]))
  const hidden = readable.filter(field => field.hidden)
  return {
    collection: collection.name,
    listed: namesOf(collection.shape(undefined, 'listed')),
    hidden: namesOf(hidden),
    unfilterable: namesOf(readable.filter(field =>
      !field.filterable && ('target' in field || !field.comparesNull))),
    unsortable: namesOf(readable.filter(field => !field.sortable)),
    identifiers: namesOf(collection.identifiers),
    one: targetsOf('sub-item'),
    many: targetsOf('sub-collection'),
    // With selections, the schema of the item has them.
    ...!profile.selection && hidden.length > 0 && {
      properties: Object.fromEntries(hidden.flatMap(field =>
        'target' in field ? [] : [[field.name, shownSchema(field, components)]]))
    }
  }
}
