import type { Static, TSchema } from '@sinclair/typebox'
import type { WriteContext } from './context.ts'
import type { Setter } from './draft.ts'

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
