import type { DataField } from '../../model/model.ts'
import { memoize } from '../../memoize.ts'

/** Reads a value of an object as it is compared and shown: nothing and null are one, a Date is its text, a number is one that JSON has. */
export type Reader = (row: object) => unknown

/** What reads a field. To be had once for many rows. */
export const readerOf = memoize((field: DataField): Reader => {
  if (field.kind === 'stored') return propertyReader(field.property, field.type.kind)
  const { memory } = field.expression
  if (memory === undefined) throw new TypeError(`the expression '${field.property}' has no part for memory`)
  return row => canonical(memory(row as Readonly<Record<string, unknown>>), field.type.kind)
})

export const valueOf = (row: object, field: DataField): unknown => readerOf(field)(row)

/** What reads a property of the object itself or of its class, never one that every object has. */
export function propertyReader (property: string, kind?: string): Reader {
  if (property in Object.prototype) return row => Object.hasOwn(row, property) ? canonical((row as Record<string, unknown>)[property], kind) : null
  return row => canonical((row as Record<string, unknown>)[property], kind)
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
