import { invalidPage } from '../../errors/errors.ts'
import { decimalKey } from '../../model/numbers.ts'
import type { Operator, Scalar, ValueType } from '../../model/values.ts'
import type { TextPlace, ValueText } from '../../request/request.ts'
import { memoize } from '../../scheduling/memoize.ts'
import {
  compareItem, hasNoValue, hasValue, isNullable, positionName, rowName, typeOfValue, valueName
} from '../order.ts'
import type { ItemValue, Order, OrderTerm, Predicate, Row } from '../plan.ts'
import { all, always, any, never } from '../predicates.ts'
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
  return Buffer.from(JSON.stringify([formatOrder(order), ...cursorValues(order, row)])).toString('base64url')
}

export const cursorValues = (order: Order, row: Row): readonly unknown[] =>
  order.map(term => toCursor(positionOf(row, term), term))

/**
 * Throws an Error if a row has the position of the cursor. The rows beyond a cursor never have it, unless the database
 * compares otherwise than it should; a client that follows links would then never come to an end.
 */
export function checkMoved (order: Order, row: Row, values: Cursor['values']): void {
  if (cursorValues(order, row).some((value, index) => value !== values[index])) return
  const names = order.map(term => `'${rowName(term).replaceAll('\0', '.')}'`).join(', ')
  throw new Error(`An item beyond a cursor has the cursor's own position. Do the types of ${names} fit their columns?`)
}

/** Decodes the text of a cursor. Throws invalid_page if it is not one. */
export function parseCursor (value: ValueText, direction: Cursor['direction']): Cursor {
  const decoded = decode(value.text)
  if (!Array.isArray(decoded)) throw invalid(value.at)
  const [order, ...values]: unknown[] = decoded
  if (typeof order !== 'string') throw invalid(value.at)
  return { direction, order, values, at: value.at }
}

/**
 * Returns the predicate of the items, or groups, beyond the cursor. Throws invalid_page if the cursor does not fit the
 * order. `stored`: see Predicate.
 */
export function planCursor (cursor: Cursor | undefined, order: Order, stored: boolean): Predicate {
  if (cursor === undefined) return always
  // Our links never carry such a cursor. A client that made one by hand could find out the values of an unreadable key.
  if (!order.every(({ field }) => field?.readable !== false)) throw invalid(cursor.at)
  if (cursor.order !== formatOrder(order) || cursor.values.length !== order.length) {
    const { at } = cursor
    throw invalidPage(`The cursor in '${at.parameter}' belongs to another sort order than this request's.`, at)
  }
  const values = order.map((term, index) => checkValue(cursor.values[index], term, cursor.at))
  return beyond(cursor.direction === 'after' ? order : reverse(order), values, stored)
}

/** Returns the predicate of the items that follow a row in the order. The row must hold the fields of the order. */
export const afterRow = (order: Order, row: Row): Predicate =>
  beyond(order, order.map(term => positionOf(row, term)), true)

/**
 * Returns the predicate of the items that follow the one with these values of the order. For the order a, b it is
 * `a > 1 or (a = 1 and b > 2)`, preceded by the bound `a >= 1`.
 */
function beyond (order: Order, values: readonly (Scalar | null)[], stored: boolean): Predicate {
  const compare: Comparing = (term, operator, value) => compareItem(term, operator, value, stored)
  const equal = (term: OrderTerm, value: Scalar | null) =>
    value === null ? hasNoValue(term) : compare(term, 'equals', value)
  const cursorBound = any(order.map((term, index) => all([
    ...order.slice(0, index).map((one, before) => equal(one, values[before] ?? null)),
    follows(term, values[index] ?? null, compare)
  ])))
  const [first] = order
  if (first === undefined || order.length === 1) return cursorBound
  return all([...firstBound(first, values[0] ?? null, compare), cursorBound])
}

type Comparing = (term: OrderTerm, operator: Operator, value: Scalar) => Predicate

/**
 * The bound that the alternatives imply for the first term. It is stated explicitly so that an index scan starts at the
 * cursor; with the alternatives alone, a database reads every item before it. There is no such bound if null values
 * follow the cursor, and for a term with a path, which no index of the items serves.
 */
function firstBound (term: OrderTerm, value: Scalar | null, compare: Comparing): readonly Predicate[] {
  const { path, descending } = term
  if (value === null || path !== undefined || (isNullable(term) && !descending)) return []
  return [compare(term, descending ? 'at_most' : 'at_least', value)]
}

const formatOrder = memoize((order: Order) =>
  order.map(term => `${term.descending ? '-' : ''}${valueName(term)}`).join(','))

function decode (text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

/**
 * Returns a position as a cursor holds it: an array of the position, unless it has the form in which values of the
 * field's type are shown.
 */
function toCursor (position: Scalar | null, term: OrderTerm): unknown {
  return position === null || isPlain(position, typeOfValue(term)) ? position : [position]
}

/**
 * Checks the JavaScript type of a value, because a client can make any cursor. Does not check the format: the order
 * follows the stored values, and the application may have stored values that the schema would reject.
 */
function checkValue (value: unknown, term: OrderTerm, at: TextPlace): Scalar | null {
  if (value === null && isNullable(term)) return null
  if (isPlain(value, typeOfValue(term))) return value
  if (!Array.isArray(value) || value.length !== 1) throw invalid(at)
  const [position]: unknown[] = value
  if (typeof position === 'number' || isText(position)) return position
  throw invalid(at)
}

function isPlain (value: unknown, { kind, parse }: ValueType): value is Scalar {
  switch (kind) {
    // NaN and integers beyond 2^53 are shown as texts.
    case 'integer':
    case 'number': return typeof value === 'number' || (isText(value) && parse(value) === value)
    case 'boolean': return typeof value === 'boolean'
    case 'mixed': return typeof value === 'number' || typeof value === 'boolean' || isText(value)
    default: return isText(value)
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0')

const invalid = (at: TextPlace) =>
  invalidPage(`'${at.parameter}' takes a cursor from one of this API's links.`, at)

/** The predicate of the items that follow the value in one term. Nulls sort last ascending and first descending. */
function follows (term: OrderTerm, value: Scalar | null, compare: Comparing): Predicate {
  if (value === null) return term.descending ? hasValue(term) : never
  if (term.descending) return compare(term, 'less', value)
  const greater = compare(term, 'greater', value)
  return isNullable(term) ? any([greater, hasNoValue(term)]) : greater
}

/**
 * Returns the value of a row by which the order of its source places it, as a cursor holds it: the value as shown, if
 * the row has no position or that is the same number, so that all sources give the same links.
 */
export function positionOf (row: Row, of: ItemValue): Scalar | null {
  const position = row[positionName(of)]
  // Sources return a Scalar or null for every term of an order.
  const shown = row[rowName(of)] ?? null
  return (position === undefined || position === null || isExact(shown, position) ? shown : position) as Scalar | null
}

const isExact = (shown: unknown, position: unknown): boolean =>
  typeof shown === 'number' && typeof position === 'string' && decimalKey(String(shown)) === decimalKey(position)
