import type { TSchema } from '@sinclair/typebox'
import { tokenOf } from '../errors/place.ts'
import type { PlainViolation } from '../errors/violation.ts'
import { memoize } from '../scheduling/memoize.ts'
import { formatTypes, takeText, typeOfFormat } from './formats.ts'
import type { ValueKind } from './kinds.ts'
import { decimalKey } from './numbers.ts'
import { type Operator, operatorsOf } from './operators.ts'

export * from './operators.ts'
export { formatTypes } from './formats.ts'
export type { ValueKind } from './kinds.ts'

/** A type of values, and the information of the schemas around it: Optional and unions with null. */
export interface Described {
  readonly type: ValueType
  /** True if a value can be null or absent. */
  readonly nullable: boolean
  /** True if a value can be absent but not null: the application then sees undefined in place of null. */
  readonly omitted: boolean
  /** True if a new item can be created without the value. */
  readonly optional: boolean
}

/** Returns the type of values that a schema declares, or undefined for a type that JSON cannot represent. */
export function describeValues (schema: TSchema, optional: boolean): Described | undefined {
  const { members, nullable } = alternatives(schema)
  const type = typeOf(members)
  return type && { type, nullable: nullable || optional, omitted: optional && !nullable, optional }
}

/** Returns the elements that the schema of an array declares; undefined for any other schema. */
export const describeElements = memoize((schema: TSchema): Described | undefined => {
  const members = [schema, ...schema['anyOf'] as readonly TSchema[] | undefined ?? []]
  const items = members.find(one => one['items'] !== undefined)?.['items'] as TSchema | undefined
  const described = items && describeValues(items, false)
  // No value at all is no element, so that a schema without a type takes null.
  return described && { ...described, nullable: described.nullable || isOfAnyType(items) }
})

const isOfAnyType = (schema: TSchema) => ['type', 'const', 'enum', 'anyOf'].every(name => schema[name] === undefined)

interface Alternatives { readonly members: readonly TSchema[], readonly nullable: boolean }

/** Returns the schemas of which a value must match one, without null: unions, enums, and lists of types. */
function alternatives (schema: TSchema): Alternatives {
  if (schema['nullable'] === true) return { ...alternatives({ ...schema, nullable: false }), nullable: true }
  if (schema['type'] === 'null' || schema['const'] === null) return { members: [], nullable: true }
  if (Array.isArray(schema['enum'])) {
    const values = schema['enum'].filter(value => value !== null)
    const members = values.map(value => ({ ...schema, enum: undefined, const: value }))
    return { members, nullable: members.length < schema['enum'].length }
  }
  if (Array.isArray(schema['type'])) return join(schema['type'].map(type => ({ ...schema, type })))
  return Array.isArray(schema['anyOf']) ? join(schema['anyOf']) : { members: [schema], nullable: false }
}

function join (schemas: readonly TSchema[]): Alternatives {
  const parts = schemas.map(alternatives)
  return { members: parts.flatMap(part => part.members), nullable: parts.some(part => part.nullable) }
}

function typeOf (members: readonly TSchema[]): ValueType | undefined {
  if (members.some(member => unsupported.has(member['type']))) return undefined
  const choices = members.map(member => member['const']).filter(isScalar)
  if (choices.length > 0 && choices.length === members.length) return choiceType(choices)
  const [only, ...others] = members.map(memberType)
  if (only === undefined) return jsonType
  if (others.every(type => type === only)) return only
  return [only, ...others].some(({ kind }) => kind === 'json') ? jsonType : unionType([only, ...others])
}

function memberType (member: TSchema): ValueType {
  if (isScalar(member['const'])) return choiceType([member['const']])
  return types[String(member['type'])]?.(member) ?? jsonType
}

/** The TypeBox types that JSON cannot represent. */
const unsupported: ReadonlySet<unknown> = new Set([
  'Date', 'bigint', 'symbol', 'undefined', 'void', 'Uint8Array',
  'Function', 'Constructor', 'Promise', 'Iterator', 'AsyncIterator'
])

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const types: Readonly<Record<string, (schema: TSchema) => ValueType>> = {
  integer: () => integerType,
  number: () => numberType,
  boolean: () => booleanType,
  string: schema => typeOfFormat(schema['format']) ?? stringType
}

const jsonType: ValueType = {
  kind: 'json',
  expected: 'valid JSON without NUL characters and with finite numbers',
  operators: new Set(),
  parse: () => undefined,
  take: takeJson
}

export const exactJsonType: ValueType = { ...jsonType, kind: 'exact_json' }

/** Takes JSON that every source can store. */
function takeJson (value: unknown): unknown {
  return value === null || value === undefined || faultsIn(value).length > 0 ? undefined : value
}

/** Returns what no source can store of a value of JSON. The pointers are relative to it. */
export function faultsIn (value: unknown): readonly PlainViolation[] {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'number' && !Number.isFinite(value)) return beyondDoubles
    const found = typeof value === 'string' ? unstorableIn(value) : undefined
    return found === undefined ? none : [{ pointer: '', message: `must not contain ${found}` }]
  }
  let faults: PlainViolation[] | undefined
  for (const [name, member] of Object.entries(value)) {
    const found = unstorableIn(name)
    const inside = faultsIn(member)
    if (found === undefined && inside.length === 0) continue
    faults ??= []
    const token = tokenOf(name)
    if (found !== undefined) faults.push({ pointer: token, message: `has a name that contains ${found}` })
    for (const { pointer, message } of inside) faults.push({ pointer: token + pointer, message })
  }
  return faults ?? none
}

const none: readonly PlainViolation[] = []
const beyondDoubles: readonly PlainViolation[] = [{ pointer: '', message: 'must be within the range of a double' }]

function unstorableIn (text: string): string | undefined {
  if (parseText(text) !== undefined) return undefined
  return text.includes('\0') ? 'a NUL character' : 'half of a surrogate pair'
}

// PostgreSQL cannot store NUL, and SQLite's text functions stop at it. Neither accepts half a surrogate pair as a
// character. All sources refuse both, so that they agree.
function parseText (text: string): string | undefined {
  return /[\0\p{Surrogate}]/u.test(text) ? undefined : text
}

export const stringType: ValueType = {
  kind: 'string',
  expected: 'a string of valid Unicode without NUL characters',
  operators: operatorsOf('equality', 'ordering', 'text'),
  parse: parseText,
  take: takeText(parseText)
}

export const integerType: ValueType = {
  kind: 'integer',
  expected: `an integer between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`,
  operators: operatorsOf('equality', 'ordering'),
  // A value has one spelling: 01, 1.0 and 1e0 do not identify an item. An integer of 64 bits that a double cannot hold
  // stays text, as it is shown.
  parse (text) {
    if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return undefined
    const value = Number(text)
    return Number.isSafeInteger(value) ? value : formatTypes.int64.parse(text)
  },
  take: value => Number.isSafeInteger(value) ? Number(value) + 0 : undefined
}

export const numberType: ValueType = {
  kind: 'number',
  expected: 'a number',
  operators: operatorsOf('equality', 'ordering'),
  parse (text) {
    if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return text
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined
    const value = Number(text)
    if (isExactInteger(text, value)) {
      const exact = formatTypes.int64.parse(text)
      if (exact !== undefined || isRounded(text, value)) return exact
    }
    // Adding 0 turns minus zero into zero: the two are equal on every source, but their texts differ.
    return Number.isFinite(value) ? value + 0 : undefined
  },
  take: value => typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined
}

/**
 * Returns true for a whole number that JavaScript would write with other digits: as a double it would find other values
 * in a column of integers, such as 10000000000000000 for 10000000000000001. It stays text, as it is shown.
 */
const isExactInteger = (text: string, value: number) =>
  Number.isFinite(value) && /^-?\d{16,}$/.test(text) && text !== String(value)

/** Returns true for a whole number that no double equals or is written as. */
const isRounded = (text: string, value: number) =>
  BigInt(text) !== BigInt(value) && decimalKey(text) !== decimalKey(String(value))

const booleanType: ValueType = {
  kind: 'boolean',
  expected: 'true or false',
  operators: operatorsOf('equality'),
  parse: text => text === 'true' ? true : text === 'false' ? false : undefined,
  take: value => typeof value === 'boolean' ? value : undefined
}

function choiceType (choices: readonly Scalar[]): ValueType {
  const kinds = new Set(choices.map(choice => typeof choice))
  const byText = new Map(choices.map(choice => [String(choice), choice]))
  const only = kinds.has('string') ? 'string' : kinds.has('number') ? 'number' : 'boolean'
  const kind = kinds.size > 1 ? 'mixed' : only
  return {
    kind,
    expected: `one of ${[...byText.keys()].join(', ')}`,
    operators: kind === 'boolean' ? operatorsOf('equality') : operatorsOf('equality', 'ordering'),
    parse: text => byText.get(text),
    take: value => choices.find(choice => choice === value)
  }
}

/**
 * The type of a union of scalars. A text is converted by the first member that takes it, strings last. Values that are
 * all strings, or all numbers, compare as such; others compare by their texts.
 */
function unionType (members: readonly ValueType[]): ValueType {
  const parsers = [...members.filter(one => one.kind !== 'string'), ...members.filter(one => one.kind === 'string')]
  const kinds = new Set(members.map(({ kind }) => numeric.has(kind) || kind === 'boolean' ? kind : 'string'))
  const [only = 'mixed', ...others] = kinds
  const kind = others.length === 0 ? only : [...kinds].every(one => numeric.has(one)) ? 'number' : 'mixed'
  return {
    kind,
    expected: members.map(one => one.expected).join(' or '),
    operators: operatorsOf('equality', 'ordering', ...kind === 'string' ? ['text'] as const : []),
    parse (text) {
      const values = parsers.map(one => one.parse(text)).filter(value => value !== undefined)
      // Texts are compared: that of the number 1.5 would not find '1.50'.
      return (kind === 'mixed' ? values.find(value => String(value) === text) : undefined) ?? values[0]
    },
    take: value => members.map(one => one.take(value)).find(taken => taken !== undefined)
  }
}

const numeric: ReadonlySet<ValueKind> = new Set(['integer', 'number'])

/** Returns the text of a Date in the form of a type's values: the day, or the timestamp. */
export function textOfDate (date: Date, { kind }: Pick<ValueType, 'kind'>): string {
  if (Number.isNaN(date.getTime())) return ''
  const text = date.toISOString()
  return kind === 'date' ? text.slice(0, text.indexOf('T')) : text
}

/** Returns a value as the application sees it: undefined in place of null if the property's type has no null. */
export function toValue (value: unknown, { omitted }: Pick<Described, 'omitted'>): unknown {
  return omitted && value === null ? undefined : value
}

/**
 * A value of a field, other than null, in the form in which it is shown, bound and written. What JSON cannot carry
 * exactly is text (kinds.ts).
 */
export type Scalar = string | number | boolean

/** A type of values, as a field's schema declares it (docs/http.md: Query strings). */
export interface ValueType {
  readonly kind: ValueKind
  /** The type in messages, such as `an integer`. */
  readonly expected: string
  /** The operators that filters may use. Empty for `json`, which cannot be filtered, sorted or searched. */
  readonly operators: ReadonlySet<Operator>
  /** Converts a text of a URL to the value in canonical form. Returns undefined for a text of another form. */
  parse (text: string): Scalar | undefined
  /** Converts a JSON value to its canonical form. Returns undefined for null and for values of another type. */
  take (value: unknown): unknown
}
