import type { Collection, Field, FieldIdentifier, RelationField, ScalarField, StoredField } from '../model/model.ts'
import type { Model } from '../model/model.ts'
import type { Options } from '../options.ts'
import { relatedRows, tableOf } from '../sources/memory/relations.ts'
import { ownValue } from '../sources/memory/values.ts'
import type { Draw } from './draw.ts'
import { oddTexts, spellings } from './values.ts'

/** What requests are drawn from: the API over memory(), with its rows as they are at the moment. */
export interface Atlas { readonly model: Model, readonly options: Options }

/** A resource and its path, percent-encoded. `rows`: the objects that are there. */
export type Place = CollectionPlace | ItemPlace | ScalarPlace
  | { readonly kind: 'directory', readonly path: string }
  | { readonly kind: 'dictionary', readonly path: string, readonly collection: Collection, readonly rows: readonly object[] }
export interface CollectionPlace { readonly kind: 'collection', readonly path: string, readonly collection: Collection, readonly rows: readonly object[] }
export interface ItemPlace { readonly kind: 'item', readonly path: string, readonly collection: Collection, readonly row: object | undefined }
export interface ScalarPlace { readonly kind: 'scalar', readonly path: string, readonly collection: Collection, readonly field: Field | undefined, readonly row: object | undefined }

/** Any place, to be read. */
export function drawPlace (draw: Draw, atlas: Atlas): Place {
  return draw.weighted<() => Place>(
    [10, () => drawCollection(draw, atlas, 2)],
  [8, () => drawItem(draw, atlas, 3)],
  [4, () => drawDictionary(draw, atlas)],
  [3, () => drawScalar(draw, atlas, false)],
  [1, () => ({ kind: 'directory', path: `${atlas.options.prefix}/` })]
  )()
}

/** A collection, a sub-collection or a group, `hops` relations away at the most. */
export function drawCollection (draw: Draw, atlas: Atlas, hops: number): CollectionPlace {
  const place = (hops > 0 && draw.chance(40) ? drawBelow(draw, atlas, hops - 1) : undefined) ?? drawRoot(draw, atlas)
  return draw.chance(12) ? drawGroup(draw, place, atlas) : place
}

function drawRoot (draw: Draw, { model, options: { prefix } }: Atlas): CollectionPlace {
  const collection = draw.of([...model.collections.values()])
  return { kind: 'collection', path: `${prefix}/${encode(collection.name)}`, collection, rows: [...tableOf(collection).all()] }
}

function drawBelow (draw: Draw, atlas: Atlas, hops: number): CollectionPlace | undefined {
  const { path, collection, row } = drawItem(draw, atlas, hops)
  const field = draw.from(relationsOf(collection, 'sub-collection'))
  return field && { kind: 'collection', path: `${path}/${encode(field.name)}`, collection: field.target, rows: row === undefined ? [] : relatedRows(row, field) }
}

function drawGroup (draw: Draw, place: CollectionPlace, { options: { syntax } }: Atlas): CollectionPlace {
  const field = draw.from(groupable(place.collection).filter(field => !field.identifier))
  if (field === undefined) return place
  const row = draw.from(place.rows)
  const text = row !== undefined && !draw.chance(15) ? textOf(ownValue(row, field.property)) : drawText(draw, field, place.rows)
  return { ...place, path: `${place.path}/${encode(`${syntax.dictionaryPrefix}${field.name}`)}/${encode(text)}`, rows: place.rows.filter(row => textOf(ownValue(row, field.property)) === text) }
}

/** An item by some identifier, or a sub-item. */
export function drawItem (draw: Draw, atlas: Atlas, hops: number): ItemPlace {
  return (hops > 0 && draw.chance(20) ? drawSubItem(draw, atlas, hops - 1) : undefined) ?? drawIdentified(draw, drawCollection(draw, atlas, hops - 1), atlas)
}

function drawSubItem (draw: Draw, atlas: Atlas, hops: number): ItemPlace | undefined {
  const { path, collection, row } = drawItem(draw, atlas, hops)
  const field = draw.from(relationsOf(collection, 'sub-item'))
  return field && { kind: 'item', path: `${path}/${encode(field.name)}`, collection: field.target, row: row && relatedRows(row, field)[0] }
}

function drawIdentified (draw: Draw, { path, collection, rows }: CollectionPlace, { options: { syntax } }: Atlas): ItemPlace {
  const row = draw.chance(88) || rows.length === 0 ? draw.from(rows) : undefined
  if (draw.chance(4)) return { kind: 'item', path: `${path}/${draw.of(['me', '~1', '~a', 'by_nick/~1', '.', ''])}`, collection, row: undefined }
  const fields = collection.identifiers.filter((one): one is FieldIdentifier => one.kind === 'field').map(({ field }) => field)
  const other = draw.of(fields)
  const field = draw.chance(30) && (row === undefined || textOf(ownValue(row, other.property)) !== 'null') ? other : collection.key
  const text = row === undefined ? drawText(draw, field, rows) : respell(draw, textOf(ownValue(row, field.property)), field)
  const by = draw.chance(25) ? `/${encode(`${syntax.dictionaryPrefix}${field.name}`)}` : ''
  return { kind: 'item', path: `${path}${by}/${encode(text)}`, collection, row }
}

function drawDictionary (draw: Draw, atlas: Atlas): Place {
  const { path, collection, rows } = drawCollection(draw, atlas, 1)
  const field = draw.chance(95) ? draw.from(groupable(collection)) : draw.from(scalarsOf(collection))
  return { kind: 'dictionary', path: `${path}/${encode(`${atlas.options.syntax.dictionaryPrefix}${field?.name ?? 'x'}`)}`, collection, rows }
}

/** A field of an item: any, or such that may be written. */
export function drawScalar (draw: Draw, atlas: Atlas, writable: boolean): ScalarPlace {
  const { path, collection, row } = drawItem(draw, atlas, 1)
  const fields = [...collection.fields.values()]
  const fitting = fields.filter(one => one.kind !== 'sub-item' && one.kind !== 'sub-collection' && (writable ? one.writable : one.readable))
  const field = draw.chance(92) ? draw.from(fitting) : draw.from(fields)
  return { kind: 'scalar', path: `${path}/${encode(field?.name ?? 'x')}`, collection, field, row }
}

export const scalarsOf = ({ fields }: Collection): readonly ScalarField[] =>
  [...fields.values()].filter((one): one is ScalarField => one.readable && one.kind !== 'sub-item' && one.kind !== 'sub-collection')

export const relationsOf = <K extends RelationField['kind']>({ fields }: Collection, ...kinds: readonly K[]) =>
  [...fields.values()].filter((one): one is Extract<RelationField, { kind: K }> => one.readable && kinds.some(kind => kind === one.kind))

const groupable = (collection: Collection) => scalarsOf(collection).filter((one): one is StoredField => one.kind === 'stored' && one.filterable && one.type.kind !== 'json')

/** The text of a value that the field may have: mostly of a row, or one that fits, sometimes odd. */
export function drawText (draw: Draw, field: ScalarField, rows: readonly object[]): string {
  return draw.weighted<() => string>(
    [6, () => textOf(ownValue(draw.from(rows) ?? {}, field.property) ?? draw.from(examplesOf(field)))],
  [3, () => textOf(draw.from(examplesOf(field)))],
  [1, () => draw.of(oddTexts)]
  )()
}

export const examplesOf = ({ schema }: Field): readonly unknown[] => (schema['examples'] as readonly unknown[] | undefined) ?? []

/** Now and then the same value otherwise, or nearly. */
function respell (draw: Draw, text: string, { type }: StoredField): string {
  if (draw.chance(92)) return text
  const others = type.kind === 'string' || type.kind === 'json' ? [] : spellings[type.kind === 'integer' ? 'integer' : type.kind] ?? []
  return draw.of([text.toUpperCase(), text.toLowerCase(), `${text} `, ...others])
}

export const textOf = (value: unknown): string => value === null || value === undefined ? 'null' : typeof value === 'object' ? JSON.stringify(value) : String(value)

export const encode = (text: string) => encodeURIComponent(wellFormed(text))

/** Half of a surrogate pair, as may come of cutting a text, has no encoding. */
export const wellFormed = (text: string) => text.replaceAll(/\p{Surrogate}/gu, '\uFFFD')
