import type { DataField } from '../../model/model.ts'
import { memoize } from '../../memoize.ts'

/**
 * Reads a value of an object in the form that is compared and shown: null for undefined and for a number that JSON does
 * not have, 0 for -0, the text of a Date.
 */
export type Reader = (row: object) => unknown

/** Returns the reader of a field. A caller that reads many rows gets it once. */
export const readerOf = memoize((field: DataField): Reader => {
  if (field.kind === 'stored') return propertyReader(field.property, field.type.kind)
  const { memory } = field.expression
  if (memory === undefined) throw new TypeError(`the expression '${field.property}' has no part for memory`)
  return row => canonical(memory(row as Readonly<Record<string, unknown>>), field.type.kind)
})

export const valueOf = (row: object, field: DataField): unknown => readerOf(field)(row)

/** Returns a reader of a property of an object or its class. It ignores the properties of Object.prototype. */
export function propertyReader (property: string, kind?: string): Reader {
  const read: Reader = row => canonical((row as Record<string, unknown>)[property], kind)
  return property in Object.prototype ? row => Object.hasOwn(row, property) ? read(row) : null : read
}

export const ownValue = (row: object, property: string, kind?: string): unknown => propertyReader(property, kind)(row)

function canonical (value: unknown, kind: string | undefined): unknown {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
  if (value === undefined || value === null) return null
  return value instanceof Date ? dateText(value, kind) : value
}

function dateText (date: Date, kind: string | undefined): string | null {
  if (Number.isNaN(date.getTime())) return null
  const text = date.toISOString()
  return kind === 'date' ? text.slice(0, text.indexOf('T')) : text
}
