import { decimalKey, plainDecimal, showInteger, toTimestamp } from '../../model/numbers.ts'
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
  const show = showerOf(field.type.kind)
  return row => show(memory(row as Readonly<Record<string, unknown>>))
}

/** Returns the reader of a field's value as it is compared. */
export function comparableReaderOf (field: DataField): Reader {
  const read = readerOf(field)
  const toComparable = comparables.get(field.type.kind)
  return toComparable === undefined ? read : row => toComparable(read(row))
}

/** Returns an operand of a comparison as it is compared with values of the kind. */
export function comparableOf (value: unknown, kind: string | undefined): unknown {
  if (Array.isArray(value)) return value.map(one => comparableOf(one, kind))
  return comparables.get(kind ?? '')?.(value) ?? value
}

/** Reads a property of an object or its class, as it is shown; null for the properties of Object.prototype. */
export const ownValue = (row: object, property: string, kind?: string): unknown => propertyReader(property, kind)(row)

function propertyReader (property: string, kind = ''): Reader {
  const show = showerOf(kind)
  const read: Reader = row => show((row as Readonly<Record<string, unknown>>)[property])
  return property in Object.prototype ? row => Object.hasOwn(row, property) ? read(row) : null : read
}

/** A property of rows. `kind` decides how its values are shown and compared. */
export interface Column { readonly property: string, readonly kind?: string | undefined }

/** Returns the columns of stored fields. */
export const columnsOf = (fields: readonly StoredField[]): readonly Column[] =>
  fields.map(({ property, type }) => ({ property, kind: type.kind }))

/** Returns a function that reads the values of columns, as they are shown. */
export function valuesReader (columns: readonly Column[]): (row: object) => readonly unknown[] {
  const readers = columns.map(({ property, kind }) => propertyReader(property, kind))
  return row => readers.map(read => read(row))
}

/** Returns the values of columns as one value that is compared; null if one of them is null. */
export function keyOf (columns: readonly Column[], values: readonly unknown[]): unknown {
  if (values.includes(null)) return null
  const comparable = columns.map(({ kind }, index) => comparableOf(values[index], kind))
  return comparable.length === 1 ? comparable[0] : JSON.stringify(comparable.map(String))
}

type Convert = (value: unknown) => unknown

const showerOf = (kind: string): Convert => showers.get(kind) ?? show

const showers: ReadonlyMap<string, Convert> = new Map<string, Convert>([
  ['integer', value => typeof value === 'number' ? showInteger(value) : show(value)],
  ['int64', value => typeof value === 'number' && Number.isInteger(value) ? String(BigInt(value)) : showText(value)],
  ['decimal', showText],
  ['byte', value => value instanceof Uint8Array ? Buffer.from(value).toString('base64') : show(value)],
  ['date', value => value instanceof Date ? dateText(value)?.split('T', 1)[0] ?? null : show(value)],
  ['date-time', value => isTimestamp(value) ? toTimestamp(value) ?? show(value) : show(value)]
])

/** Returns true for what may be a timestamp in another form than that of Date.prototype.toISOString(). */
function isTimestamp (value: unknown): value is string | number {
  if (typeof value === 'number') return true
  return typeof value === 'string' && !(value.length === 24 && value[10] === 'T' && value.endsWith('Z'))
}

function showText (value: unknown): unknown {
  const shown = show(value)
  return typeof shown === 'number' ? plainDecimal(String(shown)) : shown
}

function show (value: unknown): unknown {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : String(value)
  if (value === undefined || value === null) return null
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  return value instanceof Date ? dateText(value) : value
}

const dateText = (date: Date): string | null => Number.isNaN(date.getTime()) ? null : date.toISOString()

const ofText = (convert: (text: string) => unknown): Convert =>
  shown => typeof shown === 'string' ? convert(shown) : shown

/** Text that is no integer stays as it is. */
const toInteger = (text: string): unknown => /^-?\d+$/.test(text) ? exact(text) : text

/** Text that is no number stays as it is, and so sorts after all numbers. NaN does too. */
function toNumber (text: string): unknown {
  const number = Number(text)
  if (Number.isNaN(number)) return text
  return /^-?\d+$/.test(text) ? exact(text) : number
}

/** A number where it is exact, otherwise a BigInt. */
function exact (text: string): number | bigint {
  const number = Number(text)
  return Number.isFinite(number) && BigInt(number) === BigInt(text) ? number : BigInt(text)
}

/** Make what is compared of what is shown. Values of other kinds are compared as they are shown. */
const comparables: ReadonlyMap<string, Convert> = new Map([
  ['integer', ofText(toNumber)],
  ['int64', ofText(toInteger)],
  ['number', ofText(toNumber)],
  ['decimal', ofText(decimalKey)],
  ['byte', ofText(text => Buffer.from(text, 'base64').toString('latin1'))],
  ['mixed', shown => shown === null ? null : String(shown)]
])
