import type { TSchema } from '@sinclair/typebox'
import type { Deletion, Hooks, Lookup, Setter, Special, ItemValues } from '../declare/collection.ts'
import type { Computed, Expression } from '../declare/computed.ts'
import type { Source } from '../declare/source.ts'
import type { Strategies } from './strategies.ts'
import type { Validate } from './schema-validators.ts'
import type { ValueType } from './values.ts'

/** The compiled declarations. Frozen: requests only read it. */
export interface Model {
  /** The collections by their names on the wire, in the order declared. */
  readonly collections: ReadonlyMap<string, Collection>
}

/** Returns the names on the wire of all fields that a client may read or write. */
export const exposedNames = ({ collections }: Model): ReadonlySet<string> =>
  new Set([...collections.values()].flatMap(({ fields }) =>
    [...fields.values()].filter(field => field.readable || field.writable).map(field => field.name)))

export interface Collection {
  /** The name on the wire. */
  readonly name: string
  /** The name in the application: the key under which the collection was registered. */
  readonly property: string
  /** The words of the schema for people. */
  readonly title: string | undefined
  readonly description: string | undefined
  readonly group: string | undefined
  readonly views: Readonly<Record<string, string>>
  /**
   * All declared fields by their names on the wire, in the order declared. Only plan/visible.ts decides which of them
   * a client may know.
   */
  readonly fields: ReadonlyMap<string, Field>
  /** All declared fields by the application's names, in the order declared. */
  readonly properties: ReadonlyMap<string, Field>
  /**
   * The fields that identify an item together, never null. They are the tie-breakers of every order, and the fields
   * that foreign keys refer to.
   */
  readonly key: readonly StoredField[]
  /** Further lists of fields that no two items have the same values of. */
  readonly unique: ReadonlyArray<readonly StoredField[]>
  /**
   * A key of several fields, then fields, then lookups: the identifiers that a URL segment is matched with if no
   * special identifier matches it.
   */
  readonly identifiers: readonly Identifier[]
  /** The identifiers that match one exact segment. They are tried before all others. */
  readonly specials: readonly SpecialIdentifier[]
  readonly source: Source
  readonly pages: PageLimits
  /** All fields that the source holds, also those that no client may read or write, in the order declared. */
  readonly stored: readonly StoredField[]
  /** The fields that make an item's version (plan/tag.ts): the one flagged `version`, and all readable ones. */
  readonly versionFields: readonly StoredField[]
  /** The field flagged `version`, which every write increments. */
  readonly version: StoredField | undefined
  /** The sub-item fields, of any collection, whose target is this collection. */
  readonly referrers: readonly SubItemField[]
  /** The foreign keys of this collection that sub-collections declare: each refers to the key of `target`. */
  readonly referring: readonly CollectionReference[]
  /** The many-to-many relations that link items of this collection, on either side. */
  readonly links: readonly SubCollectionField[]
  readonly strategies: Strategies
  /** Returns the violations of the schema by values of writable fields. Takes them by their names on the wire. */
  readonly validate: Validate
  /** The setters by property. */
  readonly setters: ReadonlyMap<string, Setter<ItemValues, unknown>>
  readonly hooks: Hooks<ItemValues>
  /** Deletes an item by changing it; undefined if a deletion removes it. */
  readonly deletion: Deletion | undefined
}

/** A foreign key of a collection, and the collection that it refers to where the constants are those of the item. */
export interface CollectionReference {
  readonly foreignKey: readonly StoredField[]
  readonly target: Collection
  readonly constants: readonly Constant[]
}

/** A value beside a foreign key, without which that does not refer to the item that has the key. */
export interface Constant { readonly field: StoredField, readonly value: string | number | boolean }

export interface PageLimits {
  /** The number of items on a page if the request does not give a size. Infinity means no limit. */
  readonly defaultSize: number
  /** The largest size of a page; a larger requested size is reduced to it. Infinity means no limit. */
  readonly maxSize: number
}

export type Field = ReadableField | InputField
/** A field that a client may read, if it is flagged so. */
export type ReadableField = ScalarField | SubItemField | SubCollectionField

/** An input never is. */
export const isReadable = (field: Field): field is ReadableField => field.readable
export type ScalarField = StoredField | ExpressionField | ComputedField
/** A field that a source can read, filter by and sort by. */
export type DataField = StoredField | ExpressionField
export type RelationField = SubItemField | SubCollectionField

export const isRelation = (field: Field): field is RelationField =>
  field.kind === 'sub-item' || field.kind === 'sub-collection'

interface FieldBase {
  /** The name on the wire. */
  readonly name: string
  /** The name as JSON, with the colon: the text before the value in an object. */
  readonly label: string
  /** The name in the application. */
  readonly property: string
  /** The position among the collection's scalars, then its relations: a short name for the keys of statements. */
  readonly index: number
  readonly schema: TSchema
  readonly readable: boolean
  readonly writable: boolean
  /** True if the declaration flags it writable: a new item must have it, unless it is optional. */
  readonly demanded: boolean
  readonly hidden: boolean
  readonly listed: boolean
  readonly filterable: boolean
  readonly sortable: boolean
  readonly aggregatable: boolean
}

export interface StoredField extends FieldBase {
  readonly kind: 'stored'
  readonly identifier: boolean
  /** True if the value can be null or absent. On the wire, both are null. */
  readonly nullable: boolean
  /** True if the application sees a property without a value as undefined, because its type does not include null. */
  readonly omitted: boolean
  /** True if a new item can be created without a value. */
  readonly optional: boolean
  readonly type: ValueType
}

/** A field that the source computes in the query. */
export interface ExpressionField extends FieldBase {
  readonly kind: 'expression'
  /** False if the declaration says that no value is null. A source throws for one that is (notNull in not-null.ts). */
  readonly nullable: boolean
  /** The collection that has this field, by its name in the application. */
  readonly collection: string
  readonly key: readonly StoredField[]
  readonly type: ValueType
  readonly expression: Expression
  /** The tables that it reads, its own first, by Source.tableKey, where the declaration names them. */
  readonly reads?: () => readonly unknown[]
}

/** A field that the application computes from stored fields, one row at a time. */
export interface ComputedField extends FieldBase {
  readonly kind: 'computed'
  readonly from: readonly StoredField[]
  readonly get: Computed['get']
}

/** A member of bodies whose value the application stores as it likes. No item has it. */
export interface InputField extends FieldBase {
  readonly kind: 'input'
  readonly readable: false
  readonly nullable: boolean
  /** True if a new item can be created without it. */
  readonly optional: boolean
  readonly type: ValueType
  readonly set: Setter<ItemValues, unknown>
}

/**
 * A relation to at most one item of `target`, whose key equals this item's `foreignKey`. A foreign key with a null in
 * it refers to no item.
 */
export interface SubItemField extends FieldBase {
  readonly kind: 'sub-item'
  /** The collection that has this field. */
  readonly holder: Collection
  readonly target: Collection
  /** True if an element in a body that names no existing item is a new one. */
  readonly creates: boolean
  /** One field for each field of the target's key. */
  readonly foreignKey: readonly StoredField[]
  /** Of fields of `holder`. */
  readonly constants: readonly Constant[]
}

/** A relation to any number of items of `target`. */
export interface SubCollectionField extends FieldBase {
  readonly kind: 'sub-collection'
  /** The collection that has this field. */
  readonly holder: Collection
  readonly target: Collection
  readonly creates: boolean
  readonly link: Link
  /** Of fields of `target`. Empty for a join table. */
  readonly constants: readonly Constant[]
}

/** The way in which items of a sub-collection belong to their parent. */
export type Link =
  /** The target's `foreignKey` equals the parent's key. */
  | { readonly kind: 'foreign-key', readonly foreignKey: readonly StoredField[] }
  /**
   * A row of the join table `through` holds the parent's key in `foreignKey` and the target's key in `otherKey`. All
   * are names in the application.
   */
  | {
    readonly kind: 'join'
    readonly through: string
    readonly foreignKey: readonly string[]
    readonly otherKey: readonly string[]
  }

export type Identifier = FieldIdentifier | KeyIdentifier | LookupIdentifier

export interface FieldIdentifier { readonly kind: 'field', readonly name: string, readonly field: StoredField }

/** A key of several fields. Its name is those of the fields, with commas between them. */
export interface KeyIdentifier { readonly kind: 'key', readonly name: string, readonly fields: readonly StoredField[] }

export interface LookupIdentifier {
  readonly kind: 'lookup'
  readonly name: string
  /** The type by which the segment is converted before `find` gets it. */
  readonly type: ValueType
  readonly find: Lookup['find']
}

export interface SpecialIdentifier { readonly segment: string, readonly find: Special['find'] }
