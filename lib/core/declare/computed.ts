import type { Static, TSchema } from '@sinclair/typebox'
import type { ExpressionBuilder, Expression as SqlExpression } from 'kysely'
import type { Properties } from './collection.ts'

/** The computed fields of a collection, by their names in the application. */
export type ComputedFields<I> = Readonly<Record<string, Computed<I> | Expression<I>>>

export interface Computed<I = never, T extends TSchema = TSchema> {
  readonly kind: 'computed'
  readonly type: T
  readonly from: readonly Properties<I>[]
  readonly get: (item: Readonly<Record<string, unknown>>) => unknown
}

/**
 * Declares a field whose value the application computes from stored ones, row by row. Clients can neither filter nor
 * sort by it.
 *
 * @param definition `type`: the schema of the value, with its flags. `from`: the properties that `get` reads; only
 * these are loaded. `get`: returns the value; must not be asynchronous.
 */
export function computed<I, const F extends Properties<I>, T extends TSchema> (definition: {
  type: T
  from: readonly F[]
  get: (item: Readonly<Pick<I, F>>) => Static<T>
}): Computed<I, T> {
  // The item is a row of the source, whose values follow the schema that I was inferred from.
  return { kind: 'computed', ...definition, get: definition.get as Computed['get'] }
}

/** The tables and columns that an expression names. */
export type NamedTables = Record<string, Record<string, unknown>>

/** `N`: false where the value is never null. */
export interface Expression<I = never, T extends TSchema = TSchema, N extends boolean = boolean> {
  readonly kind: 'expression'
  readonly type: T
  readonly nullable?: N
  readonly sql?: (builder: ExpressionBuilder<NamedTables, string>) => SqlExpression<unknown>
  readonly memory?: (item: Readonly<Record<string, unknown>>) => unknown
  readonly from?: readonly string[]
  /** Binds the declaration to its collection's item type. It has no value. */
  readonly item?: I
}

/** What `nullable` says. The type of the collection that an expression is in does not decide it. */
export type NullableAs<N extends boolean> = N extends false ? false : true

/**
 * Declares a field that the query computes, so that clients can filter and sort by it.
 *
 * @param definition `type`: the schema of the value, with its flags. `nullable`: false for a value that is never null;
 * otherwise it may be null, whatever the type says. `sql`: the expression in Kysely's builder, which names the row's
 * columns without a table or, inside subqueries, with the table's own name. Each value in it must be a constant.
 * `memory`: the function for an item of a memory source. The collection's source requires its own one of the two.
 * `from`: the names of the other tables that it reads; without it, a live document that has to do with it is read again
 * at every change.
 */
export function expression<I, T extends TSchema, N extends boolean = true> (definition: {
  type: T
  nullable?: N
  sql?: (builder: ExpressionBuilder<NamedTables, string>) => SqlExpression<unknown>
  memory?: (item: Readonly<I>) => Static<T> | (N extends false ? never : null)
  from?: readonly string[]
}): Expression<I, T, NullableAs<N>> {
  const { type, nullable, sql, memory, ...others } = definition
  // The item is one of the rows given to memory(), whose values follow the schema that I was inferred from.
  return {
    // Registration refuses members that are not known.
    ...others,
    kind: 'expression',
    type,
    ...nullable !== undefined && { nullable: nullable as NullableAs<N> },
    ...sql && { sql },
    ...memory && { memory: memory as NonNullable<Expression['memory']> }
  }
}
