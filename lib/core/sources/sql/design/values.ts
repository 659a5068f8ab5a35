import type { TSchema } from '@sinclair/typebox'
import type { ValueKind } from '../../../model/kinds.ts'
import type { Collection, StoredField } from '../../../model/model.ts'
import { isScalar, type Scalar, textOfDate } from '../../../model/values.ts'
import type { Engine } from '../catalog.ts'
import { isLeftToColumn } from '../needs.ts'
import { sqliteKind } from '../sqlite/kinds.ts'

// The values of designed columns: their defaults, and the conditions that they fulfil.

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

function literal (value: unknown, { type: { kind } }: StoredField, engine: Engine): string {
  if (kind === 'json') return quoteText(JSON.stringify(value))
  if (typeof value === 'boolean') return engine === 'sqlite' ? String(Number(value)) : String(value)
  if (typeof value === 'number') return String(value)
  const text = String(value)
  const bound = engine === 'sqlite' ? sqliteKind(kind).bind(text) : text
  if (kind === 'int64' || typeof bound === 'bigint') return String(bound)
  if (kind !== 'byte') return quoteText(text)
  const hex = Buffer.from(text, 'base64').toString('hex')
  return engine === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`
}

const nowOf: Readonly<Record<Engine, Readonly<Partial<Record<ValueKind, string>>>>> = {
  sqlite: { date: "(date('now'))", 'date-time': "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))" },
  postgres: { date: 'current_date', 'date-time': 'now()' }
}

/** Returns the default of a column: as declared; the time of a creation where nothing else fills the field. */
export function defaultOf (field: StoredField, collection: Collection, engine: Engine): string | undefined {
  const { schema: { default: given }, type } = field
  if (given !== undefined && given !== null) {
    return literal(type.take(given instanceof Date ? textOfDate(given, type) : given) ?? given, field, engine)
  }
  return needsValue(field, collection) ? nowOf[engine][type.kind] : undefined
}

/** Returns true for a field that must have a value, which its column is to give. */
export const needsValue = (field: StoredField, collection: Collection): boolean =>
  !field.nullable && isLeftToColumn(field, collection)

type Range = (column: string, bound: number) => string

const ofNumbers: Readonly<Record<string, Range>> = {
  minimum: (column, bound) => `${column} >= ${bound}`,
  maximum: (column, bound) => `${column} <= ${bound}`,
  exclusiveMinimum: (column, bound) => `${column} > ${bound}`,
  exclusiveMaximum: (column, bound) => `${column} < ${bound}`
}
const ofTexts: Readonly<Record<string, Range>> = {
  minLength: (column, bound) => `length(${column}) >= ${bound}`,
  maxLength: (column, bound) => `length(${column}) <= ${bound}`
}
const ranges: Readonly<Partial<Record<ValueKind, Readonly<Record<string, Range>>>>> =
  { integer: ofNumbers, number: ofNumbers, string: ofTexts }

/** Returns the conditions of a column's values: an enum, and the bounds of numbers and of lengths. */
export function checksOf (field: StoredField, { setters }: Collection, column: string): readonly string[] {
  const { type: { kind }, schema, property } = field
  const known = ranges[kind]
  // The application's setter may store another value than the client gives.
  if (known === undefined || setters.has(property)) return []
  const members = membersOf(schema)
  const choices = members.map(member => member['const'] as unknown).filter(isScalar)
  if (choices.length === members.length) return [`${column} in (${choices.map(choice).join(', ')})`]
  const [only, ...others] = members
  if (only === undefined || others.length > 0) return []
  return Object.entries(known).flatMap(([keyword, range]) => {
    const bound: unknown = only[keyword]
    return typeof bound === 'number' ? [range(column, bound)] : []
  })
}

const choice = (value: Scalar) => typeof value === 'string' ? quoteText(value) : String(value)

/** Returns the schemas of which a value that is not null must match one. */
function membersOf (schema: TSchema): readonly TSchema[] {
  if (Array.isArray(schema['anyOf'])) return (schema['anyOf'] as readonly TSchema[]).flatMap(membersOf)
  if (Array.isArray(schema['enum'])) {
    return schema['enum'].filter(value => value !== null).map((value: unknown) => ({ ...schema, const: value }))
  }
  return schema['type'] === 'null' || schema['const'] === null ? [] : [schema]
}
