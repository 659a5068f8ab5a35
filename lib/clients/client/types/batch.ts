import type { WriteAnswer, Reserved, Returning } from './answers.ts'
import type { Api, Target } from './api.ts'
import type { Acknowledgement, Added, Identifier, MergePatch, Merging, WriteOptions } from './client.ts'
import type { NumberNames } from './fields.ts'

declare const result: unique symbol

/** A write of a batch. In later writes it is the item that it creates or updates; `R`: its result. */
export interface Written<R> { readonly [result]: R }

/** The writes of a batch: those of a client, which are gathered and sent as one request. */
export type Batch<A extends Api<A>> = { readonly [K in Exclude<keyof A, Reserved>]: BatchCollection<A, K> } & {
  resource<K extends keyof A & string> (name: K): BatchCollection<A, K>
}

/** The results of writes. */
export type Results<W extends ReadonlyArray<Written<unknown>>> =
  { -readonly [I in keyof W]: W[I] extends Written<infer R> ? R : never }

type Options<R> = Pick<WriteOptions<R>, 'returning' | 'unchanged'>

/** A body, in which an earlier write is an item, or the value of a foreign key. */
type Body<T> = T extends ReadonlyArray<infer E>
  ? ReadonlyArray<Body<E>>
  : T extends boolean | null | undefined
    ? T
    : T extends object ? Written<unknown> | { [P in keyof T]: Body<T[P]> } : T | Written<unknown>

interface BatchCollection<
  A extends Api<A>, K extends keyof A, B = A[K]['create'], D = A[K]['created'], X = A[K]['delete']
> {
  create<const R extends Returning<A, K> = undefined> (
    items: ReadonlyArray<Body<B>>, options?: Options<R>
  ): Written<Array<WriteAnswer<A, K, R, D>>>
  create<const R extends Returning<A, K> = undefined> (
    item: Body<B>, options?: Options<R>
  ): Written<WriteAnswer<A, K, R, D>>
  update<const R extends Returning<A, K> = undefined> (
    id: Identifier | Written<unknown>, patch: Body<MergePatch<A[K]['update']>>, options: Options<R> & Merging
  ): Written<WriteAnswer<A, K, R, Acknowledgement>>
  update<const R extends Returning<A, K> = undefined> (
    id: Identifier | Written<unknown>, changes: Body<A[K]['update']>, options?: Options<R>
  ): Written<WriteAnswer<A, K, R, Acknowledgement>>
  upsert<const R extends Returning<A, K> = undefined> (
    id: Identifier | Written<unknown>, item: Body<A[K]['upsert']>, options?: Options<R>
  ): Written<WriteAnswer<A, K, R, Acknowledgement>>
  add (
    id: Identifier | Written<unknown>, field: NumberNames<A[K]['item']>, addend: number, options?: Options<undefined>
  ): Written<Added>
  readonly delete: X extends true
    ? (id: Identifier | Written<unknown>, options?: Options<undefined>) => Written<Acknowledgement>
    : never
  item (id: Identifier | Written<unknown>): BatchItem<A, K, X>
}

interface BatchElements<A extends Api<A>, K extends keyof A, B>
  extends BatchCollection<A, K, B, A[K]['created'] | Acknowledgement, true> {
  replace (items: ReadonlyArray<Body<B>>): Written<Acknowledgement>
}

type BatchItem<A extends Api<A>, K extends keyof A, X = A[K]['delete']> =
  BatchItemMethods<A, K, X> & BatchRelations<A, K, Reserved>

interface BatchItemMethods<A extends Api<A>, K extends keyof A, X> {
  update<const R extends Returning<A, K> = undefined> (
    patch: Body<MergePatch<A[K]['update']>>, options: Options<R> & Merging
  ): Written<WriteAnswer<A, K, R, Acknowledgement>>
  update<const R extends Returning<A, K> = undefined> (
    changes: Body<A[K]['update']>, options?: Options<R>
  ): Written<WriteAnswer<A, K, R, Acknowledgement>>
  upsert<const R extends Returning<A, K> = undefined> (
    item: Body<A[K]['upsert']>, options?: Options<R>
  ): Written<WriteAnswer<A, K, R, Acknowledgement>>
  readonly delete: X extends true ? (options?: Options<undefined>) => Written<Acknowledgement> : never
  resource<R extends keyof BatchRelations<A, K, never>> (name: R): BatchRelations<A, K, never>[R]
}

type BatchRelations<A extends Api<A>, K extends keyof A, X> =
  & { readonly [R in Exclude<keyof A[K]['one'], X>]: BatchItem<A, Target<A, A[K]['one'], R>> }
  & {
    readonly [R in Exclude<keyof A[K]['many'], X>]: BatchElements<
      A, Target<A, A[K]['many'], R>, R extends keyof A[K]['elements'] ? A[K]['elements'][R] : never
    >
  }
