import type { TSchema } from '@sinclair/typebox'
import { numbered, uuid } from './values.ts'

/**
 * Returns the n-th value of a schema. Other numbers give other values, as far as the schema has so many. The examples
 * of the schema come first.
 */
export function exampleOf (schema: TSchema, n: number, depth = 3): unknown {
  const { examples, anyOf, allOf, enum: listed } = schema as Members
  const choices = 'const' in schema ? [schema['const']] : listed ?? literalsIn(anyOf)
  if (choices !== undefined) return choices[n % choices.length]
  if (examples !== undefined && n < examples.length) return examples[n]
  const others = (anyOf ?? allOf)?.filter(one => one['type'] !== 'null')
  const [first = schema] = others ?? []
  if (others !== undefined) return depth > 0 ? exampleOf(others[n % others.length] ?? first, n, depth - 1) : null
  return valueOf(schema, n, depth)
}

interface Members {
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly TSchema[]
  readonly allOf?: readonly TSchema[]
  readonly enum?: readonly unknown[]
}

/** Returns the values of a union of literals, or null; undefined for another union. */
function literalsIn (anyOf: readonly TSchema[] = []): readonly unknown[] | undefined {
  const others = anyOf.filter(one => one['type'] !== 'null')
  const isChoice = others.length > 0 && others.every(one => 'const' in one)
  return isChoice ? others.map(one => one['const'] as unknown) : undefined
}

function valueOf (schema: TSchema, n: number, depth: number): unknown {
  switch ([schema['type']].flat().find(type => type !== 'null')) {
    case 'boolean': return n % 2 === 0
    case 'integer': return numberWithin(schema, n, 1)
    case 'number': return numberWithin(schema, n, 0.5)
    case 'string': return textOf(schema, n)
    case 'array': {
      const { items, minItems = 1 } = schema as { items?: TSchema, minItems?: number }
      if (items === undefined || depth === 0) return []
      return Array.from({ length: minItems }, (_, at) => exampleOf(items, n + at, depth - 1))
    }
    case 'object': {
      const { properties = {} } = schema as { properties?: Record<string, TSchema> }
      const named = depth > 0 ? Object.entries(properties) : []
      return Object.fromEntries(named.map(([name, one]) => [name, exampleOf(one, n, depth - 1)]))
    }
    default: return `any ${n}`
  }
}

interface Bounds { minimum?: number, maximum?: number, exclusiveMinimum?: number, exclusiveMaximum?: number }

function numberWithin (schema: TSchema, n: number, step: number): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Bounds
  const unit = Number(schema['multipleOf'] ?? step)
  const most = maximum ?? (exclusiveMaximum ?? Infinity) - unit
  const least = minimum ?? (exclusiveMinimum === undefined ? Math.min(unit, most) : exclusiveMinimum + unit)
  const count = Math.max(1, Math.floor((most - least) / unit) + 1)
  return least + unit * (n % count)
}

const words = ['Ada', 'Bob', 'red', 'Blue', 'water', 'salt']

function textOf (schema: TSchema, n: number): string {
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema as {
    minLength?: number, maxLength?: number, pattern?: string, format?: string
  }
  const formatted = formatOf(format, n)
  if (formatted !== undefined) return formatted
  const number = n < words.length ? '' : String(n)
  const word = `${words[n % words.length] ?? ''}${number === '' ? '' : ` ${number}`}`
  const long = word.length > maxLength ? number.padStart(1, 'a').slice(-maxLength) : word.padEnd(minLength, '.')
  if (pattern === undefined) return long
  const candidates = [
    long, long.toLowerCase().replaceAll(' ', '-'), `a${n}`, `A${n}`, String(n), String(n).padStart(5, '1'),
    String(n).padStart(10, '1'), `+${String(n).padStart(10, '4')}`, uuid(n), `a${n}@example.com`,
    `#${n.toString(16).padStart(6, '0')}`
  ]
  const form = new RegExp(pattern, 'u')
  return candidates.find(one => form.test(one) && one.length >= minLength && one.length <= maxLength) ?? long
}

const formatOf = (format: string | undefined, n: number): string | undefined =>
  format !== undefined && Object.hasOwn(formatted, format) ? formatted[format]?.(n) : undefined

/** The n-th text of each format. */
const formatted: Readonly<Record<string, (n: number) => string>> = {
  ...numbered,
  email: n => `ada${n}@example.com`,
  uri: n => `https://example.com/${n}`,
  url: n => `https://example.com/${n}`,
  hostname: n => `host${n}.example.com`,
  ipv4: n => `10.0.${Math.floor(n / 250)}.${n % 250}`
}

/** Returns true for a value that could be one of the schema's. */
export function fits (schema: TSchema, value: unknown): boolean {
  const { anyOf, enum: listed, pattern, format } = schema as Members & { pattern?: string, format?: string }
  const choices = 'const' in schema ? [schema['const']] : listed ?? literalsIn(anyOf)
  if (choices !== undefined) return choices.includes(value)
  const example = exampleOf({ ...schema, examples: undefined }, 0)
  if (typeof value !== typeof example || typeof value === 'object') return false
  if (typeof value === 'number') return Number.isInteger(value) || !Number.isInteger(example)
  if (typeof value !== 'string') return true
  if (pattern !== undefined) return new RegExp(pattern, 'u').test(value)
  // Of one form: digits at the same places.
  return formatOf(format, 0) === undefined || shapeOf(value) === shapeOf(String(example))
}

const shapeOf = (text: string) => text.replaceAll(/[\da-f]/gi, '0')
