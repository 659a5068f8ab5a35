import type { Collection, Field, InputField, StoredField, SubItemField } from '../model/model.ts'
import { singleKey, uniques } from '../model/keys.ts'
import { isWritable } from '../plan/write/body.ts'
import { parentValues } from '../plan/write/path-values.ts'
import { requirementsOf } from '../plan/write/required.ts'
import type { Resource } from '../plan/path/walk.ts'
import type { Item } from '../plan/read/to-item.ts'
import { isObject } from '../errors/is-object.ts'
import { labelOf, namingField } from './label.ts'

/** A field of a form: a value, or an item that is named by an identifier. */
export interface FormField {
  readonly field: ValueField | SubItemField
  /** True if a new item must have it. */
  readonly required: boolean
}

/** A field of a form that takes a value. */
export type ValueField = StoredField | InputField

/** Returns the fields of the form for a new item: all that a client may write and that the URL does not give. */
export function fieldsToCreate ({ from, pathValues = [] }: Extract<Resource, { kind: 'collection' }>): FormField[] {
  const given = [...pathValues, ...parentValues(from.via?.kind === 'sub-collection' ? from.via : undefined)]
  const isGiven = (field: Field) => given.some(one => one.field === field ||
    (field.kind === 'sub-item' && field.foreignKey.includes(one.field)))
  const required = requirementsOf(from.collection, given)
    .filter(({ field, instead }) => field.kind === 'sub-item' || instead.length === 0)
    .map(({ field }) => field)
  return formFields(from.collection).filter(field => !isGiven(field))
    .map(field => ({ field, required: required.includes(field) }))
}

/** Returns the fields of the form for an item that exists. */
export const fieldsToEdit = (collection: Collection): FormField[] =>
  formFields(collection).map(field => ({ field, required: false }))

function formFields (collection: Collection): ReadonlyArray<FormField['field']> {
  return [...collection.fields.values()].flatMap(field =>
    isWritable(field) && field.kind !== 'sub-collection' ? [field] : [])
}

/** Returns a member of an item as the text of a form; '' for null, and for a value that may not be read. */
export function textIn ({ field }: FormField, item: Item | undefined): string {
  const value = item?.[field.name] ?? null
  if (value === null) return ''
  if (field.kind === 'sub-item') return isObject(value) ? identifierOf(value, field.target) : ''
  if (field.type.kind === 'json') return JSON.stringify(value, null, 2)
  return String(value)
}

/** Returns the text by which a form names an item: its name, if it is an identifier that is no key, or its key. */
function identifierOf (item: Item, target: Collection): string {
  const name = namingField(target)
  const label = name && item[name.name]
  const isName = name?.identifier === true && typeof label === 'string' && label !== ''
  if (isName && singleKey(target)?.type.parse(label) === undefined) return label
  for (const fields of [target.key, ...uniques(target)]) {
    const values = fields.map(field => item[field.name] ?? null)
    if (values.every(value => value !== null)) return values.map(String).join(',')
  }
  return labelOf(item, target)
}

/** Returns true if a field takes text of any length and lines. */
export const isLong = (field: ValueField, text: string): boolean =>
  field.type.kind === 'json' || (field.type.kind === 'string' && (text.length > 80 || /[\r\n]/.test(text) ||
    Number(field.schema['maxLength'] ?? 0) > 200))
