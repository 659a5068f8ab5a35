import { memoize } from '../../memoize.ts'
import type { DataField } from '../../model/model.ts'
import type { ValueKind } from '../../model/values.ts'
import { quote, textOf } from '../json-text.ts'
import { generate } from './generate.ts'
import { readerOf } from './values.ts'

/** Reads a value of an object, or an item made of it, as JSON text. */
export type TextReader = (row: object) => string

/** Returns the reader of a field's value, as it is shown, as JSON text. */
export const textReaderOf = memoize((field: DataField): TextReader => {
  const read = readerOf(field)
  const any: TextReader = row => textOf(read(row))
  const plain = plainTexts[field.type.kind]
  if (plain === undefined || field.kind !== 'stored' || field.property in Object.prototype) return any
  return generate<(quote: (text: string) => string, any: TextReader) => TextReader>(['quote', 'any'], `return row => {
    const value = row[${JSON.stringify(field.property)}]
    return ${plain} : any(row)
  }`)(quote, any)
})

const text = "typeof value === 'string' ? quote(value)"

// The values that are shown as they are stored, as JavaScript of `value`.
const plainTexts: Readonly<Partial<Record<ValueKind, string>>> = {
  string: text,
  date: text,
  time: text,
  uuid: text,
  integer: "Number.isSafeInteger(value) ? '' + value",
  number: "Number.isFinite(value) ? '' + value",
  boolean: "typeof value === 'boolean' ? '' + value"
}
