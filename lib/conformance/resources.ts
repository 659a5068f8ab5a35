import type { Collection, Field, FieldIdentifier, RelationField, ScalarField, StoredField } from '../model/model.ts'
import type { Model } from '../model/model.ts'
import type { Options } from '../options.ts'
import { relatedRows, tableOf } from '../sources/memory/relations.ts'
import { ownValue } from '../sources/memory/values.ts'
import type { ValueGenerator } from './generator.ts'
import { oddTexts, spellings } from './values.ts'

/** What requests are drawn from: the API over memory(), with its rows as they are at the moment. */
export interface ApiModel { readonly model: Model, readonly options: Options }

/** A resource and its path, percent-encoded. `rows`: the objects that are there. */
export type Resource = CollectionResource | ItemResource | ScalarResource
  | { readonly kind: 'directory', readonly path: string }
  | {
    readonly kind: 'dictionary'
    readonly path: string
    readonly collection: Collection
    readonly rows: readonly object[]
  }
export interface CollectionResource {
  readonly kind: 'collection'
  readonly path: string
  readonly collection: Collection
  readonly rows: readonly object[]
}
export interface ItemResource {
  readonly kind: 'item'
  readonly path: string
  readonly collection: Collection
  readonly row: object | undefined
}
export interface ScalarResource {
  readonly kind: 'scalar'
  readonly path: string
  readonly collection: Collection
  readonly field: Field | undefined
  readonly row: object | undefined
}

/** Any place, to be read. */
export function generateResource (generator: ValueGenerator, api: ApiModel): Resource {
  return generator.weighted<() => Resource>(
    [10, () => generateCollection(generator, api, 2)],
  [8, () => generateItem(generator, api, 3)],
  [4, () => generateDictionary(generator, api)],
  [3, () => generateScalar(generator, api, false)],
  [1, () => ({ kind: 'directory', path: `${api.options.prefix}/` })]
  )()
}

/** A collection, a sub-collection or a group, `hops` relations away at the most. */
export function generateCollection (generator: ValueGenerator, api: ApiModel, hops: number): CollectionResource {
  const place = (hops > 0 && generator.chance(40)
    ? generateBelow(generator, api, hops - 1)
    : undefined) ?? generateRoot(generator, api)
  return generator.chance(12) ? generateGroup(generator, place, api) : place
}

function generateRoot (generator: ValueGenerator, { model, options: { prefix } }: ApiModel): CollectionResource {
  const collection = generator.of([...model.collections.values()])
  return {
    kind: 'collection',
    path: `${prefix}/${encode(collection.name)}`,
    collection,
    rows: [...tableOf(collection).all()]
  }
}

function generateBelow (generator: ValueGenerator, api: ApiModel, hops: number): CollectionResource | undefined {
  const { path, collection, row } = generateItem(generator, api, hops)
  const field = generator.from(relationsOf(collection, 'sub-collection'))
  return field &&
    {
      kind: 'collection',
      path: `${path}/${encode(field.name)}`,
      collection: field.target,
      rows: row === undefined ? [] : relatedRows(row, field)
    }
}

function generateGroup (
  generator: ValueGenerator, place: CollectionResource, { options: { syntax } }: ApiModel
): CollectionResource {
  const field = generator.from(groupable(place.collection).filter(field => !field.identifier))
  if (field === undefined) return place
  const row = generator.from(place.rows)
  const text = row !== undefined && !generator.chance(15)
    ? textOf(ownValue(row, field.property))
    : generateText(generator, field, place.rows)
  return {
    ...place,
    path: `${place.path}/${encode(`${syntax.dictionaryPrefix}${field.name}`)}/${encode(text)}`,
    rows: place.rows.filter(row => textOf(ownValue(row, field.property)) === text)
  }
}

/** An item by some identifier, or a sub-item. */
export function generateItem (generator: ValueGenerator, api: ApiModel, hops: number): ItemResource {
  return (hops > 0 && generator.chance(20)
    ? generateSubItem(generator, api, hops - 1)
    : undefined) ?? generateIdentified(
    generator, generateCollection(generator, api, hops - 1), api
  )
}

function generateSubItem (generator: ValueGenerator, api: ApiModel, hops: number): ItemResource | undefined {
  const { path, collection, row } = generateItem(generator, api, hops)
  const field = generator.from(relationsOf(collection, 'sub-item'))
  return field &&
    {
      kind: 'item',
      path: `${path}/${encode(field.name)}`,
      collection: field.target,
      row: row && relatedRows(row, field)[0]
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
  const fields = collection.identifiers.filter((one): one is FieldIdentifier => one.kind === 'field')
    .map(({ field }) => field)
  const other = generator.of(fields)
  const field = generator.chance(30) && (row === undefined || textOf(ownValue(row, other.property)) !== 'null')
    ? other
    : collection.key
  const text = row === undefined
    ? generateText(generator, field, rows)
    : respell(generator, textOf(ownValue(row, field.property)), field)
  const by = generator.chance(25) ? `/${encode(`${syntax.dictionaryPrefix}${field.name}`)}` : ''
  return { kind: 'item', path: `${path}${by}/${encode(text)}`, collection, row }
}

function generateDictionary (generator: ValueGenerator, api: ApiModel): Resource {
  const { path, collection, rows } = generateCollection(generator, api, 1)
  const field = generator.chance(95) ? generator.from(groupable(collection)) : generator.from(scalarsOf(collection))
  return {
    kind: 'dictionary',
    path: `${path}/${encode(`${api.options.syntax.dictionaryPrefix}${field?.name ?? 'x'}`)}`,
    collection,
    rows
  }
}

/** A field of an item: any, or such that may be written. */
export function generateScalar (generator: ValueGenerator, api: ApiModel, writable: boolean): ScalarResource {
  const { path, collection, row } = generateItem(generator, api, 1)
  const fields = [...collection.fields.values()]
  const fitting = fields.filter(one =>
    one.kind !== 'sub-item' && one.kind !== 'sub-collection' && (writable ? one.writable : one.readable)
  )
  const field = generator.chance(92) ? generator.from(fitting) : generator.from(fields)
  return { kind: 'scalar', path: `${path}/${encode(field?.name ?? 'x')}`, collection, field, row }
}

export const scalarsOf = ({ fields }: Collection): readonly ScalarField[] =>
  [...fields.values()].filter((one): one is ScalarField =>
    one.readable && one.kind !== 'sub-item' && one.kind !== 'sub-collection'
  )

export const relationsOf = <K extends RelationField['kind']>({ fields }: Collection, ...kinds: readonly K[]) =>
  [...fields.values()].filter((one): one is Extract<RelationField, { kind: K }> =>
    one.readable && kinds.some(kind => kind === one.kind)
  )

const groupable = (collection: Collection) => scalarsOf(collection).filter((one): one is StoredField =>
  one.kind === 'stored' && one.filterable && one.type.kind !== 'json'
)

/** The text of a value that the field may have: mostly of a row, or one that fits, sometimes odd. */
export function generateText (generator: ValueGenerator, field: ScalarField, rows: readonly object[]): string {
  return generator.weighted<() => string>(
    [6, () => textOf(ownValue(generator.from(rows) ?? {}, field.property) ?? generator.from(examplesOf(field)))],
  [3, () => textOf(generator.from(examplesOf(field)))],
  [1, () => generator.of(oddTexts)]
  )()
}

export const examplesOf = ({ schema }: Field): readonly unknown[] =>
  (schema['examples'] as readonly unknown[] | undefined) ?? []

/** Now and then the same value otherwise, or nearly. */
function respell (generator: ValueGenerator, text: string, { type }: StoredField): string {
  if (generator.chance(92)) return text
  const others = type.kind === 'string' || type.kind === 'json'
    ? []
    : spellings[type.kind === 'integer' ? 'integer' : type.kind] ?? []
  return generator.of([text.toUpperCase(), text.toLowerCase(), `${text} `, ...others])
}

export const textOf = (value: unknown): string =>
  value === null || value === undefined ? 'null' : typeof value === 'object' ? JSON.stringify(value) : String(value)

export const encode = (text: string) => encodeURIComponent(wellFormed(text))

/** Half of a surrogate pair, as may come of cutting a text, has no encoding. */
export const wellFormed = (text: string) => text.replaceAll(/\p{Surrogate}/gu, '\uFFFD')
