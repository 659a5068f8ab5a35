import type { Collection, DataField, RelationField, ScalarField, StoredField, SubCollectionField, SubItemField } from '../model/model.ts'
import type { Operator, Scalar } from '../model/values.ts'
import type { Conditions } from '../request/conditions.ts'
import type { ItemBody } from './body.ts'

/**
 * A condition on an item, in which no field is unknown and no value unconverted.
 * SQL's three-valued logic never shows: every node is true or false (docs/http.md: Query strings).
 *
 * compare: `equals` with null means "is null", `not_equals` is its negation and so includes null fields; the ordering operators and the
 * text operators are false for a null field; `in` and `not_in` take an array that may hold null; `not_in` is the negation of `in`.
 */
export type Predicate =
  | { readonly kind: 'compare', readonly field: DataField, readonly operator: Operator, readonly value: Scalar | null | readonly (Scalar | null)[] }
  /** Some element of the relation satisfies `where` (and the target's scope, already part of `where`). */
  | { readonly kind: 'some', readonly field: RelationField, readonly where: Predicate }
  /** All of none is true; any of none is false. */
  | { readonly kind: 'all' | 'any', readonly of: readonly Predicate[] }
  | { readonly kind: 'not', readonly of: Predicate }

export interface OrderTerm { readonly field: DataField, readonly descending: boolean }

/** Total: the collection's key is always among the terms, after which none follows. Nulls sort last ascending and first descending. */
export type Order = readonly OrderTerm[]

/** What an item shows, in this order. */
export type Selection = readonly Shown[]

export type Shown =
  | { readonly kind: 'value', readonly name: string, readonly field: ScalarField }
  /** Null where there is no such item, or `where` does not hold for it. */
  | { readonly kind: 'item', readonly name: string, readonly field: SubItemField, readonly where: Predicate, readonly select: Selection }
  | { readonly kind: 'list', readonly name: string, readonly field: SubCollectionField, readonly listing: Listing }

/** A range of rows: skip `offset`, take at most `limit` (Infinity: all). */
export interface Range { readonly offset: number, readonly limit: number }

/** Which items of a collection, in what order, how many, and what is shown of each. */
export interface Listing {
  readonly where: Predicate
  readonly order: Order
  readonly range: Range
  readonly select: Selection
}

/**
 * One step from the root towards what is asked for. The first has no `via` and starts at the collection's items; a further one starts at
 * what `via` leads to from the item of the step before. It stands on the one item that `where` holds for: none is a miss, two are ambiguous.
 */
export interface Step { readonly collection: Collection, readonly via: RelationField | undefined, readonly where: Predicate }

/** Where a listing or dictionary takes its items from: the whole collection, or what `via` leads to from the last step's item. */
export interface Origin { readonly collection: Collection, readonly via: SubCollectionField | undefined }

export type ReadPlan =
  /** The item that the last step stands on. */
  | { readonly kind: 'item', readonly steps: readonly Step[], readonly select: Selection }
  /**
   * One page of a collection: of the items that the listing's `where` holds for, which are those counted, the ones that lie `beyond` the page's
   * position. `carry`: fields whose values rows must hold besides what is shown, for links.
   */
  | { readonly kind: 'list', readonly steps: readonly Step[], readonly from: Origin, readonly listing: Listing, readonly beyond: Predicate, readonly carry: readonly DataField[], readonly count: boolean }
  /**
   * A page of groups: one for each distinct value of `by` that is not null among the items `members.where` holds for, ordered by the value,
   * `range` counting groups, of those that lie `beyond` the page's position; each group's items are the listing `members`.
   */
  | { readonly kind: 'groups', readonly steps: readonly Step[], readonly from: Origin, readonly by: DataField, readonly beyond: Predicate, readonly descending: boolean, readonly range: Range, readonly members: Listing, readonly count: boolean }

/** The reads of one kind. */
export type ReadPlanOf<K extends ReadPlan['kind']> = Extract<ReadPlan, { kind: K }>

/**
 * What a source returns for an item: values by the application's property names. A stored field or an expression holds a Scalar or null, or for a field
 * of type `json` what JSON.parse returns; a shown sub-item holds a Row or null, a shown sub-collection an array of Rows.
 */
export interface Row { readonly [property: string]: unknown }

/** A value that a new item gets from its place in the tree. Undefined where it is known only once its parent is there. */
export interface Preset { readonly field: StoredField, readonly value: Scalar | undefined }

/**
 * What is told of an item, and what must be read for it and its tag. `variant`: names the representation where the item's version stands for all that it
 * shows, so that its text need not be looked at for a tag. `versionAt`: where in `select` the fields stand that the version is made of.
 */
export interface Projection { readonly show: Selection, readonly select: Selection, readonly variant: string | undefined, readonly versionAt: readonly number[] }

export type WritePlan =
  /** New items in a collection, which belong to the item that the last step stands on. All of them are created, or none. */
  | { readonly kind: 'create', readonly steps: readonly Step[], readonly from: Origin, readonly given: readonly Preset[], readonly bodies: readonly ItemBody[], readonly many: boolean, readonly shows: Projection | undefined }
  /** Changes the item that the last step stands on; where there is none and `otherwise` is there, creates it. */
  | { readonly kind: 'update', readonly steps: readonly Step[], readonly collection: Collection, readonly body: ItemBody, readonly otherwise: UpsertInsert | undefined, readonly conditions: Conditions, readonly shows: Projection | undefined }
  | { readonly kind: 'delete', readonly steps: readonly Step[], readonly collection: Collection, readonly conditions: Conditions }

/** The writes of one kind. */
export type WritePlanOf<K extends WritePlan['kind']> = Extract<WritePlan, { kind: K }>

/** The item that an upsert creates. */
export interface UpsertInsert { readonly from: Origin, readonly given: readonly Preset[], readonly body: ItemBody }
