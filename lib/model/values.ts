import type { TSchema } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import addFormatsModule from 'ajv-formats'

// ajv-formats is CommonJS with a default export of its own; under nodenext its types name the module.
const addFormats = addFormatsModule.default

/** A value of a field as it is compared, bound and written, null aside. */
export type Scalar = string | number | boolean

export const operators = [
  'equals', 'not_equals', 'greater', 'less', 'at_least', 'at_most', 'in', 'not_in',
  'starts_with', 'ends_with', 'contains',
  'equals_ignoring_case', 'starts_with_ignoring_case', 'ends_with_ignoring_case', 'contains_ignoring_case'
] as const
export type Operator = typeof operators[number]

const equality: readonly Operator[] = ['equals', 'not_equals', 'in', 'not_in']
const ordering: readonly Operator[] = ['greater', 'less', 'at_least', 'at_most']
const text: readonly Operator[] = [
  'starts_with', 'ends_with', 'contains', 'equals_ignoring_case', 'starts_with_ignoring_case', 'ends_with_ignoring_case', 'contains_ignoring_case'
]

export type ValueKind = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'date-time' | 'time' | 'uuid' | 'json'

/** What is known of a field's values from its schema (docs/http.md: Query strings). */
export interface ValueType {
  readonly kind: ValueKind
  /** For messages, such as `an integer`. */
  readonly expected: string
  /** The operators that a filter may use. Empty for `json`, which can be neither filtered, sorted nor searched. */
  readonly operators: ReadonlySet<Operator>
  /** The value that the text stands for, in canonical form, or nothing where the text is none. */
  parse (text: string): Scalar | undefined
  /** The value of JSON in canonical form, or nothing where it is none of the type. Null is none. */
  take (value: unknown): unknown
}

/** A field's schema without its wrappings: Optional, and unions with null. */
export interface Described {
  readonly type: ValueType
  readonly nullable: boolean
  /** Whether there is no null among the values, so that one that is missing is left out. */
  readonly omitted: boolean
  /** Whether a new item may be given without it. */
  readonly optional: boolean
}

/** Reads the type of a field's values off its schema. Nothing where the schema describes what JSON cannot carry. */
export function describeValues (schema: TSchema, optional: boolean): Described | undefined {
  const { members, nullable } = alternatives(schema)
  const type = typeOf(members)
  return type && { type, nullable: nullable || optional, omitted: optional && !nullable, optional }
}

interface Alternatives { readonly members: readonly TSchema[], readonly nullable: boolean }

function alternatives (schema: TSchema): Alternatives {
  if (schema['type'] === 'null' || schema['const'] === null) return { members: [], nullable: true }
  if (Array.isArray(schema['enum'])) {
    const members = schema['enum'].filter(value => value !== null).map(value => ({ ...schema, enum: undefined, const: value }))
    return { members, nullable: members.length < schema['enum'].length }
  }
  if (!Array.isArray(schema['anyOf'])) return { members: [schema], nullable: false }
  const parts = schema['anyOf'].map(alternatives)
  return { members: parts.flatMap(part => part.members), nullable: parts.some(part => part.nullable) }
}

function typeOf (members: readonly TSchema[]): ValueType | undefined {
  if (members.some(member => unsupported.has(member['type']))) return undefined
  const choices = members.map(member => member['const']).filter(isScalar)
  if (choices.length > 0 && choices.length === members.length) return choiceType(choices)
  const [only, ...others] = members
  if (only === undefined || others.length > 0) return jsonType
  const maker = types[String(only['type'])]
  return maker === undefined ? jsonType : maker(only)
}

/** TypeBox types that JSON has no word for. */
const unsupported: ReadonlySet<unknown> = new Set(['Date', 'bigint', 'symbol', 'undefined', 'void', 'Uint8Array', 'Function', 'Constructor', 'Promise', 'Iterator', 'AsyncIterator'])

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value)

const types: Readonly<Record<string, (schema: TSchema) => ValueType>> = {
  integer: () => integerType,
  number: () => numberType,
  boolean: () => booleanType,
  string: schema => formatTypes[String(schema['format'])] ?? stringType
}

const jsonType: ValueType = { kind: 'json', expected: 'valid JSON without NUL characters and with finite numbers', operators: new Set(), parse: () => undefined, take: takeJson }

/** JSON that every source can hold: its texts are as those of strings, and its numbers are numbers. */
function takeJson (value: unknown): unknown {
  return value === null || value === undefined || !isStorable(value) ? undefined : value
}

function isStorable (value: unknown): boolean {
  if (typeof value === 'string') return parseText(value) !== undefined
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, member]) => parseText(name) !== undefined && isStorable(member))
}

/** Types whose values are texts in JSON too. */
const takeText = (parse: ValueType['parse']): ValueType['take'] => value => typeof value === 'string' ? parse(value) : undefined

// PostgreSQL cannot hold NUL and SQLite's text functions stop at it; half a surrogate pair is no character to either. Refused alike everywhere.
function parseText (text: string): string | undefined {
  return /[\0\p{Surrogate}]/u.test(text) ? undefined : text
}

const stringType: ValueType = {
  kind: 'string',
  expected: 'a string of valid Unicode without NUL characters',
  operators: new Set([...equality, ...ordering, ...text]),
  parse: parseText,
  take: takeText(parseText)
}

const integerType: ValueType = {
  kind: 'integer',
  expected: `an integer between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`,
  operators: new Set([...equality, ...ordering]),
  // One spelling a value, so that 01, 1.0 and 1e0 name no item.
  parse (text) {
    if (!/^(?:0|-?[1-9]\d{0,15})$/.test(text)) return undefined
    const value = Number(text)
    return Number.isSafeInteger(value) ? value : undefined
  },
  take: value => Number.isSafeInteger(value) ? Number(value) + 0 : undefined
}

const numberType: ValueType = {
  kind: 'number',
  expected: 'a number',
  operators: new Set([...equality, ...ordering]),
  parse (text) {
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined
    const value = Number(text)
    // Minus zero equals zero on every source, but is written differently.
    return Number.isFinite(value) ? value + 0 : undefined
  },
  take: value => typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined
}

const booleanType: ValueType = {
  kind: 'boolean',
  expected: 'true or false',
  operators: new Set(equality),
  parse: text => text === 'true' ? true : text === 'false' ? false : undefined,
  take: value => typeof value === 'boolean' ? value : undefined
}

const ajv = addFormats(new Ajv())

/** The very check that bodies get, so that what can be written can be asked for. */
const isFormat = (format: string) => ajv.compile<string>({ type: 'string', format })

const isDate = isFormat('date')
const isDateTime = isFormat('date-time')
const isTime = isFormat('iso-time')
const isUuid = isFormat('uuid')

const parsers = {
  // Calendars of databases begin with the year 1.
  date: (text: string) => isDate(text) && !text.startsWith('0000') ? text : undefined,
  // Canonical: UTC with three digits of milliseconds, so that the order of the texts is the order of the instants.
  'date-time': (text: string) => {
    if (!isDateTime(text) || /\.\d{4,}/.test(text)) return undefined
    const instant = new Date(text)
    const canonical = Number.isNaN(instant.getTime()) ? '' : instant.toISOString()
    // Years of four digits only: others would be longer, and their order as texts another.
    return /^(?!0000)\d{4}-/.test(canonical) ? canonical : undefined
  },
  time: (text: string) => isTime(text) ? text : undefined,
  uuid: (text: string) => isUuid(text) && !text.toLowerCase().startsWith('urn:') ? text.toLowerCase() : undefined
} as const satisfies Record<string, ValueType['parse']>

/** The formats of strings that are types of their own. */
export const formatTypes: Readonly<Record<string, ValueType>> = {
  date: {
    kind: 'date',
    expected: 'a date such as 2001-12-31',
    operators: new Set([...equality, ...ordering]),
    parse: parsers.date,
    take: takeText(parsers.date)
  },
  'date-time': {
    kind: 'date-time',
    expected: 'a date and time with a time zone and at most milliseconds, such as 2001-12-31T23:59:59.999Z',
    operators: new Set([...equality, ...ordering]),
    parse: parsers['date-time'],
    take: takeText(parsers['date-time'])
  },
  time: {
    kind: 'time',
    expected: 'a time such as 23:59:59',
    operators: new Set([...equality, ...ordering]),
    parse: parsers.time,
    take: takeText(parsers.time)
  },
  uuid: {
    kind: 'uuid',
    expected: 'a UUID',
    operators: new Set(equality),
    parse: parsers.uuid,
    take: takeText(parsers.uuid)
  }
}

function choiceType (choices: readonly Scalar[]): ValueType {
  const kinds = new Set(choices.map(choice => typeof choice))
  if (kinds.size > 1) return jsonType
  const byText = new Map(choices.map(choice => [String(choice), choice]))
  const kind = kinds.has('string') ? 'string' : kinds.has('number') ? 'number' : 'boolean'
  return {
    kind,
    expected: `one of ${[...byText.keys()].join(', ')}`,
    operators: new Set(kind === 'boolean' ? equality : [...equality, ...ordering]),
    parse: text => byText.get(text),
    take: value => choices.find(choice => choice === value)
  }
}

/** A value as the application has it: undefined for null, where the property's type has no null. */
export const toValue = (value: unknown, { omitted }: Pick<Described, 'omitted'>): unknown => omitted && value === null ? undefined : value
