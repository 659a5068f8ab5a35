import { isObject } from '../../core/errors/is-object.ts'
import type { CollectionView, FieldView, RelationView, ValueView } from '../../core/api/face.ts'
import { identifies, isCode, type JsonItem, labelOf, momentOf, namingField } from './value.ts'
import { asking, type PlaceOf } from './place.ts'
import type { Visit } from './visit.ts'

/** A field of a form: a value, or an item that is named by an identifier. */
export interface FormField {
  readonly field: FieldView
  /** True if a new item must have it. */
  readonly required: boolean
}

/** Returns the fields of the form for a new item: all that a client may write and that the URL does not give. */
export function fieldsToCreate (
  { collection, given, requirements }: PlaceOf<'collection'>['spot']['resource']
): FormField[] {
  const required = requirements.filter(({ field, instead }) => field.kind === 'sub-item' || instead.length === 0)
    .map(({ field }) => field)
  return formFields(collection).filter(field => !given.includes(field))
    .map(field => ({ field, required: required.includes(field) }))
}

export const fieldsToEdit = (collection: CollectionView): FormField[] =>
  formFields(collection).map(field => ({ field, required: false }))

const formFields = ({ fields }: CollectionView): readonly FieldView[] =>
  fields.filter(({ writable, kind }) => writable && (kind === 'stored' || kind === 'input' || kind === 'sub-item'))

/** Returns a member of an item as the text of a form; '' for null, and for a value that may not be read. */
export function textIn ({ field }: FormField, item: JsonItem | undefined): string {
  const value = item?.[field.name] ?? null
  if (value === null) return ''
  if ('target' in field) return isObject(value) ? identifierOf(value, field.target) : ''
  if (field.values === 'json') return JSON.stringify(value, null, 2)
  return String(value)
}

/** Returns the text by which a form names an item: its name, if it is an identifier that is no key, or its key. */
function identifierOf (item: JsonItem, target: CollectionView): string {
  const name = namingField(target)
  const label = name && item[name.name]
  const isName = name?.identifier === true && typeof label === 'string' && label !== ''
  const [key, ...others] = target.key
  if (isName && (others.length > 0 || key?.parse(label) === undefined)) return label
  for (const fields of target.inUrls) {
    const values = fields.map(field => item[field.name] ?? null)
    if (values.every(value => value !== null)) return values.map(String).join(',')
  }
  return labelOf(item, target)
}

/** Returns the value of a field that a text stands for; the text itself where it is none, which the API will tell. */
export function readInput (field: ValueView, text: string): unknown {
  const given = field.values === 'date-time' ? momentOf(text) : text
  return field.parse(given) ?? given
}

/** Returns true if a field takes text of any length and lines. */
export const isLong = (field: ValueView, text: string): boolean =>
  field.values === 'json' || isCode(field) ||
  (field.values === 'string' && (text.length > 80 || /[\r\n]/.test(text) ||
    Number(field.takenSchema['maxLength'] ?? 0) > 200))

/** Reads what the form for a new item takes from another one, which a path below its collection leads to. */
export async function readLike (
  path: string, { spot, syntax }: PlaceOf<'collection'>, visit: Visit
): Promise<JsonItem> {
  const { resource } = spot
  const taken = fieldsToCreate(resource).map(({ field }) => field).filter(field =>
    field.readable && !identifies(field, resource.collection))
  if (path === '' || taken.length === 0) return {}
  const { items: [item = {}] } = await visit.read(
    `${visit.ownPath.replace(/\/$/, '')}/${path}${asking([], { fields: taken.map(({ name }) => name) }, syntax)}`)
  return item
}

/** An item as it is, for a form, and its tag. */
export interface Current { readonly item: JsonItem, readonly tag: string | undefined }

/** Reads the members of an item that its form has; undefined for a caller who may write it but not read it. */
export const readCurrent = async (visit: Visit, place: PlaceOf<'item'>): Promise<Current | undefined> =>
  readMembers(namesInForm(place.spot.resource.collection), visit, place)

/** Returns the names of what a form reads: its fields, and what names an item. */
export function namesInForm (collection: CollectionView): readonly string[] {
  const fields = fieldsToEdit(collection).map(({ field }) => field)
  const name = namingField(collection)
  const named = [...fields, ...collection.fields.filter(field => field === name || identifies(field, collection))]
  return named.filter(field => field.readable).map(({ name }) => name)
}

/** Reads an item that is to be deleted, as listings show it, and the numbers of the items that hang on it. */
export async function readToDelete (visit: Visit, place: PlaceOf<'item'>): Promise<Current | undefined> {
  const { collection } = place.spot.resource
  const shown = collection.shape(undefined, 'listed').filter(({ kind }) => kind !== 'list').map(({ name }) => name)
  const counts = manyOf(collection).map(({ name }) => `${name}.count()`)
  return readMembers([...namesInForm(collection), ...shown, ...counts], visit, place)
}

/** Reads the numbers of the items that hang on an item; none where a selection says what is asked for. */
export async function readCounts (visit: Visit, place: PlaceOf<'item'>): Promise<JsonItem> {
  const { asked, resource: { collection } } = place.spot
  const counted = asked.fields === undefined ? manyOf(collection) : []
  if (counted.length === 0) return {}
  return (await readMembers(counted.map(({ name }) => `${name}.count()`), visit, place))?.item ?? {}
}

// Relations that are counted.
const mostCounted = 10

/** Returns the relations of an item whose items pages count. */
export const manyOf = ({ fields }: CollectionView): readonly RelationView[] => fields.filter(field => 'target' in field)
  .filter(({ kind, readable }) => kind === 'sub-collection' && readable)
  .slice(0, mostCounted)

async function readMembers (
  names: readonly string[], visit: Visit, { spot }: PlaceOf<'item'>
): Promise<Current | undefined> {
  if (spot.resource.denial('GET') !== undefined) return undefined
  const asked = names.length === 0 ? {} : { fields: [...new Set(names)] }
  const { items: [item], tag } = await visit.read(visit.ownPath + asking([], asked, visit.place.syntax))
  return item && { item, tag }
}
