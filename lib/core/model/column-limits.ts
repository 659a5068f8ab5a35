import type { TSchema } from '@sinclair/typebox'
import type { ColumnLimits, Source } from '../declare/source.ts'
import { isObject } from '../errors/is-object.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { InputField, StoredField } from './model.ts'
import { decimalKey, plainDecimal } from './numbers.ts'

/** What a number must be for its column beyond what keywords of JSON Schema say. Numbers as texts have them too. */
export type NumberLimits = Pick<ColumnLimits, 'lowest' | 'highest' | 'places' | 'least'>

/** The keyword of NumberLimits in the schemas of this module. */
export const numberKeyword = 'columnNumber'

/** The collection of a field, as far as it tells what the field's column holds. */
export interface FieldHolder {
  readonly source: Source
  /** A setter may store something else than what a client sends. */
  readonly setters: ReadonlyMap<string, unknown>
}

/**
 * Returns the schema of the values that a client may give to a field: its own, without what the column does not take
 * (docs/databases.md: Limits of columns). The schema is the same object as long as no more is known of the table.
 */
export function takenSchema (field: StoredField | InputField, { source, setters }: FieldHolder): TSchema {
  const known = source.known?.()
  if (known === undefined || field.kind !== 'stored' || setters.has(field.property)) return field.schema
  const schemas = schemasFor(known)
  const made = schemas.get(field) ?? limited(field, source.limits?.(field.property))
  schemas.set(field, made)
  return made
}

const schemasFor = memoize((_known: object) => new WeakMap<StoredField, TSchema>())

const limited = ({ schema, type }: StoredField, limits: ColumnLimits | undefined) =>
  limits === undefined || type.kind === 'mixed' ? schema : narrowed(schema, limits)

/** Returns a schema whose values are within limits. A literal says itself what there is. */
function narrowed (schema: TSchema, limits: ColumnLimits): TSchema {
  if (Array.isArray(schema['anyOf'])) {
    return { ...schema, anyOf: (schema['anyOf'] as readonly TSchema[]).map(one => narrowed(one, limits)) }
  }
  if (schema['const'] !== undefined || schema['enum'] !== undefined) return schema
  const { items } = schema as { readonly items?: unknown }
  const types: readonly unknown[] = [schema['type']].flat()
  if (types.includes('array')) {
    const { elements } = limits
    if (elements === undefined || !isObject(items)) return schema
    // The type of a column does not tell how deep its arrays are.
    const inner = items as unknown as TSchema
    return { ...schema, items: narrowed(inner, inner['type'] === 'array' ? limits : elements) }
  }
  if (types.includes('string')) return withText(schema, limits)
  return types.includes('integer') || types.includes('number') ? withNumber(schema, limits) : schema
}

/** The texts of timestamps that clients send are not those that are stored. */
function withText (schema: TSchema, { length = Infinity, choices, ...number }: ColumnLimits): TSchema {
  const { format, maxLength = Infinity } = schema as { readonly format?: string, readonly maxLength?: number }
  if (format === 'date-time') return schema
  return {
    ...schema,
    ...length < maxLength && { maxLength: length },
    ...choices !== undefined && format === undefined && { enum: choices },
    ...hasNumbers(number) && { [numberKeyword]: number }
  }
}

function withNumber (schema: TSchema, { choices, lowest, highest, ...rest }: ColumnLimits): TSchema {
  const { minimum = -Infinity, maximum = Infinity } = schema as { readonly minimum?: number, readonly maximum?: number }
  const [low, high] = [exactly(lowest), exactly(highest)]
  const kept = {
    ...low === undefined && { lowest },
    ...high === undefined && { highest },
    // An integer has no places anyway.
    ...(schema['type'] === 'integer' && (rest.places ?? 0) >= 0 ? {} : rest)
  }
  return {
    ...schema,
    ...low !== undefined && low > minimum && { minimum: low },
    ...high !== undefined && high < maximum && { maximum: high },
    ...choices !== undefined && { enum: choices.map(Number) },
    ...hasNumbers(kept) && { [numberKeyword]: kept }
  }
}

const hasNumbers = (limits: ColumnLimits) => Object.values(limits).some(limit => limit !== undefined)

/** Returns a decimal as a number; undefined if no double is written so, or if a double holds its neighbours badly. */
function exactly (decimal: string | undefined): number | undefined {
  const number = Number(decimal)
  const isWide = Number.isInteger(number) && !Number.isSafeInteger(number) && decimal?.includes('e') === false
  return isWide || String(number) !== decimal ? undefined : number
}

/** Returns the keywords of a schema by which it allows more than a column takes, each as it would be right. */
export function widerThan (
  schema: TSchema, limits: ColumnLimits
): ReadonlyArray<{ readonly keyword: string, readonly most: string }> {
  const { length, lowest, highest, elements } = limits
  const { anyOf, items, maxLength, minimum, maximum } = schema as {
    anyOf?: readonly TSchema[], items?: TSchema, maxLength?: number, minimum?: number, maximum?: number
  }
  const isAbove = (one: number | string, other: number | string) =>
    decimalKey(plainDecimal(String(one))) > decimalKey(plainDecimal(String(other)))
  const own = [
    ...maxLength !== undefined && length !== undefined && maxLength > length ? [{ maxLength: length }] : [],
    ...maximum !== undefined && highest !== undefined && isAbove(maximum, highest) ? [{ maximum: highest }] : [],
    ...minimum !== undefined && lowest !== undefined && isAbove(lowest, minimum) ? [{ minimum: lowest }] : []
  ].flatMap(Object.entries<number | string>).map(([keyword, most]) => ({ keyword, most: `${keyword}: ${most}` }))
  const parts = (anyOf ?? []).flatMap(one => widerThan(one, limits))
  const ofItems = isObject(items) && elements !== undefined ? widerThan(items as unknown as TSchema, elements) : []
  return [...own, ...parts, ...ofItems]
}

/** Returns a schema of this module as clients know it: with a pattern for the digits of numbers that are texts. */
export const shownLimits = memoize((schema: TSchema): TSchema => {
  const { anyOf, items, [numberKeyword]: number, ...rest } = schema as TSchema & {
    readonly anyOf?: readonly TSchema[], readonly items?: unknown, readonly [numberKeyword]?: NumberLimits
  }
  if (number === undefined && anyOf === undefined && !isObject(items)) return schema
  const isDecimal = rest['format'] === 'decimal' && rest['pattern'] === undefined
  return {
    ...rest,
    ...anyOf !== undefined && { anyOf: anyOf.map(shownLimits) },
    ...items !== undefined && { items: isObject(items) ? shownLimits(items as unknown as TSchema) : items },
    ...isDecimal && number !== undefined && { pattern: patternOf(number) }
  } as TSchema
})

function patternOf ({ highest = '', places = 0 }: NumberLimits): string {
  const digits = highest.split('.', 1).join().length
  const whole = highest.startsWith('0') ? '0' : `(0|[1-9]\\d{0,${digits - 1}})`
  return `^-?${whole}(\\.${places > 0 ? `\\d{1,${places}}` : ''}0*)?$`
}

/** Returns what a number, or the text of one, must be to be within limits; undefined if it is, or is no number. */
export function numberFault (value: number | string, limits: NumberLimits): string | undefined {
  const text = plainDecimal(String(value))
  const [, whole = '', fraction = ''] = /^-?(\d+)(?:\.(\d*))?$/.exec(text) ?? []
  if (whole === '') return undefined
  const { lowest, highest, places, least } = limits
  const key = decimalKey(text)
  if (highest !== undefined && key > decimalKey(plainDecimal(highest))) return `must be at most ${highest}`
  if (lowest !== undefined && key < decimalKey(plainDecimal(lowest))) return `must be at least ${lowest}`
  if (places !== undefined && hasMorePlaces(whole, fraction, places)) return describePlaces(places)
  if (least === undefined || !isBelow(text.replace('-', ''), least)) return undefined
  return `must be 0, or at least ${least} away from it`
}

const isBelow = (text: string, least: string) =>
  decimalKey(text) !== decimalKey('0') && decimalKey(text) < decimalKey(plainDecimal(least))

const hasMorePlaces = (whole: string, fraction: string, places: number) => places >= 0
  ? /[1-9]/.test(fraction.slice(places))
  : /[1-9]/.test(whole.slice(places) + fraction)

function describePlaces (places: number): string {
  if (places < 0) return `must be a multiple of 1${'0'.repeat(-places)}`
  if (places === 0) return 'must be a whole number'
  return `must have at most ${places} decimal place${places === 1 ? '' : 's'}`
}
