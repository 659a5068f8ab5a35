import { memoize } from '../../scheduling/memoize.ts'
import { decimalKey } from '../../model/decimals.ts'
import type { DataField } from '../../model/model.ts'
import type { Scalar } from '../../model/values.ts'
import type { Row } from '../plan.ts'

/**
 * The name under which a row holds the position of a field, if its value as shown does not tell where the row is in
 * the order: because it is rounded, or written in another form. No property has this name.
 */
export const positionName = memoize((field: DataField) => `${field.property}\0position`)

/**
 * Returns the value of a row by which the order of its source places it, as a cursor holds it: the value as shown, if
 * the row has no position or that is the same number, so that all sources give the same links.
 */
export function positionOf (row: Row, field: DataField): Scalar | null {
  const position = row[positionName(field)]
  // Sources return a Scalar or null for every field of an order.
  const shown = row[field.property] ?? null
  return (position === undefined || position === null || isExact(shown, position) ? shown : position) as Scalar | null
}

const isExact = (shown: unknown, position: unknown): boolean =>
  typeof shown === 'number' && typeof position === 'string' && decimalKey(String(shown)) === decimalKey(position)
