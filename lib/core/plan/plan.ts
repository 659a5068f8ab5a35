import type {
  Collection, DataField, RelationField, ScalarField, StoredField, SubCollectionField, SubItemField
} from '../model/model.ts'
import type { Operator, Scalar } from '../model/values.ts'
import type { Conditions } from '../request/conditions.ts'
import type { Projection } from './tag.ts'
import type { TimeUnit } from './time-units.ts'
import type { Bodies } from './write/bodies.ts'
import type { EachPlan } from './write/each.ts'
import type { Element, ItemBody } from './write/item-body.ts'

/**
 * A condition on an item. Every field in it is known and every value is converted to the field's type.
 * Every node is true or false; SQL's third truth value never appears (docs/http.md: Query strings).
 */
export type Predicate =
  /**
   * Compares a field with a value. `not_equals` is the negation of `equals`, and so is true for a null field. The
   * ordering operators and the text operators are false for a null field. `in` and `not_in` take an array; `not_in` is
   * the negation of `in`. With `stored`, the value is one that positionOf() returned, and is compared with the value in
   * the source; without, with the value as it is shown.
   */
  | {
    readonly kind: 'compare'
    readonly field: DataField
    readonly operator: Operator
    readonly value: Scalar | readonly Scalar[]
    readonly stored?: true
  }
  | { readonly kind: 'is_null', readonly field: DataField }
  /** True if at least one element of the relation satisfies `where`; rules/ adds the scope of the target to it. */
  | { readonly kind: 'some', readonly field: RelationField, readonly where: Predicate }
  /** True if what a function makes of elements satisfies `having`, which compares the field of `value`. */
  | Related & { readonly kind: 'related', readonly having: Predicate }
  /** An empty `all` is true; an empty `any` is false. */
  | { readonly kind: 'all' | 'any', readonly of: readonly Predicate[] }
  | { readonly kind: 'not', readonly of: Predicate }

/** A condition of one field of the item, by itself. */
export type FieldPredicate = Extract<Predicate, { readonly field: DataField }>

/** A step from an item to its sub-item; to none if that does not satisfy `where`, to which rules/ adds the scope. */
export interface SubItemStep { readonly field: SubItemField, readonly where: Predicate }

/** The elements of a relation that satisfy `where`, to which rules/ adds the scope. */
export interface Elements { readonly field: SubCollectionField, readonly where: Predicate }
/** What a function makes of elements. */
export interface Related extends Elements { readonly value: FunctionColumn }

/** A value of an item or, with a path, of the sub-item at its end; null without one. That of a function has a path. */
export type ItemValue =
  | { readonly path?: readonly SubItemStep[], readonly field: DataField, readonly related?: undefined }
  | { readonly path: readonly SubItemStep[], readonly related: Related, readonly field?: undefined }

/** A value of a field, of the item itself or of a sub-item. */
export type FieldValue = Extract<ItemValue, { related?: undefined }>

/** The functions that make one value of many (docs/http.md: Groups). */
export type AggregateName = 'count' | 'count_distinct' | 'sum' | 'avg' | 'min' | 'max'

/**
 * A value of each group of items: one that they share, or one that a function makes of theirs. `field`: what conditions
 * and orders name; its property is that of the value in a row, where sums and means are decimals. `unit`: the value is
 * the beginning of the unit of time that the field's value is in.
 */
export type GroupColumn =
  | {
    readonly field: DataField
    readonly call: undefined
    readonly of: FieldValue
    readonly unit: TimeUnit | undefined
  }
  | FunctionColumn

/** What a function makes of items, of a group or of a relation. `of`: undefined where they themselves are counted. */
export type FunctionColumn =
  { readonly field: DataField, readonly call: AggregateName, readonly of: FieldValue | undefined }

export type OrderTerm = ItemValue & { readonly descending: boolean }

/** A total order: the last term of an order of items is their key. Nulls sort last ascending and first descending. */
export type Order = readonly OrderTerm[]

/** The members of an item in the answer, in this order. */
export type Selection = readonly Shown[]

/** One member of an item. `name` is the member's name on the wire. */
export type Shown =
  | { readonly kind: 'value', readonly name: string, readonly field: ScalarField }
  /** A sub-item. Null if the relation is empty, or if its item does not satisfy `where`. */
  | {
    readonly kind: 'item'
    readonly name: string
    readonly field: SubItemField
    readonly where: Predicate
    readonly select: Selection
  }
  | { readonly kind: 'list', readonly name: string, readonly field: SubCollectionField, readonly listing: Listing }
  /** An object of what functions make of elements. */
  | Elements & { readonly kind: 'related', readonly name: string, readonly values: readonly FunctionColumn[] }

/** A range of rows: skips `offset` rows, then takes at most `limit`. A limit of Infinity takes all. */
export interface Range { readonly offset: number, readonly limit: number }

export interface Listing {
  readonly where: Predicate
  readonly order: Order
  readonly range: Range
  readonly select: Selection
}

/**
 * One step of a path. The first step of a path has no `via` and searches all items of the collection; every further
 * step searches the items that `via` leads to from the item of the step before. A step must find exactly one item that
 * satisfies `where`: no item makes the result `missing`, two items make it `ambiguous`.
 */
export interface Step {
  readonly collection: Collection
  readonly via: RelationField | undefined
  readonly where: Predicate
}

/**
 * The items that a listing or dictionary selects from: the whole collection if `via` is undefined, otherwise the items
 * that `via` leads to from the item of the last step.
 */
export interface Origin { readonly collection: Collection, readonly via: SubCollectionField | undefined }

export type ReadPlan =
  /** Reads the item of the last step. */
  | {
    readonly kind: 'item'
    readonly steps: readonly Step[]
    readonly select: Selection
    /**
     * The most characters of the answer, or of a batch of a stream; undefined for no limit. A source throws
     * answer_too_large for a result that must be longer as JSON: it need not hold, and need not count, more.
     */
    readonly longest?: number
  }
  /** Reads one page of a collection. */
  | {
    readonly kind: 'list'
    readonly steps: readonly Step[]
    readonly from: Origin
    /** `count` counts all items that satisfy the listing's `where`. */
    readonly listing: Listing
    /** The condition of the page's cursor, which the rows satisfy as well; it does not affect the count. */
    readonly cursorBound: Predicate
    /**
     * Fields whose values the rows must hold besides the selection: links are made of them. If there are any, the rows
     * hold the terms of the order that have a path, too (carriedTerms in order.ts).
     */
    readonly extra: readonly DataField[]
    readonly count: boolean
    readonly longest?: number
  }
  /** Reads one page of groups: one group for each distinct value of `by`, null excepted, ordered by that value. */
  | {
    readonly kind: 'groups'
    readonly steps: readonly Step[]
    readonly from: Origin
    readonly by: DataField
    /** The condition of the page's cursor, which the groups satisfy. */
    readonly cursorBound: Predicate
    readonly descending: boolean
    /** A range of groups. */
    readonly range: Range
    /** The items of each group. Only items that satisfy its `where` make a group. */
    readonly members: Listing
    readonly count: boolean
    readonly longest?: number
  }
  /**
   * Reads one page of groups as rows of their columns: one group for each combination of the columns without a
   * function, or a single one if there are none.
   */
  | {
    readonly kind: 'aggregate'
    readonly steps: readonly Step[]
    readonly from: Origin
    /** The items that make groups. */
    readonly where: Predicate
    readonly columns: readonly GroupColumn[]
    /** True if groups are named by their first column: items without a name in it make none. */
    readonly named: boolean
    /** The condition of groups. It compares fields of columns. */
    readonly having: Predicate
    readonly order: Order
    /** A range of groups. */
    readonly range: Range
    /** The most groups, before `having`. A source throws answer_too_large for more. */
    readonly mostGroups: number
    readonly count: boolean
    readonly longest?: number
  }

export type ReadPlanOf<K extends ReadPlan['kind']> = Extract<ReadPlan, { kind: K }>

/**
 * An item as a source returns it: values by the application's property names. The value of a stored field or an
 * expression is a Scalar or null, or for a field of type `json` the result of JSON.parse. The value of a sub-item is a
 * Row or null, the value of a sub-collection an array of Rows.
 */
export interface Row { readonly [property: string]: unknown }

/** A value that a new item gets from its path. */
export interface PathValue { readonly kind: 'value', readonly field: StoredField, readonly value: Scalar }

export type WritePlan =
  /** Creates items in a collection, as sub-items of the last step's item if there are steps. Creates all or none. */
  | {
    readonly kind: 'create'
    readonly steps: readonly Step[]
    readonly from: Origin
    readonly given: readonly PathValue[]
    readonly bodies: Bodies
    /** True if the body is an array. The answer is then an array as well, or `counted`: no more than a number. */
    readonly many: boolean
    readonly counted: boolean
    /** Undefined if the answer does not show the items. */
    readonly representation: Projection | undefined
  }
  /** Updates the item of the last step. */
  | {
    readonly kind: 'update'
    readonly steps: readonly Step[]
    readonly collection: Collection
    /** True if the body of the request is the value of one field, so that no pointer leads to a member of it. */
    readonly scalar: boolean
    readonly body: ItemBody
    /** The item to create if there is no item to update; undefined if this update is not an upsert. */
    readonly insert: UpsertInsert | undefined
    readonly conditions: Conditions
    /** Undefined if the answer does not show the item. */
    readonly representation: Projection | undefined
  }
  /** Deletes the item of the last step. */
  | {
    readonly kind: 'delete'
    readonly steps: readonly Step[]
    readonly collection: Collection
    readonly conditions: Conditions
  }
  /** Takes the item of the last step out of the relation by which the path leads to it. */
  | {
    readonly kind: 'unlink'
    readonly steps: readonly Step[]
    readonly collection: Collection
    readonly via: RelationField
    readonly conditions: Conditions
  }
  /** Links elements to the item of the last step by `via`, or creates them there. */
  | {
    readonly kind: 'link'
    readonly steps: readonly Step[]
    /** The collection of the elements. */
    readonly collection: Collection
    readonly via: SubCollectionField
    readonly elements: readonly Element[]
    /** True if the body is an array. The answer is then an array as well. */
    readonly many: boolean
    /** True if all other elements are taken out of the relation. */
    readonly replace: boolean
    readonly conditions: Conditions
    /** Undefined if the answer does not show the items. */
    readonly representation: Projection | undefined
  }
  /** Writes all items of a list that satisfy the predicate. */
  | {
    readonly kind: 'many'
    readonly steps: readonly Step[]
    readonly collection: Collection
    readonly from: Origin
    readonly where: Predicate
    /** The most items; more are an error, and nothing is written. */
    readonly most: number
    /** The write of each item, without its steps. */
    readonly one: OneWrite
  }
  /** Updates several items of a list, each with values of its own. */
  | EachPlan

/** The write of one of many items. Its steps are those of the list, and one to the item. */
export type OneWrite = Extract<WritePlan, { kind: 'update' | 'delete' | 'unlink' }>

export type WritePlanOf<K extends WritePlan['kind']> = Extract<WritePlan, { kind: K }>

export interface UpsertInsert { readonly from: Origin, readonly given: readonly PathValue[], readonly body: ItemBody }
