import type { WriteContext } from './context.ts'

/** An item to change. Setting an optional property to null or undefined removes its value. */
export type Draft<I> = { [P in keyof I]: object extends Pick<I, P> ? I[P] | null | undefined : I[P] }

/**
 * Receives a new value of one field. The item is as it is in the transaction, with its row locked; a new item holds the
 * values that were set before. The setter may change any field, and rejects the value by throwing an ArgumentError. It
 * must assign the new value itself. It is not called if the field of an existing item is readable and already has the
 * value.
 */
export type Setter<I, V> = (item: Draft<I>, value: V, context: WriteContext) => void | Promise<void>
