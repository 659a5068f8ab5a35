import {
  type Collection, type Field, isReadable, isRelation, type ReadableField, type RelationField
} from '../../core/model/model.ts'
import type { Selection, Shown } from '../../core/plan/plan.ts'
import { listedForm, planSelection, showPlainly } from '../../core/plan/read/select.ts'
import type { Describing } from './describing.ts'
import { filterableFields, sortableFields } from './filters.ts'
import type { Reference, Schema } from './objects.ts'
import { isPlainName } from './profiles.ts'
import { shownSchema } from './shown.ts'
import type { Traits } from './types/type-of.ts'

/**
 * Returns the schema of an item. With a selection, an answer can hold any readable fields, so none is required; without
 * one, the schema is that of the item's full form.
 */
export function itemSchema (collection: Collection, describing: Describing): Reference {
  return describing.components.ref(collection, '', () => {
    const select = describing.profile.selection
      ? readableFields(collection, describing).map(showPlainly)
      : planSelection(undefined, collection, 'full')
    const { title } = collection
    const described = { ...selectionSchema(collection, select, describing), ...title !== undefined && { title } }
    return { ...described, 'x-data-api': traitsOf(collection, describing) }
  })
}

/** Returns the schema of an item in a listing or in another item. */
export function listedSchema (collection: Collection, describing: Describing): Reference {
  if (describing.profile.selection) return itemSchema(collection, describing)
  return describing.components.ref(collection, 'Listed', () => {
    return selectionSchema(collection, listedForm(collection), describing)
  })
}

/** Returns the readable fields that the profile can name. */
export function readableFields ({ fields }: Collection, { profile }: Describing): readonly ReadableField[] {
  return [...fields.values()].filter(isReadable).filter(({ name }) => !profile.plainNames || isPlainName(name))
}

function selectionSchema (collection: Collection, select: Selection, describing: Describing): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(select.map(shown => [shown.name, memberSchema(shown, collection, describing)])),
    ...!describing.profile.selection && { required: select.map(({ name }) => name) },
    ...!describing.profile.plainNames && { additionalProperties: false }
  }
}

function memberSchema (shown: Shown, collection: Collection, describing: Describing): Schema {
  if (shown.kind === 'value') return shownSchema(shown.field, collection, describing.components)
  const { target, schema } = shown.field
  const element = listedSchema(target, describing)
  const { title, description: about, group } = schema
  const description = {
    ...title !== undefined && { title },
    ...about !== undefined && { description: about },
    ...group !== undefined && { 'x-group': group }
  }
  if (shown.kind === 'item') return { anyOf: [element, { type: 'null' }], ...description }
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
export const groupSchema = ({ components }: Describing): Reference => components.named('Group', () => ({
  type: 'object',
  description: 'Values of a group of items, as functions in the selection make them.',
  additionalProperties: { type: ['string', 'number', 'boolean', 'object', 'null'] }
}))

/** Returns the schema of the items of a page, in whose place a selection can make groups. */
export function pageSchema (element: Schema | Reference, describing: Describing): Schema {
  const items = { type: 'array', items: element }
  return describing.profile.selection
    ? { anyOf: [items, { type: 'array', items: groupSchema(describing) }] }
    : items
}

/** The facts of a collection that generators of typed clients need besides its schema. */
function traitsOf (collection: Collection, { profile, components }: Describing): Traits {
  const readable = [...collection.fields.values()].filter(field => field.readable)
  const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name)
  const targetsOf = (kind: RelationField['kind']) => Object.fromEntries(readable.filter(isRelation)
    .filter(field => field.kind === kind).map(field => [field.name, field.target.name]))
  const hidden = readable.filter(field => field.hidden)
  const filterable: readonly Field[] = filterableFields(collection)
  const sortable: readonly Field[] = sortableFields(collection)
  return {
    collection: collection.name,
    listed: listedForm(collection).map(({ name }) => name),
    hidden: namesOf(hidden),
    unfilterable: namesOf(readable.filter(field =>
      isRelation(field) ? !field.filterable : !filterable.includes(field))),
    unsortable: namesOf(readable.filter(field => isRelation(field) ? !field.sortable : !sortable.includes(field))),
    identifiers: collection.identifiers.map(({ name }) => name),
    one: targetsOf('sub-item'),
    many: targetsOf('sub-collection'),
    // With selections, the schema of the item has them.
    ...!profile.selection && hidden.length > 0 && {
      properties: Object.fromEntries(hidden.flatMap(field =>
        isRelation(field) ? [] : [[field.name, shownSchema(field, collection, components)]]))
    }
  }
}
