import { invalidPage } from '../errors.ts'
import { memoize } from '../memoize.ts'
import type { TextPlace, ValueText } from '../request/request.ts'
import type { DataField } from '../model/model.ts'
import type { Scalar } from '../model/values.ts'

import type { Order, OrderTerm, Predicate, Row } from './plan.ts'
import { all, any, equals, always, never } from './predicates.ts'
import { reverse } from './sort.ts'

/** A place between two items of an order, as a link carries it: the sort values of the item next to it (docs/http.md: Pages and links). */
export interface Cursor {
  readonly direction: 'after' | 'before'
  /** The order it belongs to, as formatOrder gives it. */
  readonly order: string
  readonly values: readonly unknown[]
  readonly at: TextPlace
}

/** The text of the position of a row. Every field of the order must be one that the caller may read. */
export function formatCursor (order: Order, row: Row): string {
  const values = order.map(({ field }) => row[field.property] ?? null)
  return Buffer.from(JSON.stringify([formatOrder(order), ...values])).toString('base64url')
}

/** Throws invalid_page for a text that is no position. */
export function parseCursor (value: ValueText, direction: Cursor['direction']): Cursor {
  const decoded = decode(value.text)
  if (!Array.isArray(decoded)) throw invalid(value.at)
  const [order, ...values]: unknown[] = decoded
  if (typeof order !== 'string') throw invalid(value.at)
  return { direction, order, values, at: value.at }
}

/** What holds for the items beyond the position. Throws invalid_page where it does not fit the order. */
export function planCursor (position: Cursor | undefined, order: Order): Predicate {
  if (position === undefined) return always
  // No link holds one; made by hand, it would find out the values of a key that must not be read.
  if (!order.every(({ field }) => field.readable)) throw invalid(position.at)
  if (position.order !== formatOrder(order) || position.values.length !== order.length) {
    throw invalidPage(`The cursor in '${position.at.parameter}' belongs to another sort order than this request's.`, position.at)
  }
  const values = order.map(({ field }, index) => check(position.values[index], field, position.at))
  return afterCursor(position.direction === 'after' ? order : reverse(order), values)
}

/** What holds for the items after the one that has these values of the order. */
export function afterCursor (order: Order, values: readonly (Scalar | null)[]): Predicate {
  const beyond = any(order.map((term, index) => all([
    ...order.slice(0, index).map(({ field }, before) => equals(field, values[before] ?? null)),
    follows(term, values[index] ?? null)
  ])))
  const [first] = order
  return first === undefined || order.length === 1 ? beyond : all([...reaches(first, values[0] ?? null), beyond])
}

/**
 * What the alternatives imply for the first term, said aloud: an index then begins at the position, where alternatives alone would have it read
 * all that lies before. Nulls behind the values leave nothing to say.
 */
function reaches ({ field, descending }: OrderTerm, value: Scalar | null): readonly Predicate[] {
  if (value === null || (field.nullable && !descending)) return []
  return [{ kind: 'compare', field, operator: descending ? 'at_most' : 'at_least', value }]
}

const formatOrder = memoize((order: Order) => order.map(({ field, descending }) => `${descending ? '-' : ''}${field.name}`).join(','))

function decode (text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

/**
 * A position may come from anywhere, so its values are held to the field's JavaScript type. Not to its format: the order is of what is
 * stored, also where the application stored what the schema would refuse.
 */
function check (value: unknown, field: DataField, at: TextPlace): Scalar | null {
  if (value === null && field.nullable) return null
  const { kind } = field.type
  if (typeof value === 'number' && (kind === 'integer' || kind === 'number')) return value
  if (typeof value === 'boolean' && kind === 'boolean') return value
  if (typeof value === 'string' && !value.includes('\0') && kind !== 'integer' && kind !== 'number' && kind !== 'boolean') return value
  throw invalid(at)
}

const invalid = (at: TextPlace) => invalidPage(`'${at.parameter}' takes a cursor from one of this API's links.`, at)

/** Nulls sort last ascending and first descending. */
function follows ({ field, descending }: OrderTerm, value: Scalar | null): Predicate {
  if (descending) {
    if (value === null) return { kind: 'compare', field, operator: 'not_equals', value: null }
    return { kind: 'compare', field, operator: 'less', value }
  }
  if (value === null) return never
  const greater: Predicate = { kind: 'compare', field, operator: 'greater', value }
  return field.nullable ? any([greater, equals(field, null)]) : greater
}
