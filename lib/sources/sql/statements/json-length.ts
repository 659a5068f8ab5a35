import { answerTooLarge } from '../../../errors.ts'
import type { DataField } from '../../../model/model.ts'
import type { ValueKind } from '../../../model/values.ts'
import type { Selection } from '../../../plan/plan.ts'
import { objectWeight } from '../../object-weight.ts'
import type { Sql } from './dialect.ts'
import { column, type TableRef } from './table.ts'

/** The least length of an item as JSON, without the items nested in it: `known` characters, and those of `texts`. */
export interface JsonLength { readonly known: number, readonly texts: readonly Sql[] }

/**
 * The place of an item in an answer:
 *
 * - `page`: an item of a page, of which there are few
 * - `leaf`: an item of a list in another item, which shows no related items itself (Dialect.sizedList)
 * - `branch`: any other item of a list in another item
 * - `item`: an item in another item that is no list's
 */
export type ItemPlace = 'page' | 'leaf' | 'branch' | 'item'

/** Returns the length of an item that the database writes as JSON. */
export function lengthOfObject (select: Selection, ref: TableRef): JsonLength {
  // Each member has quotes around its name, a colon, a character for its value, and a comma.
  const known = select.reduce((sum, { name }) => sum + name.length + 5, 1)
  return { known, texts: textsIn(select.flatMap(one => one.kind === 'value' ? [one.field as DataField] : []), ref) }
}

/** Returns the length of a nested item that becomes an object in this process. */
export const lengthOfRow = (fields: readonly DataField[], ref: TableRef): JsonLength =>
  ({ known: objectWeight, texts: textsIn(fields, ref) })

// The SQL of an expression may be long, and takes time.
const textsIn = (fields: readonly DataField[], ref: TableRef) => fields
  .filter(field => field.kind === 'stored' && isLong(field))
  .map(field => column(ref, field))

/** Returns true for a field whose values can be long. */
export const isLong = ({ type }: DataField) => unbounded.has(type.kind)

const unbounded: ReadonlySet<ValueKind> = new Set(['string', 'json', 'mixed', 'byte'])

let objects = 0
let most = Infinity

/** Decodes a result, whose nested items call countObjects(). Throws answer_too_large if they are too many. */
export function countingObjects<Result> (longest: number, decode: () => Result): Result {
  objects = 0
  most = longest
  try {
    return decode()
  } finally {
    most = Infinity
  }
}

/** Counts nested items before they are decoded. */
export function countObjects (count: number): void {
  objects += count
  if (objects * objectWeight > most) throw answerTooLarge(most)
}
