import type { DataField } from '../../model/model.ts'

/** A value of an object as it is compared and shown: nothing and null are one, a Date is its text, a number is one that JSON has. */
export function valueOf (row: object, field: DataField): unknown {
  if (field.kind === 'stored') return ownValue(row, field.property, field.type.kind)
  const { memory } = field.expression
  if (memory === undefined) throw new TypeError(`the expression '${field.property}' has no part for memory`)
  return canonical(memory(row as Readonly<Record<string, unknown>>), field.type.kind)
}

/** A property of the object itself or of its class, never one that every object has. */
export function ownValue (row: object, property: string, kind?: string): unknown {
  if (!Object.hasOwn(row, property) && property in Object.prototype) return null
  return canonical((row as Record<string, unknown>)[property], kind)
}

function canonical (value: unknown, kind: string | undefined): unknown {
  if (value === undefined || value === null) return null
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
  if (value instanceof Date) return dateText(value, kind)
  return value
}

function dateText (date: Date, kind: string | undefined): string | null {
  if (Number.isNaN(date.getTime())) return null
  const text = date.toISOString()
  return kind === 'date' ? text.slice(0, text.indexOf('T')) : text
}
