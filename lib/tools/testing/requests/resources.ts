import type {
  Collection, Field, RelationField, ScalarField, StoredField
} from '../../../core/model/model.ts'
import type { Api } from '../../../core/api/answer.ts'
import { memoryView } from '../../../core/sources/memory/view.ts'
import type { ValueGenerator, Weighted } from '../world/generator.ts'
import { exampleOf } from '../world/examples.ts'
import { oddTexts, spellings } from '../world/values.ts'

/** The model and options of the API over memory(), from whose current rows requests are generated. */
export type ApiModel = Pick<Api, 'model' | 'options'>

/** A resource and its percent-encoded path. `rows` and `row`: the objects that it consists of at the moment. */
export type WorldResource =
  | CollectionResource
  | ItemResource
  | ScalarResource
  | { readonly kind: 'directory', readonly path: string }
  | {
    readonly kind: 'dictionary'
    readonly path: string
    readonly collection: Collection
    readonly rows: readonly object[]
  }
interface CollectionResource {
  readonly kind: 'collection'
  readonly path: string
  readonly collection: Collection
  readonly rows: readonly object[]
}
interface ItemResource {
  readonly kind: 'item'
  readonly path: string
  readonly collection: Collection
  readonly row: object | undefined
}
interface ScalarResource {
  readonly kind: 'scalar'
  readonly path: string
  readonly collection: Collection
  readonly field: Field | undefined
  readonly row: object | undefined
}

/** Returns a resource of any kind, for reading. */
export function generateResource (generator: ValueGenerator, api: ApiModel): WorldResource {
  const choices: Weighted<() => WorldResource> = [
    [10, () => generateCollection(generator, api, 2)],
    [8, () => generateItem(generator, api, 3)],
    [4, () => generateDictionary(generator, api)],
    [3, () => generateScalar(generator, api, false)],
    [1, () => ({ kind: 'directory', path: `${api.options.prefix}/` })]
  ]
  return generator.weighted(...choices)()
}

/** Returns a collection, a sub-collection at most `hops` relations away, or a group of a dictionary. */
export function generateCollection (generator: ValueGenerator, api: ApiModel, hops: number): CollectionResource {
  const below = hops > 0 && generator.chance(40) ? generateSubCollection(generator, api, hops - 1) : undefined
  const resource = below ?? generateRoot(generator, api)
  return generator.chance(12) ? generateGroup(generator, resource, api) : resource
}

function generateRoot (generator: ValueGenerator, { model, options: { prefix } }: ApiModel): CollectionResource {
  const collection = generator.of([...model.collections.values()])
  return {
    kind: 'collection',
    path: `${prefix}/${encodeText(collection.name)}`,
    collection,
    rows: memoryView(collection).rows()
  }
}

function generateSubCollection (
  generator: ValueGenerator, api: ApiModel, hops: number
): CollectionResource | undefined {
  const { path, collection, row } = generateItem(generator, api, hops)
  const field = generator.from(relationsOf(collection, 'sub-collection'))
  if (field === undefined) return undefined
  return {
    kind: 'collection',
    path: `${path}/${encodeText(field.name)}`,
    collection: field.target,
    rows: row === undefined ? [] : memoryView(collection).related(row, field)
  }
}

function generateGroup (
  generator: ValueGenerator, resource: CollectionResource, { options: { syntax } }: ApiModel
): CollectionResource {
  const fields = groupable(resource.collection).filter(one => one.kind === 'expression' || !one.identifier)
  const field = generator.from(fields)
  if (field === undefined) return resource
  const { collection, rows } = resource
  const row = generator.from(rows)
  const text = row !== undefined && !generator.chance(15)
    ? textOfValue(valueCompared(row, field, collection))
    : generateText(generator, field, collection, rows)
  return {
    ...resource,
    path: `${resource.path}/${encodeText(`${syntax.dictionaryPrefix}${field.name}`)}/${encodeText(text)}`,
    rows: rows.filter(row => textOfValue(valueCompared(row, field, collection)) === text)
  }
}

/** Returns an item, by any of its identifiers, or a sub-item; at most `hops` relations away. */
export function generateItem (generator: ValueGenerator, api: ApiModel, hops: number): ItemResource {
  const subItem = hops > 0 && generator.chance(20) ? generateSubItem(generator, api, hops - 1) : undefined
  return subItem ?? generateIdentified(generator, generateCollection(generator, api, hops - 1), api)
}

function generateSubItem (generator: ValueGenerator, api: ApiModel, hops: number): ItemResource | undefined {
  const { path, collection, row } = generateItem(generator, api, hops)
  const field = generator.from(relationsOf(collection, 'sub-item'))
  if (field === undefined) return undefined
  return {
    kind: 'item',
    path: `${path}/${encodeText(field.name)}`,
    collection: field.target,
    row: row && memoryView(collection).related(row, field)[0]
  }
}

function generateIdentified (
  generator: ValueGenerator, { path, collection, rows }: CollectionResource, { options: { syntax } }: ApiModel
): ItemResource {
  const row = generator.chance(88) || rows.length === 0 ? generator.from(rows) : undefined
  if (generator.chance(4)) {
    return {
      kind: 'item',
      path: `${path}/${generator.of(['me', '~1', '~a', 'by_nick/~1', '.', ''])}`,
      collection,
      row: undefined
    }
  }
  if (collection.key.length > 1 && generator.chance(75)) {
    const segments = generateKeySegments(generator, { collection, rows, row }, syntax)
    return { kind: 'item', path: `${path}/${segments}`, collection, row }
  }
  const { value } = memoryView(collection)
  const fields = collection.identifiers.filter(one => one.kind === 'field')
    .map(({ field }) => field)
  const other = generator.of(fields.length > 0 ? fields : collection.key)
  const field = generator.chance(30) && (row === undefined || textOfValue(value(row, other)) !== 'null')
    ? other
    : collection.key[0] ?? other
  const text = row === undefined
    ? generateText(generator, field, collection, rows)
    : respell(generator, textOfValue(value(row, field)), field)
  const by = generator.chance(25) ? `/${encodeText(`${syntax.dictionaryPrefix}${field.name}`)}` : ''
  return { kind: 'item', path: `${path}${by}/${encodeText(text)}`, collection, row }
}

/** Returns the segment of a key of several fields, at times behind that of its dictionary. */
function generateKeySegments (
  generator: ValueGenerator, { collection, rows, row }: Identified,
  { dictionaryPrefix }: ApiModel['options']['syntax']
): string {
  const { key } = collection
  const { value } = memoryView(collection)
  const parts = key.map(field => row === undefined
    ? generateText(generator, field, collection, rows)
    : respell(generator, textOfValue(value(row, field)), field))
  const segment = (generator.chance(4) ? parts.slice(1) : parts).map(encodeText).join(',')
  const name = key.map(field => encodeText(field.name)).join(',')
  return generator.chance(25) ? `${encodeText(dictionaryPrefix)}${name}/${segment}` : segment
}

interface Identified {
  readonly collection: Collection
  readonly rows: readonly object[]
  readonly row: object | undefined
}

export function keySegment (row: object, collection: Collection): string {
  const { value } = memoryView(collection)
  return collection.key.map(field => encodeText(textOfValue(value(row, field)))).join(',')
}

function generateDictionary (generator: ValueGenerator, api: ApiModel): WorldResource {
  const { path, collection, rows } = generateCollection(generator, api, 1)
  if (collection.key.length > 1 && generator.chance(20)) {
    const names = collection.key.map(field => encodeText(field.name)).join(',')
    const segment = `${encodeText(api.options.syntax.dictionaryPrefix)}${names}`
    return { kind: 'dictionary', path: `${path}/${segment}`, collection, rows }
  }
  const field = generator.chance(95) ? generator.from(groupable(collection)) : generator.from(scalarFields(collection))
  return {
    kind: 'dictionary',
    path: `${path}/${encodeText(`${api.options.syntax.dictionaryPrefix}${field?.name ?? 'x'}`)}`,
    collection,
    rows
  }
}

/** Returns a field of an item, in most cases one that is readable, or writable where `writable` is set. */
export function generateScalar (generator: ValueGenerator, api: ApiModel, writable: boolean): ScalarResource {
  const { path, collection, row } = generateItem(generator, api, 1)
  const fields = [...collection.fields.values()]
  const fitting = fields.filter(one =>
    one.kind !== 'sub-item' && one.kind !== 'sub-collection' && (writable ? one.writable : one.readable)
  )
  const field = generator.chance(92) ? generator.from(fitting) : generator.from(fields)
  return { kind: 'scalar', path: `${path}/${encodeText(field?.name ?? 'x')}`, collection, field, row }
}

export const scalarFields = ({ fields }: Collection): readonly ScalarField[] =>
  [...fields.values()].filter((one): one is ScalarField =>
    one.readable && one.kind !== 'sub-item' && one.kind !== 'sub-collection'
  )

export const relationsOf = <K extends RelationField['kind']>({ fields }: Collection, ...kinds: readonly K[]) =>
  [...fields.values()].filter((one): one is Extract<RelationField, { kind: K }> =>
    one.readable && kinds.some(kind => kind === one.kind)
  )

const groupable = (collection: Collection) => scalarFields(collection).filter(one => one.kind !== 'computed')
  .filter(one => one.filterable && one.type.kind !== 'json')

/** Returns the value that a field of a row is filtered and sorted by; undefined where there is none, as of an input. */
export const valueCompared = (
  row: object | undefined, field: Exclude<Field, RelationField>, collection: Collection
): unknown => row === undefined || field.kind === 'computed' || field.kind === 'input'
  ? undefined
  : memoryView(collection).value(row, field)

/** Returns a value for the field, as text: in most cases that of a row, else an example, at times an invalid one. */
export function generateText (
  generator: ValueGenerator, field: ScalarField, collection: Collection, rows = memoryView(collection).rows()
): string {
  const choices: Weighted<() => string> = [
    [6, () => textOfValue(valueCompared(generator.from(rows), field, collection) ?? generateExample(generator, field))],
    [3, () => textOfValue(generateExample(generator, field))],
    [1, () => generator.of(oddTexts)]
  ]
  return generator.weighted(...choices)()
}

/** Returns a value that the field accepts: an example of its schema, or one made by its type. */
export function generateExample (generator: ValueGenerator, { schema }: Field): unknown {
  const examples = schema['examples'] as readonly unknown[] | undefined
  return examples === undefined ? exampleOf(schema, generator.below(24)) : generator.from(examples)
}

/** Returns the text, at times in another spelling, with the same value or a similar one. */
function respell (generator: ValueGenerator, text: string, { type }: StoredField): string {
  if (generator.chance(92)) return text
  const others = type.kind === 'string' || type.kind === 'json'
    ? []
    : spellings[type.kind === 'integer' ? 'integer' : type.kind] ?? []
  return generator.of([text.toUpperCase(), text.toLowerCase(), `${text} `, ...others])
}

export const textOfValue = (value: unknown): string =>
  value === null || value === undefined ? 'null' : typeof value === 'object' ? JSON.stringify(value) : String(value)

export const encodeText = (text: string) => encodeURIComponent(wellFormed(text))

/** Replaces lone surrogates, which cutting a text can leave and which cannot be percent-encoded. */
export const wellFormed = (text: string) => text.replaceAll(/\p{Surrogate}/gu, '\uFFFC')
