import './node-version.ts'
import type { TUnsafe } from '@sinclair/typebox'
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import {
  type Behaviour, collection as declare, type Declaration, type Found, type Input, input as declareInput,
  type InputFields, type Item as TranslatedItem, type Lookup, lookup as declareLookup, type Properties, type Setter,
  type ShapeOf
} from './core/declare/collection.ts'
import {
  type Computed, computed as declareComputed, type ComputedFields, type Expression, expression as declareExpression,
  type NullableAs
} from './core/declare/computed.ts'
import type { Context } from './core/declare/context.ts'
import type { TSubCollection, TSubItem } from './core/declare/relations.ts'
import type { ObjectOf } from './core/declare/standard.ts'

// The entry `fastify-data-api/typebox`: the same functions as those of the package's own, with types for schemas of
// `typebox` 1.x. At run time the two are alike, since both versions write JSON Schema.

export * from './index.ts'
export { default } from './index.ts'

type RelationKeys<P extends TProperties> =
  { [K in keyof P]: P[K] extends TSubItem | TSubCollection ? K : never }[keyof P]

/** The schema in terms of the package's own entry. */
type Translated<P extends TProperties> = ObjectOf<Static<TObject<Omit<P, RelationKeys<P>>>>, Pick<P, RelationKeys<P>>>

/** An item as the application sees it: the declared properties without relations. */
export type Item<S extends TObject> = S extends TObject<infer P> ? Static<TObject<Omit<P, RelationKeys<P>>>> : never

type NoFields = Record<never, never>

/** Declares a collection by its schema, which is data, and its behaviour, which is code. Registration checks both. */
export const collection = declare as unknown as <
  P extends TProperties, const C extends ComputedFields<TranslatedItem<Translated<P>>> = NoFields,
  const N extends InputFields<TranslatedItem<Translated<P>>> = NoFields
>(schema: TObject<P>, behaviour: Behaviour<Translated<P>, C, N>) => Declaration<ShapeOf<Translated<P>, C, N>>

/** Declares a field whose value the application computes from stored ones, row by row. */
export const computed = declareComputed as unknown as <I, const F extends Properties<I>, T extends TSchema>(
  definition: { type: T, from: readonly F[], get: (item: Readonly<Pick<I, F>>) => Static<T> }
) => Computed<I, TUnsafe<Static<T>>>

/** Declares a field that the query computes, so that clients can filter and sort by it. */
export const expression = declareExpression as unknown as <I, T extends TSchema, N extends boolean = true>(
  definition: {
    type: T
    nullable?: N
    sql?: NonNullable<Expression['sql']>
    memory?: (item: Readonly<I>) => Static<T> | (N extends false ? never : null)
    from?: readonly string[]
  }
) => Expression<I, TUnsafe<Static<T>>, NullableAs<N>>

/** Declares an identifier that is not a field. */
export const lookup = declareLookup as unknown as <I, T extends TSchema>(
  definition: { type: T, find: (value: Static<T>, context: Context) => Found<I> | Promise<Found<I>> }
) => Lookup<I>

/** Declares a member of bodies that is no field of an item. */
export const input = declareInput as unknown as <I, T extends TSchema>(
  definition: { type: T, set: Setter<I, Static<T>> }
) => Input<I, TUnsafe<Static<T>>>
