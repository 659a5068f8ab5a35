import type { TSchema } from '@sinclair/typebox'
import type { Ajv } from 'ajv'
import { makeAjvWithFormats } from './load-ajv.ts'

/** A value of a field, other than null, in the form in which it is compared, bound and written. */
export type Scalar = string | number | boolean

/** The properties of an operator that more than one room needs. */
export interface OperatorTraits {
  /** The group of operators that a type of values takes or refuses as a whole. */
  readonly family: 'equality' | 'ordering' | 'text'
  /** The part of the field's value that the operand is compared with. */
  readonly part: 'whole' | 'start' | 'end' | 'anywhere'
  /** True if the operand is a list of values. */
  readonly list: boolean
  /** True if the operator is the negation of another one. */
  readonly negated: boolean
  /** True if the operand can be null or, for a list, can contain null. */
  readonly takesNull: boolean
  /** True if upper and lower case are equal, so that both sides are folded before they are compared. */
  readonly ignoresCase: boolean
}

const plain = { part: 'whole', list: false, negated: false, takesNull: false, ignoresCase: false } as const
const equality = { ...plain, family: 'equality', takesNull: true } as const
const ordering = { ...plain, family: 'ordering' } as const
const text = { ...plain, family: 'text' } as const

/**
 * The table of all operators (docs/http.md: Query strings). No other file compares an operator by its name: it asks
 * this table, or has a `Record<Operator, ...>` of its own, which does not compile until it has every operator.
 */
export const operators = {
  equals: equality,
  not_equals: { ...equality, negated: true },
  greater: ordering,
  less: ordering,
  at_least: ordering,
  at_most: ordering,
  in: { ...equality, list: true },
  not_in: { ...equality, list: true, negated: true },
  starts_with: { ...text, part: 'start' },
  ends_with: { ...text, part: 'end' },
  contains: { ...text, part: 'anywhere' },
  equals_ignoring_case: { ...text, ignoresCase: true },
  starts_with_ignoring_case: { ...text, part: 'start', ignoresCase: true },
  ends_with_ignoring_case: { ...text, part: 'end', ignoresCase: true },
  contains_ignoring_case: { ...text, part: 'anywhere', ignoresCase: true }
} as const satisfies Readonly<Record<string, OperatorTraits>>

export type Operator = keyof typeof operators

/** The names of all operators. */
export const operatorNames = Object.keys(operators) as readonly Operator[]

/** Returns the traits of an operator. */
export const traitsOf = (operator: Operator): OperatorTraits => operators[operator]

/**
 * Returns true if an operator holds only for a field that equals the operand or, for a list, one of its members: an
 * index then finds every match.
 */
export function isExact (operator: Operator): boolean {
  const { family, negated } = traitsOf(operator)
  return family === 'equality' && !negated
}

const operatorsOf = (...families: ReadonlyArray<OperatorTraits['family']>): ReadonlySet<Operator> =>
  new Set(families.flatMap(family => operatorNames.filter(operator => traitsOf(operator).family === family)))

export type ValueKind = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'date-time' | 'time' | 'uuid' | 'json'

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

interface Alternatives { readonly members: readonly TSchema[], readonly nullable: boolean }

function alternatives (schema: TSchema): Alternatives {
  if (schema['type'] === 'null' || schema['const'] === null) return { members: [], nullable: true }
  if (Array.isArray(schema['enum'])) {
    const values = schema['enum'].filter(value => value !== null)
    const members = values.map(value => ({ ...schema, enum: undefined, const: value }))
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

/** The TypeBox types that JSON cannot represent. */
const unsupported: ReadonlySet<unknown> = new Set([
  'Date', 'bigint', 'symbol', 'undefined', 'void', 'Uint8Array',
  'Function', 'Constructor', 'Promise', 'Iterator', 'AsyncIterator'
])

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value)

const types: Readonly<Record<string, (schema: TSchema) => ValueType>> = {
  integer: () => integerType,
  number: () => numberType,
  boolean: () => booleanType,
  string: schema => formatTypes[String(schema['format'])] ?? stringType
}

const jsonType: ValueType = {
  kind: 'json',
  expected: 'valid JSON without NUL characters and with finite numbers',
  operators: new Set(),
  parse: () => undefined,
  take: takeJson
}

/** Takes JSON that every source can store: with finite numbers, and with names and strings that parseText() accepts. */
function takeJson (value: unknown): unknown {
  return value === null || value === undefined || !isStorable(value) ? undefined : value
}

function isStorable (value: unknown): boolean {
  if (typeof value === 'string') return parseText(value) !== undefined
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, member]) => parseText(name) !== undefined && isStorable(member))
}

/** Returns `take` for a type whose values are strings in JSON: they are parsed as in URLs. */
function takeText (parse: ValueType['parse']): ValueType['take'] {
  return value => typeof value === 'string' ? parse(value) : undefined
}

// PostgreSQL cannot store NUL, and SQLite's text functions stop at it. Neither accepts half a surrogate pair as a
// character. All sources refuse both, so that they agree.
function parseText (text: string): string | undefined {
  return /[\0\p{Surrogate}]/u.test(text) ? undefined : text
}

const stringType: ValueType = {
  kind: 'string',
  expected: 'a string of valid Unicode without NUL characters',
  operators: operatorsOf('equality', 'ordering', 'text'),
  parse: parseText,
  take: takeText(parseText)
}

const integerType: ValueType = {
  kind: 'integer',
  expected: `an integer between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`,
  operators: operatorsOf('equality', 'ordering'),
  // A value has one spelling: 01, 1.0 and 1e0 do not identify an item.
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
  operators: operatorsOf('equality', 'ordering'),
  parse (text) {
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined
    const value = Number(text)
    // Adding 0 turns minus zero into zero: the two are equal on every source, but their texts differ.
    return Number.isFinite(value) ? value + 0 : undefined
  },
  take: value => typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined
}

const booleanType: ValueType = {
  kind: 'boolean',
  expected: 'true or false',
  operators: operatorsOf('equality'),
  parse: text => text === 'true' ? true : text === 'false' ? false : undefined,
  take: value => typeof value === 'boolean' ? value : undefined
}

/**
 * Returns Ajv's own check of a format, which is compiled at its first use. Bodies are checked with the parsers below
 * (model/validators.ts).
 */
function isFormat (format: string): (text: string) => boolean {
  let check: ((text: string) => boolean) | undefined
  return text => {
    check ??= formatAjv().compile<string>({ type: 'string', format })
    return check(text)
  }
}

let madeAjv: Ajv | undefined

function formatAjv (): Ajv {
  madeAjv ??= makeAjvWithFormats({})
  return madeAjv
}

const isDate = isFormat('date')
const isDateTime = isFormat('date-time')
const isTime = isFormat('iso-time')
const isUuid = isFormat('uuid')

const parsers = {
  // The calendars of databases begin with the year 1.
  date: (text: string) => isDate(text) && !text.startsWith('0000') ? text : undefined,
  // The canonical form is UTC with three digits of milliseconds: its texts sort in the order of the instants.
  'date-time': (text: string) => {
    if (!isDateTime(text) || /\.\d{4,}/.test(text)) return undefined
    const instant = new Date(text)
    const canonical = Number.isNaN(instant.getTime()) ? '' : instant.toISOString()
    // The year has four digits: a longer text would break the order of the texts.
    return /^(?!0000)\d{4}-/.test(canonical) ? canonical : undefined
  },
  time: (text: string) => isTime(text) ? text : undefined,
  uuid: (text: string) => isUuid(text) && !text.toLowerCase().startsWith('urn:') ? text.toLowerCase() : undefined
} as const satisfies Record<string, ValueType['parse']>

/** The types of strings with a format, by the name of the format. */
export const formatTypes: Readonly<Record<string, ValueType>> = {
  date: {
    kind: 'date',
    expected: 'a date such as 2001-12-31',
    operators: operatorsOf('equality', 'ordering'),
    parse: parsers.date,
    take: takeText(parsers.date)
  },
  'date-time': {
    kind: 'date-time',
    expected: 'a date and time with a time zone and at most milliseconds, such as 2001-12-31T23:59:59.999Z',
    operators: operatorsOf('equality', 'ordering'),
    parse: parsers['date-time'],
    take: takeText(parsers['date-time'])
  },
  time: {
    kind: 'time',
    expected: 'a time such as 23:59:59',
    operators: operatorsOf('equality', 'ordering'),
    parse: parsers.time,
    take: takeText(parsers.time)
  },
  uuid: {
    kind: 'uuid',
    expected: 'a UUID',
    operators: operatorsOf('equality'),
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
    operators: kind === 'boolean' ? operatorsOf('equality') : operatorsOf('equality', 'ordering'),
    parse: text => byText.get(text),
    take: value => choices.find(choice => choice === value)
  }
}

/** Returns a value as the application sees it: undefined in place of null if the property's type has no null. */
export function toValue (value: unknown, { omitted }: Pick<Described, 'omitted'>): unknown {
  return omitted && value === null ? undefined : value
}
