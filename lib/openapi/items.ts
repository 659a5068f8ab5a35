import { type Collection, type Field, isReadable, type ReadableField } from '../model/model.ts'
import type { Selection, Shown } from '../plan/plan.ts'
import { listedForm, planSelection, showPlainly } from '../plan/select.ts'
import type { Describing } from './describing.ts'
import type { Reference, Schema } from './objects.ts'
import { isPlainName } from './profiles.ts'
import { fieldSchema } from './values.ts'

/**
 * Returns the schema of an item. With a selection, an answer can hold any readable fields, so none is required; without
 * one, the schema is that of the item's full form.
 */
export function itemSchema (collection: Collection, describing: Describing): Reference {
  return describing.components.ref(collection, '', () => {
    const select = describing.profile.selection
      ? readableFields(collection, describing).map(showPlainly)
      : planSelection(undefined, collection, 'full')
    return { ...selectionSchema(select, describing), 'x-data-api': traitsOf(collection) }
  })
}

/** Returns the schema of an item in a listing or in another item. */
export function listedSchema (collection: Collection, describing: Describing): Reference {
  if (describing.profile.selection) return itemSchema(collection, describing)
  return describing.components.ref(collection, 'Listed', () => selectionSchema(listedForm(collection), describing))
}

/** Returns the readable fields that the profile can name. */
export function readableFields ({ fields }: Collection, { profile }: Describing): readonly ReadableField[] {
  return [...fields.values()].filter(isReadable).filter(({ name }) => !profile.plainNames || isPlainName(name))
}

function selectionSchema (select: Selection, describing: Describing): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(select.map(shown => [shown.name, shownSchema(shown, describing)])),
    ...!describing.profile.selection && { required: select.map(({ name }) => name) },
    ...!describing.profile.plainNames && { additionalProperties: false }
  }
}

function shownSchema (shown: Shown, describing: Describing): Schema {
  if (shown.kind === 'value') return fieldSchema(shown.field, 'answer')
  const { target, schema } = shown.field
  const element = listedSchema(target, describing)
  const description = schema.description === undefined ? {} : { description: schema.description }
  return shown.kind === 'list'
    ? { type: 'array', items: element, ...description }
    : { anyOf: [element, { type: 'null' }], ...description }
}

/** What generators of typed clients need to know of a collection besides its schema. */
function traitsOf (collection: Collection): Schema {
  const readable = [...collection.fields.values()].filter(field => field.readable)
  const target = (kind: Field['kind']) => Object.fromEntries(readable.flatMap(field =>
    field.kind === kind && 'target' in field ? [[field.name, field.target.name]] : []))
  return {
    collection: collection.name,
    listed: listedForm(collection).map(({ name }) => name),
    hidden: readable.filter(({ hidden }) => hidden).map(({ name }) => name),
    identifiers: collection.identifiers.map(({ name }) => name),
    one: target('sub-item'),
    many: target('sub-collection')
  }
}
