import type { DataField, StoredField } from '../../model/model.ts'
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

/** A property of rows as an index holds it. `kind` decides how a Date is read. */
export interface Column { readonly property: string, readonly kind?: string | undefined }

/** Returns the columns of stored fields. */
export const columnsOf = memoize((fields: readonly StoredField[]): readonly Column[] =>
  fields.map(({ property, type }) => ({ property, kind: type.kind })))

/** Returns a reader of columns, in the form of toIndexed(). */
export function columnsReader (columns: readonly Column[]): Reader {
  const readers = columns.map(({ property, kind }) => propertyReader(property, kind))
  const [only, ...others] = readers
  return only !== undefined && others.length === 0 ? only : row => toIndexed(readers.map(read => read(row)))
}

/** Returns the reader of a key or foreign key, in the form of toIndexed(). */
export const keyReaderOf = memoize((fields: readonly StoredField[]): Reader => columnsReader(columnsOf(fields)))

/** Returns the values of columns as one value, by which an index finds them: null if one of several is null. */
export function toIndexed (values: readonly unknown[]): unknown {
  if (values.length === 1) return values[0]
  return values.includes(null) ? null : JSON.stringify(values)
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
