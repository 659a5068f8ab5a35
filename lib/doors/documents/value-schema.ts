import type { TSchema } from '@sinclair/typebox'
import { flagNames, wordNames } from '../../../schemas/flags.ts'
import type { CollectionView, ValueView } from '../../core/api/face.ts'
import { isObject } from '../../core/errors/is-object.ts'
import { memoize } from '../../core/scheduling/memoize.ts'
import type { Components } from './components.ts'
import type { Schema } from './objects.ts'

export const valueFields = ({ fields }: CollectionView): readonly ValueView[] =>
  fields.filter((field): field is ValueView => !('target' in field))

/** Where a value is: shown in an answer, or given in a body. */
type Side = 'answer' | 'body'

/** Returns the schema of a field's value on the wire. `components` takes schemas that refer to themselves. */
export function fieldSchema (
  { schema, takenSchema, nullable }: ValueView, side: Side, components?: Components
): Schema {
  return valueSchema(side === 'body' ? takenSchema : schema, nullable, side, components)
}

/**
 * Returns the schema of a value on the wire: without flags and defaults, literals as one `enum`, null as a member of
 * `type`. Generators of clients write worse types from unions, and require a member that has a default.
 */
export function valueSchema (
  schema: TSchema, canBeNull: boolean, side: Side, components?: Components
): Schema {
  const known = knownTexts(schema)
  const key = `${String(canBeNull)} ${side}`
  const text = known.get(key)
  if (text !== undefined) return JSON.parse(text) as Schema
  const given = JSON.parse(JSON.stringify(schema)) as Schema
  const isOwn = components === undefined || given['$defs'] === undefined
  const plain = isOwn ? given : liftReferences(given, components, definition => cleaned(definition, side))
  const made = plainSchema(plain, canBeNull, side)
  if (isOwn) known.set(key, JSON.stringify(made))
  return made
}

// Schemas are declared once and shown at many places, each of which has an object of its own.
const knownTexts = memoize((_: TSchema) => new Map<string, string>())

function plainSchema (schema: Schema, canBeNull: boolean, side: Side): Schema {
  const { members, nullable } = alternativesOf(schema)
  const annotations = pick(schema, ['title', 'description', 'examples', 'deprecated', 'contentMediaType'])
  const words = wordNames.flatMap(word => schema[word] === undefined ? [] : [[`x-${word}`, schema[word]] as const])
  const combined = combine(members.map(member => cleaned(member, side)), nullable || canBeNull)
  return { ...combined, ...annotations, ...Object.fromEntries(words) }
}

interface Alternatives { readonly members: readonly Schema[], readonly nullable: boolean }

/** The members of a union without null. Each literal is a member with `const`. */
function alternativesOf (schema: Schema): Alternatives {
  const { type, anyOf, enum: choices, nullable: flag, ...rest } = schema
  const nullable = flag === true
  if (type === 'null' || schema['const'] === null) return { members: [], nullable: true }
  if (Array.isArray(choices)) {
    const values = choices.filter(choice => choice !== null) as readonly unknown[]
    return { members: values.map(value => ({ const: value })), nullable: nullable || values.length < choices.length }
  }
  if (Array.isArray(anyOf)) {
    const parts = (anyOf as Schema[]).map(alternativesOf)
    return { members: parts.flatMap(part => part.members), nullable: nullable || parts.some(part => part.nullable) }
  }
  if (Array.isArray(type)) {
    const types = type.filter(one => one !== 'null') as readonly unknown[]
    return { members: types.map(one => ({ ...rest, type: one })), nullable: nullable || types.length < type.length }
  }
  return { members: [type === undefined ? rest : { ...rest, type }], nullable }
}

function combine (members: readonly Schema[], nullable: boolean): Schema {
  const constants = members.filter(member => 'const' in member).map(member => member['const'])
  if (members.length > 0 && constants.length === members.length) return choices(constants, nullable)
  const [only, ...others] = members
  if (only === undefined) return { type: 'null' }
  if (others.length > 0) return { anyOf: nullable ? [...members, { type: 'null' }] : members }
  if (nullable && ('$ref' in only || 'allOf' in only || 'not' in only)) return { anyOf: [only, { type: 'null' }] }
  if (!nullable || only['type'] === undefined) return only
  return { ...only, type: [only['type'], 'null'] }
}

function choices (constants: readonly unknown[], nullable: boolean): Schema {
  const types = [...new Set(constants.map(constant => typeof constant)), ...nullable ? ['null'] : []]
  return { type: types.length === 1 ? types[0] : types, enum: nullable ? [...constants, null] : constants }
}

const ours: ReadonlySet<string> = new Set([...flagNames, ...wordNames, 'default'])

/** Removes flags and defaults at every depth, and states formats as this API reads them. */
function cleaned (schema: Schema, side: Side): Schema {
  const members = Object.entries(schema).filter(([keyword]) => !ours.has(keyword))
  const plain = Object.fromEntries(members.map(([keyword, value]) => [keyword, cleanedPart(keyword, value, side)]))
  const { format, ...rest } = plain
  if (Array.isArray(plain['items'])) return asTuple(plain)
  if (format === 'time') return { pattern: timePattern, ...rest }
  if (side === 'body' && format === 'date-time') return { pattern: timestampPattern, ...plain }
  if (side === 'body' && plain['type'] === 'integer') return { ...safeBounds, ...plain }
  return plain
}

/** The dialect of OpenAPI has other keywords for tuples than that of TypeBox. */
function asTuple ({ items, additionalItems, ...rest }: Schema): Schema {
  return { ...rest, prefixItems: items, ...additionalItems !== undefined && { items: additionalItems } }
}

/** In `properties`, names are those of members and not keywords. */
function cleanedPart (keyword: string, value: unknown, side: Side): unknown {
  if (keyword === 'properties' && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cleanedPart('', one, side)]))
  }
  if (Array.isArray(value)) return value.map(one => isObject(one) ? cleaned(one, side) : one as unknown)
  return isObject(value) ? cleaned(value, side) : value
}

/** JSON Schema's own `time` needs a time zone; times of databases have none. */
export const timePattern = '^([01]\\d|2[0-3]):[0-5]\\d:([0-5]\\d|60)(\\.\\d+)?([Zz]|[+-]\\d{2}(:?\\d{2})?)?$'

/** A date and time with at most milliseconds. */
const timestampPattern =
  '^(?!0000)\\d{4}-\\d{2}-\\d{2}[Tt\\s]\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,3}|\\.\\d{3}0+)?([Zz]|[+-]\\d{2}(:?\\d{2})?)$'

/** The integers that a number holds exactly. */
export const safeBounds = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

/** Returns the schema of an object of these members alone. Default of `required`: all. */
export const closedObject = (
  properties: Schema, required: readonly string[] = Object.keys(properties)
): Schema => ({ type: 'object', properties, ...required.length > 0 && { required }, additionalProperties: false })

/** JSON Schema has no empty `anyOf`: such a value cannot be given. Linters refuse one of a single schema. */
export function anyOf (schemas: readonly Schema[]): Schema {
  const [only, ...others] = schemas
  if (only === undefined) return { not: {} }
  return others.length === 0 ? only : { anyOf: schemas }
}

/** Returns the schema of a value of any of these schemas, whatever their descriptions. */
export const distinctSchema = (schemas: readonly Schema[]): Schema =>
  anyOf([...new Map(schemas.map(({ description: _, ...schema }) => [JSON.stringify(schema), schema])).values()])

export const textFor = (description: string) => ({ type: 'string', description })

/** Returns the schema of a merge patch of a value: no member is required, and null removes one (RFC 7396). */
export function patchSchema (schema: Schema): Schema {
  const { required: _, minProperties: __, ...rest } = schema
  if ('$ref' in rest) return {}
  return Object.fromEntries(Object.entries(rest).map(([keyword, value]) => {
    if ((keyword === 'anyOf' || keyword === 'allOf') && Array.isArray(value)) {
      return [keyword, value.map(one => patchSchema(one as Schema))]
    }
    if (keyword === 'additionalProperties' && isObject(value)) return [keyword, orNull(value)]
    const isOfMembers = (keyword === 'properties' || keyword === 'patternProperties') && isObject(value)
    return [keyword, isOfMembers ? mapMembers(value, one => orNull(one as Schema)) : value]
  }))
}

const orNull = (schema: Schema): Schema => anyOf([patchSchema(schema), { type: 'null' }])

const mapMembers = (members: Schema, map: (one: unknown) => unknown): Schema =>
  Object.fromEntries(Object.entries(members).map(([name, one]) => [name, map(one)]))

const pick = (schema: Schema, keywords: readonly string[]): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.includes(keyword)))

/**
 * Returns a closed schema (declare/closed-schema.ts) whose `$defs` are components: a schema that refers to itself
 * can be described in no other way. `finish` cleans a component.
 */
function liftReferences (
  { $defs, ...schema }: Schema, components: Components, finish: (schema: Schema) => Schema
): Schema {
  if (!isObject($defs)) return schema
  const definitions = new Map(Object.entries($defs).filter((entry): entry is [string, Schema] => isObject(entry[1])))
  const all = JSON.stringify([...definitions].map(([name, definition]) => [name, finish(definition)]))
  const names = new Map([...definitions].map(([name, definition]) => [JSON.stringify(finish(definition)), name]))
  return rewrite(schema) as Schema

  function rewrite (value: unknown): unknown {
    if (Array.isArray(value)) return value.map(rewrite)
    if (!isObject(value)) return value
    const { $ref, ...rest } = value
    const name = typeof $ref === 'string' ? $ref.replace('#/$defs/', '') : names.get(JSON.stringify(finish(value)))
    const definition = definitions.get(name ?? '')
    if (name === undefined || definition === undefined) return members(value)
    const target = components.lifted(`${name} ${all}`, () => finish(members(definition)))
    // Annotations stand beside a reference.
    return $ref === undefined ? target : { ...members(rest), ...target }
  }

  function members (schema: Schema): Schema {
    return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => {
      // The names of members are no keywords.
      return [keyword, keyword === 'properties' && isObject(value) ? members(value) : rewrite(value)]
    }))
  }
}
