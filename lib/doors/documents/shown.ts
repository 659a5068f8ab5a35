import type { ValueView } from '../../core/api/face.ts'
import { isObject } from '../../core/errors/is-object.ts'
import type { Components } from './components.ts'
import type { Schema } from './objects.ts'
import { fieldSchema, timePattern } from './value-schema.ts'

/**
 * Returns the schema of a field's value in answers: the values of its type, and the texts as which its column shows
 * other values that it may hold (docs/clients.md: Values of databases).
 */
export const shownSchema = (field: ValueView, components?: Components): Schema =>
  withRange(fieldSchema(field, 'answer', components), field.range)

function withRange (schema: Schema, range: ValueView['range']): Schema {
  if (range === undefined || schema['enum'] !== undefined) return schema
  const types = typesOf(schema)
  if (typeof range === 'object') {
    return types.includes('array') && isObject(schema['items'])
      ? { ...schema, items: orNull(withRange(schema['items'], range.elements)) }
      : schema
  }
  const format = String(schema['format'])
  if (range === 'day') return farTexts[format] === undefined ? schema : withText(schema, farTexts[format])
  if (range === 'time') return schema['pattern'] === timePattern ? { ...schema, pattern: wideTimePattern } : schema
  const kind = types.find(type => type === 'integer' || type === 'number')
  // Who declares a bound says what there is.
  if (kind === undefined || schema['maximum'] !== undefined) return schema
  return { ...schema, type: addType(types, 'string'), pattern: numberTexts[kind][range] }
}

const typesOf = ({ type }: Schema): readonly unknown[] => [type].flat()

/** Null is the last. */
const addType = (types: readonly unknown[], type: string) =>
  [...types.filter(one => one !== 'null'), type, ...types.filter(one => one === 'null')]

/** Adds texts of a pattern to those of a format. */
function withText ({ type, format, ...annotations }: Schema, pattern: string): Schema {
  const others = [type].flat().includes('null') ? [{ type: 'null' }] : []
  return { ...annotations, anyOf: [{ type: 'string', format }, { type: 'string', pattern }, ...others] }
}

function orNull (schema: Schema): Schema {
  const { type, anyOf, enum: choices } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf as readonly Schema[], { type: 'null' }] }
  if ('$ref' in schema) return { anyOf: [schema, { type: 'null' }] }
  if (type === undefined || typesOf(schema).includes('null')) return schema
  const ofNull = { ...schema, type: [type, 'null'].flat() }
  return Array.isArray(choices) ? { ...ofNull, enum: [...choices as unknown[], null] } : ofNull
}

const digits = '^-?\\d{16,19}$'
const anyNumber = '^(NaN|-?Infinity|-?\\d+(\\.\\d+)?(e[-+]\\d+)?)$'

/** The texts of numbers that a field of a type does not show as numbers. */
const numberTexts = {
  integer: { int64: digits, decimal: anyNumber, float: anyNumber },
  number: { int64: digits, decimal: '^(NaN|-?Infinity|-?\\d{16,19})$', float: '^(NaN|-?Infinity)$' }
} as const

/** The days and moments outside of the years 1 to 9999, as PostgreSQL writes them. */
const farTexts: Readonly<Record<string, string | undefined>> = {
  date: '^(-?infinity|\\d{4}-\\d\\d-\\d\\d BC|\\d{5,7}-\\d\\d-\\d\\d)$',
  'date-time': '^(-?infinity|\\d{4,6}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z( BC)?)$'
}

/** The times of a column, with the end of a day and zones that count seconds. */
const wideTimePattern =
  '^(([01]\\d|2[0-3]):[0-5]\\d:([0-5]\\d|60)(\\.\\d+)?|24:00:00)([Zz]|[+-]\\d{2}(:?\\d{2}){0,2})?$'
