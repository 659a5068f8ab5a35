import { invalidPage } from '../errors.ts'
import { memoize } from '../memoize.ts'
import type { TextPlace, ValueText } from '../request/request.ts'
import type { DataField } from '../model/model.ts'
import type { Scalar } from '../model/values.ts'

import type { Order, OrderTerm, Predicate, Row } from './plan.ts'
import { all, any, equals, always, never } from './predicates.ts'
import { reverse } from './sort.ts'

/**
 * A cursor of keyset pagination: the sort values of the item before or after which a page starts (docs/http.md: Pages
 * and links). Links carry it as base64url of a JSON array: the order, then the values.
 */
export interface Cursor {
  readonly direction: 'after' | 'before'
  /** The order that the cursor was made for, as formatOrder returns it. */
  readonly order: string
  /** The values of the order's fields. They are not checked yet. */
  readonly values: readonly unknown[]
  readonly at: TextPlace
}

/** Returns the text of the cursor at this row. The caller must be allowed to read every field of the order. */
export function formatCursor (order: Order, row: Row): string {
  const values = order.map(({ field }) => row[field.property] ?? null)
  return Buffer.from(JSON.stringify([formatOrder(order), ...values])).toString('base64url')
}

/** Decodes the text of a cursor. Throws invalid_page if it is not one. */
export function parseCursor (value: ValueText, direction: Cursor['direction']): Cursor {
  const decoded = decode(value.text)
  if (!Array.isArray(decoded)) throw invalid(value.at)
  const [order, ...values]: unknown[] = decoded
  if (typeof order !== 'string') throw invalid(value.at)
  return { direction, order, values, at: value.at }
}

/** Returns the predicate of the items beyond the cursor. Throws invalid_page if the cursor does not fit the order. */
export function planCursor (cursor: Cursor | undefined, order: Order): Predicate {
  if (cursor === undefined) return always
  // Our links never carry such a cursor. A client that made one by hand could find out the values of an unreadable key.
  if (!order.every(({ field }) => field.readable)) throw invalid(cursor.at)
  if (cursor.order !== formatOrder(order) || cursor.values.length !== order.length) {
    const { at } = cursor
    throw invalidPage(`The cursor in '${at.parameter}' belongs to another sort order than this request's.`, at)
  }
  const values = order.map(({ field }, index) => checkValue(cursor.values[index], field, cursor.at))
  return afterCursor(cursor.direction === 'after' ? order : reverse(order), values)
}

/**
 * Returns the predicate of the items that follow the one with these values of the order. For the order a, b it is
 * `a > 1 or (a = 1 and b > 2)`, preceded by the bound `a >= 1`.
 */
export function afterCursor (order: Order, values: readonly (Scalar | null)[]): Predicate {
  const cursorBound = any(order.map((term, index) => all([
    ...order.slice(0, index).map(({ field }, before) => equals(field, values[before] ?? null)),
    follows(term, values[index] ?? null)
  ])))
  const [first] = order
  if (first === undefined || order.length === 1) return cursorBound
  return all([...firstBound(first, values[0] ?? null), cursorBound])
}

/**
 * The bound that the alternatives imply for the first term. It is stated explicitly so that an index scan starts at the
 * cursor; with the alternatives alone, a database reads every item before it. There is no such bound if null values
 * follow the cursor.
 */
function firstBound ({ field, descending }: OrderTerm, value: Scalar | null): readonly Predicate[] {
  if (value === null || (field.nullable && !descending)) return []
  return [{ kind: 'compare', field, operator: descending ? 'at_most' : 'at_least', value }]
}

const formatOrder = memoize((order: Order) =>
  order.map(({ field, descending }) => `${descending ? '-' : ''}${field.name}`).join(','))

function decode (text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

/**
 * Checks the JavaScript type of a value, because a client can make any cursor. Does not check the format: the order
 * follows the stored values, and the application may have stored values that the schema would reject.
 */
function checkValue (value: unknown, field: DataField, at: TextPlace): Scalar | null {
  if (value === null && field.nullable) return null
  const { kind } = field.type
  if (kind === 'integer' || kind === 'number') {
    if (typeof value === 'number') return value
  } else if (kind === 'boolean') {
    if (typeof value === 'boolean') return value
  } else if (typeof value === 'string' && !value.includes('\0')) {
    return value
  }
  throw invalid(at)
}

const invalid = (at: TextPlace) =>
  invalidPage(`'${at.parameter}' takes a cursor from one of this API's links.`, at)

/** The predicate of the items that follow the value in one term. Nulls sort last ascending and first descending. */
function follows ({ field, descending }: OrderTerm, value: Scalar | null): Predicate {
  if (descending) {
    if (value === null) return { kind: 'compare', field, operator: 'not_equals', value: null }
    return { kind: 'compare', field, operator: 'less', value }
  }
  if (value === null) return never
  const greater: Predicate = { kind: 'compare', field, operator: 'greater', value }
  return field.nullable ? any([greater, equals(field, null)]) : greater
}
