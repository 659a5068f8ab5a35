import type { Kind, OptionalKind, TSchema } from '@sinclair/typebox'
import type { FieldFlags } from '../../../schemas/flags.ts'

// TypeBox registers its symbols under these names. It is not loaded for them: an application that has its schemas ready
// need not load it a second time.
const kindSymbol: typeof Kind = Symbol.for('TypeBox.Kind') as typeof Kind
const optionalSymbol: typeof OptionalKind = Symbol.for('TypeBox.Optional') as typeof OptionalKind

/** A sub-collection in a collection's schema. A relation is not part of an item's static type. */
export interface TSubCollection extends TSchema {
  [Kind]: 'SubCollection'
  static: never
  type: 'array'
  target: string
  link: SubCollectionOptions
}

/** A sub-item in a collection's schema. */
export interface TSubItem extends TSchema {
  [Kind]: 'SubItem'
  static: never
  type: 'object'
  target: string
  link: SubItemOptions
}

export interface SubItemOptions extends RelationFlags, CreationFlag {
  /** The property of this collection that holds the key of the other's item; a list for a key of several fields. */
  foreignKey: ForeignKey
  /** Values of this collection's properties with which the foreign key refers to the other's item; else to none. */
  where?: Constants
}

/** Values that the properties beside a foreign key have, as in `{ commentableType: 'Post' }`. */
export type Constants = Readonly<Record<string, string | number | boolean>>

/** The properties that hold a key, in the order of its fields; a name alone for a key of one field. */
export type ForeignKey = string | readonly string[]

export type SubCollectionOptions = RelationFlags & (
  /**
   * One to many: the property of the other collection that holds this item's key. `where`: values that properties of
   * the other collection have in the items that belong to this one.
   */
  | { foreignKey: ForeignKey, where?: Constants, through?: undefined, otherKey?: undefined, creates?: undefined }
  /** Many to many: the join table, and its properties that hold this item's key and the other's. */
  | { foreignKey: ForeignKey, through: string, otherKey: ForeignKey, where?: undefined } & CreationFlag
)

interface CreationFlag {
  /**
   * Whether an element in a body creates an item if it names none. Default false: an element names an item that exists.
   * The elements of a list by a foreign key always may.
   */
  creates?: boolean
}

type RelationFlags = Omit<FieldFlags, 'identifier' | 'indexed' | 'aggregatable' | 'version' | 'naming'> & {
  description?: string
  title?: string
  /** The heading under which pages show the relation. */
  group?: string
}

/** The items of another collection that belong to this item. `target`: the other collection's name in `collections`. */
export function SubCollection (target: string, options: SubCollectionOptions): TSubCollection {
  return relation({ [kindSymbol]: 'SubCollection', target, link: options, type: 'array' }, options)
}

/**
 * The item of another collection that this item refers to, or null. `target`: the other collection's name in
 * `collections`.
 */
export function SubItem (target: string, options: SubItemOptions): TSubItem {
  return relation({ [kindSymbol]: 'SubItem', target, link: options, type: 'object' }, options)
}

function relation<S extends object> (
  schema: S, options: RelationFlags = {}
): S & { static: never, params: unknown[] } {
  const { readable, writable, hidden, listed, filterable, sortable, description, title, group } = options
  const given = { readable, writable, hidden, listed, filterable, sortable, description, title, group }
  const flags = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  // `static` and `params` exist in TypeBox's types only.
  return { ...schema, ...flags } as S & { static: never, params: unknown[] }
}

export const isSubCollection = (schema: TSchema): schema is TSubCollection => schema[kindSymbol] === 'SubCollection'
export const isSubItem = (schema: TSchema): schema is TSubItem => schema[kindSymbol] === 'SubItem'

/** Returns the schema of a relation as such; undefined for that of another field. */
export const relationOf = (schema: TSchema | undefined): TSubCollection | TSubItem | undefined =>
  schema !== undefined && (isSubCollection(schema) || isSubItem(schema)) ? schema : undefined

/** Returns true for `Type.Optional`, also for that of typebox 1.x. */
export const isOptional = (schema: TSchema): boolean =>
  schema[optionalSymbol] === 'Optional' || schema['~optional'] === true
