import type { DataField, StoredField } from '../../model/model.ts'
import { memoize } from '../../memoize.ts'
import { plainDecimal } from '../../model/decimals.ts'
import { toMoment } from '../../model/moments.ts'
import { showInteger } from '../../model/numbers.ts'
import { comparableOf } from './comparable.ts'
import { generate } from './generate.ts'

/**
 * Reads a value of an object, either as it is shown or as it is compared. Shown: null for undefined, 0 for -0, the text
 * of a Date, and text for what JSON cannot represent exactly.
 */
export type Reader = (row: object) => unknown

/** Returns the reader of a field's value as it is shown. A caller that reads many rows gets it once. */
export const readerOf = memoize((field: DataField): Reader => {
  if (field.kind === 'stored') return propertyReader(field.property, field.type.kind)
  const { memory } = field.expression
  if (memory === undefined) throw new TypeError(`the expression '${field.property}' has no part for memory`)
  const show = showerOf(field.type.kind)
  return row => show(memory(row as Readonly<Record<string, unknown>>))
})

/** Returns the reader of a field's value as it is compared. */
export const comparableReaderOf = memoize((field: DataField): Reader => {
  const read = readerOf(field)
  const toComparable = comparableOf(field.type.kind)
  return toComparable === undefined ? read : row => toComparable(read(row))
})

export const valueOf = (row: object, field: DataField): unknown => readerOf(field)(row)

/** Returns a reader of a property of an object or its class. It ignores the properties of Object.prototype. */
function propertyReader (property: string, kind = ''): Reader {
  const readers = readersOf(kind)
  const reader = readers.get(property) ?? makeReader(property, kind)
  readers.set(property, reader)
  return reader
}

/** The readers of the declared properties, by kind and property. */
const allReaders = new Map<string, Map<string, Reader>>()

function readersOf (kind: string): Map<string, Reader> {
  const readers = allReaders.get(kind) ?? new Map<string, Reader>()
  allReaders.set(kind, readers)
  return readers
}

function makeReader (property: string, kind: string): Reader {
  const show = showerOf(kind)
  if (property in Object.prototype) {
    return row => Object.hasOwn(row, property) ? show((row as Record<string, unknown>)[property]) : null
  }
  // A moment is the only text that is shown in another form.
  const shown = kind === 'date-time' ? 'show(value)' : "typeof value === 'string' ? value : show(value)"
  return generate<(show: Shower) => Reader>(
    ['show'], `return row => { const value = row[${JSON.stringify(property)}]; return ${shown} }`
  )(show)
}

/** A property of rows as an index holds it. `kind` decides how a Date is read. */
export interface Column { readonly property: string, readonly kind?: string | undefined }

/** Returns the columns of stored fields. */
export const columnsOf = memoize((fields: readonly StoredField[]): readonly Column[] =>
  fields.map(({ property, type }) => ({ property, kind: type.kind })))

/** Returns the column of one field, alone in a list. */
export const columnOf = memoize((field: DataField): readonly Column[] =>
  [{ property: field.property, kind: field.type.kind }])

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

type Shower = (value: unknown) => unknown

/** Returns the function that makes what is shown of what an object holds. */
const showerOf = (kind: string): Shower => showers.get(kind) ?? show

const showers: ReadonlyMap<string, Shower> = new Map<string, Shower>([
  ['integer', value => typeof value === 'number' ? showInteger(value) : show(value)],
  ['int64', value => typeof value === 'number' && Number.isInteger(value) ? String(BigInt(value)) : showText(value)],
  ['decimal', showText],
  ['byte', value => value instanceof Uint8Array ? Buffer.from(value).toString('base64') : show(value)],
  ['date', value => value instanceof Date ? dateText(value)?.split('T', 1)[0] ?? null : show(value)],
  ['date-time', showMoment]
])

/** Returns true for a moment in the form of Date.prototype.toISOString(). */
const isCanonical = (text: string) => text.length === 24 && text[10] === 'T' && text[23] === 'Z'

function showMoment (value: unknown): unknown {
  if (typeof value === 'string') return isCanonical(value) ? value : toMoment(value) ?? value
  return typeof value === 'number' ? toMoment(value) ?? show(value) : show(value)
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
