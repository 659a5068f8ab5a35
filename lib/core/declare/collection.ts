import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import type { RequestStrategies } from '../../../schemas/request-strategies.ts'
import type { Computed, ComputedFields, Expression } from './computed.ts'
import type { Condition, Where } from './conditions.ts'
import type { AnyContext, Context, WriteContext } from './context.ts'
import type { Shape, Shaped } from './data.ts'
import type { TSubCollection, TSubItem } from './relations.ts'
import type { OperationRules, Rule } from './rules.ts'
import type { Source } from './source.ts'

export type {
  AnyContext, Caller, CallerOf, Context, Door, SystemContext, Transaction, WriteContext
} from './context.ts'
export type { OperationRules, Rule } from './rules.ts'

type ScalarKeys<P extends TProperties> = { [K in keyof P]: P[K] extends TSubCollection | TSubItem ? never : K }[keyof P]

/** An item as the application sees it: the declared properties without relations. */
export type Item<S extends TObject> = S extends TObject<infer P> ? Static<TObject<Pick<P, ScalarKeys<P>>>> : never

type RelationKeys<P extends TProperties> = Exclude<keyof P, ScalarKeys<P>>

type Relations<P extends TProperties> = {
  readonly [K in RelationKeys<P> & string]: P[K] extends TSubItem ? 'one' : 'many'
}

/** The types of the items of a collection with this schema, these computed fields and these inputs. */
export interface ShapeOf<
  S extends TObject, C extends ComputedFields<Item<S>> = NoFields, N extends InputFields<Item<S>> = NoFields
> extends Shape {
  readonly stored: Item<S>
  readonly computed: Types<C>
  readonly inputs: Types<N>
  readonly relations: Relations<S['properties']>
}

type NoFields = Record<never, never>
type Types<F> = { readonly [K in keyof F]: TypeOf<F[K]> }

/** The type of the values of a computed field or an input. An expression may be null, unless it says that it is not. */
type TypeOf<F> = F extends { readonly type: infer T extends TSchema }
  ? Static<T> | (F extends { readonly kind: 'expression' } ? NullOf<F> : never)
  : never
type NullOf<F> = F extends { readonly kind: 'expression', readonly nullable?: false } ? never : null

/** Values by property that identify an item, as a lookup returns them. An optional property without a value is null. */
export type Match<I> = { readonly [P in keyof I]?: (object extends Pick<I, P> ? I[P] | null : I[P]) | undefined }

/**
 * The result of a lookup or special identifier: values of the item, such as the item itself; undefined or null for
 * none.
 */
export type Found<I> = Match<I> | undefined | null
type Eventually<T> = T | Promise<T>

export interface Lookup<I = never> {
  readonly kind: 'lookup'
  readonly type: TSchema
  readonly find: (value: never, context: Context) => Eventually<Found<I>>
}

/**
 * Declares an identifier that is not a field: it converts a segment of the URL to values that identify an item.
 *
 * @param definition `type`: the type of the segment; a segment of another type matches no item. `find`: returns values
 * of the item, the item itself, or undefined or null for none.
 */
export function lookup<I, T extends TSchema> (definition: {
  type: T
  find: (value: Static<T>, context: Context) => Eventually<Found<I>>
}): Lookup<I> {
  return { kind: 'lookup', ...definition }
}

export interface Special<I = never> {
  readonly kind: 'special'
  readonly segment: string
  readonly find: (context: Context) => Eventually<Found<I>>
}

/**
 * Declares an identifier that matches one exact segment, such as `me`, before all others. `find` returns values of the
 * item or the item itself; undefined or null is answered with 404.
 */
export function exactly<I> (segment: string, find: (context: Context) => Eventually<Found<I>>): Special<I> {
  return { kind: 'special', segment, find }
}

/** A committed write. */
export type Saved<I> =
  | { readonly kind: 'created' | 'deleted', readonly item: Readonly<I> }
  | { readonly kind: 'updated', readonly item: Readonly<I>, readonly before: Readonly<I> }

/**
 * Functions that run when an item is written. All except `saved` run inside the transaction, after the setters: an
 * error that they throw rolls everything back.
 */
export interface Hooks<I> {
  /**
   * Runs before an item is created, and may change it. Values that the database makes, such as the key, are missing.
   */
  creating?: (item: Partial<Draft<I>>, context: WriteContext) => Eventually<void>
  /** Runs before an item is updated, and may change it. `before` is the item as it was. */
  updating?: (item: Draft<I>, before: Readonly<I>, context: WriteContext) => Eventually<void>
  /** Runs before an item is deleted. */
  deleting?: (item: Readonly<I>, context: WriteContext) => Eventually<void>
  /**
   * Runs after an item was created, with its key, and after what its body created or linked. Other values that the
   * database makes are missing.
   */
  created?: (item: Readonly<I>, context: WriteContext) => Eventually<void>
  /** Runs after an item was updated; not if no value changed. `before` is the item as it was. */
  updated?: (item: Readonly<I>, before: Readonly<I>, context: WriteContext) => Eventually<void>
  /** Runs after an item was deleted. */
  deleted?: (item: Readonly<I>, context: WriteContext) => Eventually<void>
  /** Runs after the commit, once for each item, but those of an import. Its errors are logged; the write remains. */
  saved?: (saved: Saved<I>, context: AnyContext) => Eventually<void>
  /** Runs after the commit of an import, with the number of its items. Its errors are logged; the import remains. */
  imported?: (count: number, context: AnyContext) => Eventually<void>
}

/**
 * Decides which items exist for this caller: those with the returned values, those that meet the condition, all for
 * `true`, none for `false`. Any other item is treated as absent everywhere. Called once for each request, and once its
 * body has come. If it throws, or returns an undefined value, that is logged and the scope includes no items.
 */
export type Scope<I> = (context: Context, where: Where<I>) => Eventually<Match<I> | Condition | boolean>

/**
 * A scope for each operation. `read` decides which items exist for the caller; the others, which of these the caller
 * may update or delete. Default of `read`: all items; of the others: the items that exist. Another write is 403.
 */
export interface Scopes<I> {
  read?: Scope<I>
  update?: Scope<I>
  delete?: Scope<I>
}

/**
 * Decides if this caller may write a field of this item, which is as it is stored, and locked. Called for each item
 * whose value a client would change, and not for a new one. Its results mean what those of a Rule mean.
 */
export type ItemRule<I> = (item: Readonly<I>, context: Context) => Eventually<boolean>

/** Any name; editors still suggest the known ones. */
type ComputedName = string & Record<never, never>

/** What callers may do to a collection, and to its fields. */
export interface Rules<F extends string = string, I = ItemValues> extends OperationRules {
  /**
   * Rules of fields, by their names in the application. A field that the caller may not read is treated as undeclared.
   * A rule that throws denies, and the error is logged. `writeItem` is for stored fields.
   */
  fields?: { readonly [P in F]?: { readonly read?: Rule, readonly write?: Rule, readonly writeItem?: ItemRule<I> } }
}

/** Sizes of pages, in items. `Infinity` means no limit. */
export interface Pages { defaultSize?: number, maxSize?: number }

/** The behaviour of a collection: code, typed by its schema. */
export interface Behaviour<
  S extends TObject, C extends ComputedFields<Item<S>> = ComputedFields<Item<S>>,
  N extends InputFields<Item<S>> = InputFields<Item<S>>
> {
  /** The source of the items: memory(rows), or a table of a database. */
  source: Source
  /**
   * The fields that identify an item together, such as `['orderId', 'productId']`. Default: the first field flagged
   * `identifier`.
   */
  key?: ReadonlyArray<Properties<Item<S>>>
  /**
   * Lists of fields that no two items have the same values of, such as `[['teamId', 'name']]`. Bodies can name an item
   * by them.
   */
  unique?: ReadonlyArray<ReadonlyArray<Properties<Item<S>>>>
  /** Computed fields, by their names in the application. The name on the wire omits a leading `get`. */
  computed?: C
  /** Setters, by the field's name in the application. Without a setter the value is stored as it is. */
  setters?: { [P in Properties<Item<S>>]?: Setter<Item<S>, Item<S>[P]> }
  /** Members of bodies that are no fields of an item, by their names in the application. */
  inputs?: N
  /** Functions that run when an item is written. */
  hooks?: Hooks<Item<S>>
  /**
   * Deletes an item by changing it, such as by a time of its deletion. A scope must hide what is deleted. The row
   * remains: foreign keys still refer to it.
   */
  delete?: (item: Draft<Item<S>>, context: WriteContext) => Eventually<void>
  /** The requests that may write. Default for each: the strategy of the whole API. */
  requestStrategies?: RequestStrategies
  /** Decides which items exist for a caller, or also which of them the caller may update and delete. Default: all. */
  scope?: Scope<Item<S>> | Scopes<Item<S>>
  /** Decides what callers may do. */
  rules?: Rules<(keyof S['properties'] & string) | ComputedName, Item<S>>
  /** Identifiers that are not fields, by name. */
  identifiers?: Record<string, Lookup<Item<S>> | Special<Item<S>>>
  /** Sizes of pages of this collection. Default for each: the size of the whole API. */
  pages?: Pages
}

/** An item without its static type: values by property. */
export type ItemValues = Record<string, unknown>

/** Deletes an item by changing it. */
export type Deletion = (item: ItemValues, context: WriteContext) => Eventually<void>

/** A collection as declared, before it is compiled. */
export interface Declared {
  readonly schema: TObject
  readonly source: Source
  readonly key: readonly string[] | undefined
  readonly unique: ReadonlyArray<readonly string[]>
  readonly computed: Readonly<Record<string, Computed | Expression>>
  readonly setters: Readonly<Record<string, Setter<ItemValues, unknown>>>
  readonly inputs: Readonly<Record<string, Input>>
  readonly hooks: Hooks<ItemValues>
  readonly delete: Deletion | undefined
  readonly requestStrategies: RequestStrategies
  readonly scope: Scope<ItemValues> | Scopes<ItemValues> | undefined
  readonly rules: Rules
  readonly identifiers: Readonly<Record<string, Lookup | Special>>
  readonly pages: Pages
  /** The behaviour as it was written, whose members may be misspelt. */
  readonly given: Readonly<Record<string, unknown>>
}

/** A collection as declared, with the types of its items, for `dataApi.collection()`. */
export interface Declaration<T extends Shape> extends Declared, Shaped<T> {}

/** Declares a collection by its schema, which is data, and its behaviour, which is code. Registration checks both. */
export function collection<
  S extends TObject, const C extends ComputedFields<Item<S>> = NoFields, const N extends InputFields<Item<S>> = NoFields
> (schema: S, behaviour: Behaviour<S, C, N>): Declaration<ShapeOf<S, C, N>> {
  // Without TypeScript, the behaviour may be missing: registration names the collection then.
  const given: Partial<Behaviour<S>> = (behaviour as Behaviour<S> | undefined) ?? {}
  const { source, computed = {}, setters = {}, inputs = {}, hooks = {}, requestStrategies = {} } = given
  const { key, unique = [], scope, rules = {}, identifiers = {}, pages = {} } = given
  return {
    schema,
    source: source as Source,
    key,
    unique,
    // From here on the static type of the item is no longer needed.
    computed: computed as Declared['computed'],
    setters: setters as Declared['setters'],
    inputs: inputs as Declared['inputs'],
    hooks: hooks as Declared['hooks'],
    delete: given.delete as Declared['delete'],
    requestStrategies,
    scope: scope as Declared['scope'],
    rules: rules as Declared['rules'],
    identifiers: identifiers as Declared['identifiers'],
    pages,
    given: given as Declared['given']
  }
}

/** An item to change. Setting an optional property to null or undefined removes its value. */
export type Draft<I> = { [P in keyof I]: object extends Pick<I, P> ? I[P] | null | undefined : I[P] }

/**
 * Receives a new value of one field. The item is as it is in the transaction, with its row locked; a new item holds the
 * values that were set before. The setter may change any field, and rejects the value by throwing an ArgumentError. It
 * must assign the new value itself. It is not called if the field of an existing item is readable and already has the
 * value.
 */
export type Setter<I, V> = (item: Draft<I>, value: V, context: WriteContext) => void | Promise<void>

/** The inputs of a collection, by their names in the application. */
export type InputFields<I> = Readonly<Record<string, Input<I>>>

export interface Input<I = never, T extends TSchema = TSchema> {
  readonly kind: 'input'
  readonly type: T
  readonly set: (item: never, value: never, context: WriteContext) => void | Promise<void>
  /** Binds the declaration to its collection's item type. It has no value. */
  readonly item?: I
}

/**
 * Declares a member of bodies that is no field of an item, such as the password of a user: clients write it, and
 * nobody reads it (docs/writing.md: Inputs).
 *
 * @param definition `type`: the schema of the value. A new item must have the member, unless the type is optional.
 * `set`: receives the item and the value, as a setter does; it may change any field of the item, and rejects the value
 * by throwing an ArgumentError.
 */
export function input<I, T extends TSchema> (
  definition: { type: T, set: Setter<I, Static<T>> }
): Input<I, T> {
  // The item and the value follow the schemas that I and T were inferred from.
  return { kind: 'input', ...definition }
}

/** The names of an item's properties. */
export type Properties<I> = keyof I & string
