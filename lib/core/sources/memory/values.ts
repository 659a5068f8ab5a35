import { kindOf, show, type ValueKind } from '../../model/kinds.ts'
import type { DataField, StoredField } from '../../model/model.ts'

/**
 * Reads a value of an object, either as it is shown or as it is compared. Shown: null for undefined, 0 for -0, the text
 * of a Date, and text for what JSON cannot represent exactly. Compared: values are equal, and sort, as the results do.
 */
export type Reader = (row: object) => unknown

/** Returns the reader of a field's value as it is shown. */
export function readerOf (field: DataField): Reader {
  if (field.kind === 'stored') return propertyReader(field.property, field.type.kind)
  const { memory } = field.expression
  if (memory === undefined) throw new TypeError(`the expression '${field.property}' has no part for memory`)
  const { show } = kindOf(field.type.kind)
  return row => show(memory(row as Readonly<Record<string, unknown>>))
}

export function comparableReaderOf (field: DataField): Reader {
  const read = readerOf(field)
  const { compare } = kindOf(field.type.kind)
  return compare === undefined ? read : row => compare(read(row))
}

/** Returns an operand of a comparison as it is compared with values of the kind. */
export function comparableOf (value: unknown, kind: ValueKind | undefined): unknown {
  if (Array.isArray(value)) return value.map(one => comparableOf(one, kind))
  return kind === undefined ? value : kindOf(kind).compare?.(value) ?? value
}

/** Reads a property of an object or its class, as it is shown; null for the properties of Object.prototype. */
export const ownValue = (row: object, property: string, kind?: ValueKind): unknown =>
  propertyReader(property, kind)(row)

function propertyReader (property: string, kind?: ValueKind): Reader {
  const toShown = kind === undefined ? show : kindOf(kind).show
  const read: Reader = row => toShown((row as Readonly<Record<string, unknown>>)[property])
  return property in Object.prototype ? row => Object.hasOwn(row, property) ? read(row) : null : read
}

/** A property of rows. `kind` decides how its values are shown and compared. */
export interface RowProperty { readonly property: string, readonly kind?: ValueKind | undefined }

export const columnsOf = (fields: readonly StoredField[]): readonly RowProperty[] =>
  fields.map(({ property, type }) => ({ property, kind: type.kind }))

/** Returns a function that reads the values of columns, as they are shown. */
export function valuesReader (columns: readonly RowProperty[]): (row: object) => readonly unknown[] {
  const readers = columns.map(({ property, kind }) => propertyReader(property, kind))
  return row => readers.map(read => read(row))
}

/** Returns the values of columns as one value that is compared; null if one of them is null. */
export function comparedKey (columns: readonly RowProperty[], values: readonly unknown[]): unknown {
  if (values.includes(null)) return null
  const comparable = columns.map(({ kind }, index) => comparableOf(values[index], kind))
  return comparable.length === 1 ? comparable[0] : JSON.stringify(comparable.map(String))
}
