import { Kind, OptionalKind, type Static, type TObject, type TProperties, type TSchema } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { ExpressionBuilder, Expression as SqlExpression } from 'kysely'
import type { FieldFlags } from '../schemas/flags.ts'
import type { RequestStrategies } from '../schemas/request-strategies.ts'

/** What the application's own functions are told of the request they serve. */
export interface Context {
  /** With everything that the host's hooks put on it. */
  readonly request: FastifyRequest
}

/** The transaction that a write request runs in: what is done through it lasts if the whole request does. */
export interface Transaction {
  /** The kind of the database, such as `sqlite`. */
  readonly kind: string
  /**
   * Runs a statement of the application's own and gives its rows. Parameters are written as the database writes them, in SQLite as `?`. Rejects with
   * what the driver throws; a transaction over memory() has no statements.
   */
  query (text: string, parameters?: readonly unknown[]): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
}

/** The data behind a collection, as memory(), sqlite(), postgres() and kysely() give it. What it can do is the business of lib/sources. */
export interface Source {
  /** The database that the data is in. A relation never leads from one database to another; they are compared with `===`. */
  readonly database: { readonly kind: string }
  /** The names that many-to-many relations may go through, where the source can tell. */
  readonly joinNames?: ReadonlySet<string>
}

/** What setters and hooks are told. */
export interface WriteContext extends Context { readonly transaction: Transaction }

/** A relation as a property of a collection's schema: not a value, so no part of an item's static type. */
export interface TSubCollection extends TSchema { [Kind]: 'SubCollection', static: never, target: string, link: SubCollectionOptions }
export interface TSubItem extends TSchema { [Kind]: 'SubItem', static: never, target: string, link: SubItemOptions }

export interface SubItemOptions extends RelationFlags {
  /** The property of this collection that holds the key of the other's item. */
  foreignKey: string
}

export type SubCollectionOptions = RelationFlags & (
  /** One to many: the property of the other collection that holds this item's key. */
  | { foreignKey: string, through?: undefined, otherKey?: undefined }
  /** Many to many: the join table, and its properties that hold this item's key and the other's. */
  | { foreignKey: string, through: string, otherKey: string }
)

export type RelationFlags = Pick<FieldFlags, 'readable' | 'writable' | 'hidden' | 'listed' | 'filterable'> & { description?: string, title?: string }

/** The items of another collection that belong to this item. `target` is the key under which the other collection is registered. */
export function SubCollection (target: string, options: SubCollectionOptions): TSubCollection {
  return relation({ [Kind]: 'SubCollection', target, link: options, type: 'array' }, options)
}

/** The item of another collection that this item refers to, or null. `target` is the key under which the other collection is registered. */
export function SubItem (target: string, options: SubItemOptions): TSubItem {
  return relation({ [Kind]: 'SubItem', target, link: options, type: 'object' }, options)
}

function relation<S extends object> (schema: S, { readable, writable, hidden, listed, filterable, description, title }: RelationFlags): S & { static: never, params: unknown[] } {
  const flags = Object.fromEntries(Object.entries({ readable, writable, hidden, listed, filterable, description, title }).filter(([, value]) => value !== undefined))
  // `static` and `params` exist in TypeBox's types only.
  return { ...schema, ...flags } as S & { static: never, params: unknown[] }
}

export const isSubCollection = (schema: TSchema): schema is TSubCollection => schema[Kind] === 'SubCollection'
export const isSubItem = (schema: TSchema): schema is TSubItem => schema[Kind] === 'SubItem'
export const isOptional = (schema: TSchema): boolean => schema[OptionalKind] === 'Optional'

type ScalarKeys<P extends TProperties> = { [K in keyof P]: P[K] extends TSubCollection | TSubItem ? never : K }[keyof P]

/** An item as the application sees it: the declared properties, relations aside. */
export type Item<S extends TObject> = S extends TObject<infer P> ? Static<TObject<Pick<P, ScalarKeys<P>>>> : never

/** A value of an item that a getter or setter is told of. */
type Properties<I> = keyof I & string

/** Values by property that find an item, as a lookup gives them. */
export type Match<I> = { readonly [P in keyof I]?: I[P] | undefined }

export interface Computed<I = never> {
  readonly kind: 'computed'
  readonly type: TSchema
  readonly from: readonly Properties<I>[]
  readonly get: (item: Readonly<Record<string, unknown>>) => unknown
}

/**
 * A field whose value the application computes, row by row, from stored ones. It can be neither filtered nor sorted by.
 *
 * @param definition `type`: the schema of the value, with its flags. `from`: the properties that `get` reads; no other is loaded.
 * `get`: gives the value; may not be asynchronous.
 */
export function computed<I, const F extends Properties<I>, T extends TSchema> (definition: {
  type: T
  from: readonly F[]
  get: (item: Readonly<Pick<I, F>>) => Static<T>
}): Computed<I> {
  // The item is a row of the source, whose values follow the schema that I was inferred from.
  return { kind: 'computed', ...definition, get: definition.get as Computed['get'] }
}

/** The tables and columns of an expression, which the application names itself. */
export type Tables = Record<string, Record<string, unknown>>

export interface Expression<I = never> {
  readonly kind: 'expression'
  readonly type: TSchema
  readonly sql?: (builder: ExpressionBuilder<Tables, string>) => SqlExpression<unknown>
  readonly memory?: (item: Readonly<Record<string, unknown>>) => unknown
  /** Ties the declaration to its collection's item type; never there. */
  readonly item?: I
}

/**
 * A field that is computed in the query, so that it filters and sorts like a stored one.
 *
 * @param definition `type`: the schema of the value, with its flags. `sql`: its expression, in Kysely's builder; columns of the row are named
 * plainly or, inside subqueries, by the table's own name. `memory`: the same for an item of a memory source. One for the source in use is required.
 */
export function expression<I, T extends TSchema> (definition: {
  type: T
  sql?: (builder: ExpressionBuilder<Tables, string>) => SqlExpression<unknown>
  memory?: (item: Readonly<I>) => Static<T>
}): Expression<I> {
  const { type, sql, memory } = definition
  // The item is one of the rows given to memory(), whose values follow the schema that I was inferred from.
  return { kind: 'expression', type, ...sql && { sql }, ...memory && { memory: memory as NonNullable<Expression['memory']> } }
}

/** What a lookup or special identifier found: values that the item has, or nothing. An item of the collection will do. */
export type Found<I> = Match<I> | undefined | null
type Eventually<T> = T | Promise<T>

export interface Lookup<I = never> {
  readonly kind: 'lookup'
  readonly type: TSchema
  readonly find: (value: never, context: Context) => Eventually<Found<I>>
}

/**
 * An identifier that is no field of its own: turns the URL's segment into values that find the item.
 *
 * @param definition `type`: what the segment is converted to; a segment that is none is no match. `find`: gives the match, an item, or nothing.
 */
export function lookup<I, T extends TSchema> (definition: { type: T, find: (value: Static<T>, context: Context) => Eventually<Found<I>> }): Lookup<I> {
  return { kind: 'lookup', ...definition }
}

export interface Special<I = never> {
  readonly kind: 'special'
  readonly segment: string
  readonly find: (context: Context) => Eventually<Found<I>>
}

/** An identifier that matches one exact segment, such as `me`, before all others. `find` gives the match, an item, or nothing, which is a 404. */
export function exactly<I> (segment: string, find: (context: Context) => Eventually<Found<I>>): Special<I> {
  return { kind: 'special', segment, find }
}

/** An item to change: a property that may be left out may also be set to undefined, which is the same. */
export type Draft<I> = { [P in keyof I]: object extends Pick<I, P> ? I[P] | undefined : I[P] }

/**
 * Takes a new value of one field. The item is as it stands in the transaction, its row locked; of a new item it holds what was set so far. May change
 * any field of it, and rejects the value by throwing an ArgumentError. Its own field has the new value only if the setter gives it. Not called for a
 * value that the field of an existing item has already, where the client may read it.
 */
export type Setter<I, V> = (item: Draft<I>, value: V, context: WriteContext) => Eventually<void>

/** What was written, once it lasts. */
export type Saved<I> =
  | { readonly kind: 'created' | 'deleted', readonly item: Readonly<I> }
  | { readonly kind: 'updated', readonly item: Readonly<I>, readonly before: Readonly<I> }

/**
 * What the application does when an item is written. All but `saved` run inside the transaction, after the setters: what they throw leaves nothing written.
 */
export interface Hooks<I> {
  /** Before an item is created. May change it; what the database gives, such as its key, is not there yet. */
  creating?: (item: Partial<Draft<I>>, context: WriteContext) => Eventually<void>
  /** Before an item is updated. May change it; `before` is what it was. */
  updating?: (item: Draft<I>, before: Readonly<I>, context: WriteContext) => Eventually<void>
  /** Before an item is deleted. */
  deleting?: (item: Readonly<I>, context: WriteContext) => Eventually<void>
  /** After the commit, once an item. What it throws is logged; the write has happened. */
  saved?: (saved: Saved<I>, context: Context) => Eventually<void>
}

/** A condition on an item, as a scope's builder makes it. */
export interface Condition { readonly kind: 'condition', readonly of: ConditionNode }

export type ConditionNode =
  | { readonly kind: 'compare', readonly property: string, readonly operator: 'equals' | 'in' | 'less' | 'at_most' | 'greater' | 'at_least', readonly value: unknown }
  | { readonly kind: 'some', readonly relation: string, readonly where: Condition }
  | { readonly kind: 'all' | 'any', readonly of: readonly Condition[] }
  | { readonly kind: 'not', readonly of: Condition }

type Ordered<V> = Exclude<V, null | undefined>

/** Builds conditions on items, whose properties and values are those of the schema. Nothing is less or greater than null. */
export interface Where<I> {
  /** Its value is this one; null is that there is none. */
  equals<P extends Properties<I>> (property: P, value: I[P] | null): Condition
  /** Its value is one of these. */
  oneOf<P extends Properties<I>> (property: P, values: ReadonlyArray<I[P] | null>): Condition
  less<P extends Properties<I>> (property: P, value: Ordered<I[P]>): Condition
  atMost<P extends Properties<I>> (property: P, value: Ordered<I[P]>): Condition
  greater<P extends Properties<I>> (property: P, value: Ordered<I[P]>): Condition
  atLeast<P extends Properties<I>> (property: P, value: Ordered<I[P]>): Condition
  /** The item of the sub-item, or some item of the sub-collection, is so. The other collection's scope has no part in it. */
  some (relation: string, condition: (where: Where<Values>) => Condition): Condition
  /** All are so; all of none is. */
  all (...conditions: readonly Condition[]): Condition
  /** One at least is so; none of none is. */
  any (...conditions: readonly Condition[]): Condition
  not (condition: Condition): Condition
}

/**
 * The items that there are for this caller: those with these values, those of a condition, all for `true`, none for `false`. Any other item is as
 * absent as one that does not exist, wherever it would appear. Called once a request. A value that is undefined, and what it throws, is none: it is logged.
 */
export type Scope<I> = (context: Context, where: Where<I>) => Eventually<Match<I> | Condition | boolean>

/**
 * Whether this caller may. False is 403; an error with a `statusCode` of 401 or 403 is that, with its message and `headers`. What else it throws
 * is 403 as well, and logged. Called once a request.
 */
export type Rule = (context: Context) => Eventually<boolean>

/** Any name, without hiding from an editor those that are known. */
type ComputedName = string & Record<never, never>

/** What callers may do. What has no rule is as the flags and strategies say. */
export interface Rules<F extends string = string> {
  /** Reading the collection under its own name. Where it is denied the collection is nowhere shown in others either. */
  read?: Rule
  create?: Rule
  update?: Rule
  delete?: Rule
  /** By the field's name in the application. One that the caller may not read is as if it were not declared; one that throws denies, and is logged. */
  fields?: { readonly [P in F]?: { readonly read?: Rule, readonly write?: Rule } }
}

/** Sizes of pages, in items. `Infinity` is no limit. */
export interface Pages { defaultSize?: number, maxSize?: number }

/** How a collection behaves: code, typed by its schema. */
export interface Behaviour<S extends TObject> {
  /** Where its items are: memory(rows), or a table of a database. */
  source: Source
  /** Fields that are computed, by their name in the application. A leading `get` is no part of the name on the wire. */
  computed?: Record<string, Computed<Item<S>> | Expression<Item<S>>>
  /** What happens when a client writes a field, by its name in the application. Without one the value is stored as it is. */
  setters?: { [P in Properties<Item<S>>]?: Setter<Item<S>, Item<S>[P]> }
  /** What happens around a write. */
  hooks?: Hooks<Item<S>>
  /** Which requests may write; what is left out is as for the whole API. */
  requestStrategies?: RequestStrategies
  /** The items that there are for a caller. Default: all. */
  scope?: Scope<Item<S>>
  /** What callers may do. */
  rules?: Rules<(keyof S['properties'] & string) | ComputedName>
  /** Identifiers besides the fields flagged so, by name. */
  identifiers?: Record<string, Lookup<Item<S>> | Special<Item<S>>>
  /** Sizes of pages of this collection; what is left out is as for the whole API. */
  pages?: Pages
}

/** An item whose type is no longer known: values by property. */
export type Values = Record<string, unknown>

/** A collection as declared, before it is compiled. */
export interface Declared {
  readonly schema: TObject
  readonly source: Source
  readonly computed: Readonly<Record<string, Computed | Expression>>
  readonly setters: Readonly<Record<string, Setter<Values, unknown>>>
  readonly hooks: Hooks<Values>
  readonly requestStrategies: RequestStrategies
  readonly scope: Scope<Values> | undefined
  readonly rules: Rules
  readonly identifiers: Readonly<Record<string, Lookup | Special>>
  readonly pages: Pages
}

/** Declares a collection: a schema, which is data, and a behaviour, which is code. Checked when the plugin is registered. */
export function collection<S extends TObject> (schema: S, behaviour: Behaviour<S>): Declared {
  const { source, computed = {}, setters = {}, hooks = {}, requestStrategies = {}, scope, rules = {}, identifiers = {}, pages = {} } = behaviour
  return {
    schema,
    source,
    // From here on types are the model's own; the item type has done its work.
    computed: computed as Declared['computed'],
    setters: setters as Declared['setters'],
    hooks: hooks as Declared['hooks'],
    requestStrategies,
    scope: scope as Declared['scope'],
    rules,
    identifiers: identifiers as Declared['identifiers'],
    pages
  }
}
