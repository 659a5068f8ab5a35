import type { TSchema } from '@sinclair/typebox'
import type { Computed, Expression, Hooks, Lookup, Setter, Special, Values } from '../collection.ts'
import type { Source } from '../collection.ts'
import type { Strategies } from './strategies.ts'
import type { Validate } from './validators.ts'
import type { ValueType } from './values.ts'

/** Everything that is known once the declarations are compiled. Frozen: a request only reads it. */
export interface Model {
  /** In the order declared, by their name on the wire. */
  readonly collections: ReadonlyMap<string, Collection>
}

export interface Collection {
  /** On the wire. */
  readonly name: string
  /** In the application: the key under which it was registered. */
  readonly property: string
  /** Every declared field by its name on the wire, in the order declared. Whether a caller may know of it is asked in plan/visible.ts alone. */
  readonly fields: ReadonlyMap<string, Field>
  /** The same fields by the application's name. */
  readonly properties: ReadonlyMap<string, Field>
  /** The first field flagged `identifier`: unique, never null, the tie-breaker of every order and the end of every foreign key. */
  readonly key: StoredField
  /** Tried together for a URL segment, in the order declared. */
  readonly identifiers: readonly Identifier[]
  /** Tried first. */
  readonly specials: readonly SpecialIdentifier[]
  readonly source: Source
  readonly pages: PageLimits
  /** All that the source holds of an item, the application's own included, in the order declared. */
  readonly stored: readonly StoredField[]
  /** What an item's version is made of: the field flagged `version`, or else all stored fields that are readable (plan/tag.ts). */
  readonly versionFields: readonly StoredField[]
  /** The field flagged `version`, which each write counts up. */
  readonly version: StoredField | undefined
  /** The sub-items of any collection that may be one of this collection's items. */
  readonly referrers: readonly SubItemField[]
  /** What refers to items of other collections because a sub-collection of theirs says so. */
  readonly referring: ReadonlyArray<{ readonly foreignKey: StoredField, readonly target: Collection }>
  /** The many-to-many relations in which its items are linked, on either side. */
  readonly links: readonly SubCollectionField[]
  readonly strategies: Strategies
  /** Whether the values of writable fields, by their names on the wire, are what the schema asks for. */
  readonly validate: Validate
  /** By property. */
  readonly setters: ReadonlyMap<string, Setter<Values, unknown>>
  readonly hooks: Hooks<Values>
}

export interface PageLimits {
  /** Items on a page when the request names no size. Infinity where there is no limit. */
  readonly defaultSize: number
  /** A larger size asked for becomes this one. Infinity where there is no limit. */
  readonly maxSize: number
}

export type Field = ScalarField | SubItemField | SubCollectionField
export type ScalarField = StoredField | ExpressionField | ComputedField
/** What a source can read, filter and sort by. */
export type DataField = StoredField | ExpressionField
export type RelationField = SubItemField | SubCollectionField

interface FieldBase {
  /** On the wire. */
  readonly name: string
  /** How a member of that name begins in JSON. */
  readonly label: string
  /** In the application. */
  readonly property: string
  /** Position among the collection's fields: lets a plan's shape be written in few characters. */
  readonly index: number
  readonly schema: TSchema
  readonly readable: boolean
  readonly writable: boolean
  readonly hidden: boolean
  readonly listed: boolean
  readonly filterable: boolean
  readonly sortable: boolean
}

/** A value that the source holds. */
export interface StoredField extends FieldBase {
  readonly kind: 'stored'
  readonly identifier: boolean
  /** Whether the value may be null or absent, which are one on the wire. */
  readonly nullable: boolean
  /** Whether the application leaves the property out where there is no value, because its type has no null. */
  readonly omitted: boolean
  /** Whether a new item may be given without it. */
  readonly optional: boolean
  readonly type: ValueType
}

/** A value that the query computes. */
export interface ExpressionField extends FieldBase {
  readonly kind: 'expression'
  readonly nullable: boolean
  readonly type: ValueType
  readonly expression: Expression
}

/** A value that the application computes from stored ones, row by row. */
export interface ComputedField extends FieldBase {
  readonly kind: 'computed'
  readonly from: readonly StoredField[]
  readonly get: Computed['get']
}

/** At most one item of another collection: `target.key` equals this item's `foreignKey`. */
export interface SubItemField extends FieldBase {
  readonly kind: 'sub-item'
  /** The collection whose field it is. */
  readonly holder: Collection
  readonly target: Collection
  readonly foreignKey: StoredField
}

export interface SubCollectionField extends FieldBase {
  readonly kind: 'sub-collection'
  /** The collection whose field it is. */
  readonly holder: Collection
  readonly target: Collection
  readonly link: Link
}

/** How the items of a sub-collection belong to their parent. */
export type Link =
  /** The target's `foreignKey` equals the parent's key. */
  | { readonly kind: 'foreign-key', readonly foreignKey: StoredField }
  /** A row of the join table holds the parent's key in `foreignKey` and the target's in `otherKey` (properties, not columns). */
  | { readonly kind: 'join', readonly through: string, readonly foreignKey: string, readonly otherKey: string }

export type Identifier = FieldIdentifier | LookupIdentifier

export interface FieldIdentifier { readonly kind: 'field', readonly name: string, readonly field: StoredField }

export interface LookupIdentifier { readonly kind: 'lookup', readonly name: string, readonly type: ValueType, readonly find: Lookup['find'] }

export interface SpecialIdentifier { readonly segment: string, readonly find: Special['find'] }
