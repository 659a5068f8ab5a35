import { isObject } from '../../../core/errors/is-object.ts'
import type { Schema } from '../objects.ts'
import { memberName, quoteLiteral } from './typescript-source.ts'

/**
 * Returns the type of a schema's values as TypeScript on one line. What TypeScript cannot say, such as the bounds of a
 * number, is left out.
 */
export const typeOf = (schema: Schema): string => typeWithin(schema, {})

/** `whole`: the schema that this one is a part of. */
function typeWithin (schema: Schema, whole: Schema): string {
  const { $ref, const: constant, enum: choices, anyOf, oneOf, allOf, not } = schema
  if (typeof $ref === 'string') return referenceTo($ref)
  if (constant !== undefined) return literal(constant)
  if (Array.isArray(choices)) return union(choices.map(literal))
  const completed = completedBy(whole, schema)
  const within = (part: Schema) => typeWithin(part, { ...whole, ...completed })
  const alternatives = schemasIn(anyOf ?? oneOf).map(within)
  const parts = [
    ...isNamed(completed) ? [ownType(completed)] : [],
    ...alternatives.length > 0 ? [union(alternatives)] : [],
    ...schemasIn(allOf).map(within)
  ]
  if (parts.length === 0) return isObject(not) && Object.keys(not).length === 0 ? 'never' : 'unknown'
  return parts.length === 1 ? parts.join() : parts.map(inParentheses).join(' & ')
}

/** Without members of its own, the type of a composed schema is that of its parts. */
const isNamed = ({ type, properties, anyOf, oneOf, allOf }: Schema) =>
  properties !== undefined || (type !== undefined && !(type === 'object' && (anyOf ?? oneOf ?? allOf) !== undefined))

const ownType = (schema: Schema) =>
  union([schema['type'] ?? 'object'].flat().map(one => typeNamed(String(one), schema)))

/** A part that only says which members are required takes their schemas from its whole. */
function completedBy ({ properties: known }: Schema, part: Schema): Schema {
  const { required, properties, type } = part
  const own = isObject(properties) ? Object.values(properties) : []
  const namesOnly = type === undefined && own.every(isEmpty)
  if (!Array.isArray(required) || !isObject(known) || !namesOnly) return part
  return { ...part, properties: Object.fromEntries(Object.entries(known).filter(([name]) => required.includes(name))) }
}

const isEmpty = (schema: unknown) => isObject(schema) && Object.keys(schema).length === 0

const inParentheses = (type: string) => / [|&] /.test(type) ? `(${type})` : type

/** Returns a union of types, each only once. */
export const union = (types: readonly string[]): string =>
  types.includes('unknown') ? 'unknown' : [...new Set(types)].join(' | ') || 'never'

/** Returns the members of an object as TypeScript. */
function membersOf ({ properties, required = [] }: Schema): readonly string[] {
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(isObject(properties) ? properties : {}).map(([name, one]) =>
    `${memberName(name)}${names.includes(name) ? '' : '?'}: ${isObject(one) ? typeOf(one) : 'unknown'}`)
}

/** Returns the name of the type of a component, which names of components are already but for a digit in front. */
export function typeName (component: string): string {
  const name = component.replaceAll(/[^A-Za-z0-9_]/gu, character => `U${(character.codePointAt(0) ?? 0).toString(16)}`)
  return /^[A-Z]/.test(name) && name !== 'Api' ? name : `_${name}`
}

const referenceTo = ($ref: string) => {
  const [, component] = /^#\/components\/schemas\/(.+)$/.exec($ref) ?? []
  return component === undefined ? 'unknown' : typeName(component)
}

const schemasIn = (value: unknown): readonly Schema[] => Array.isArray(value) ? value.filter(isObject) : []

function literal (value: unknown): string {
  if (typeof value === 'string') return quoteLiteral(value)
  return value === null || typeof value === 'boolean' || Number.isFinite(value) ? String(value) : 'unknown'
}

function typeNamed (type: string, schema: Schema): string {
  switch (type) {
    case 'string': return 'string'
    case 'boolean': return 'boolean'
    case 'null': return 'null'
    case 'integer':
    case 'number': return 'number'
    case 'array': return arrayType(schema)
    case 'object': return objectType(schema)
    default: return 'unknown'
  }
}

function arrayType ({ prefixItems, items }: Schema): string {
  const tuple = schemasIn(prefixItems)
  const rest = isObject(items) ? `${inParentheses(typeOf(items))}[]` : 'unknown[]'
  if (tuple.length === 0) return rest
  return `[${[...tuple.map(typeOf), ...items === false ? [] : [`...${rest}`]].join(', ')}]`
}

function objectType (schema: Schema): string {
  const { patternProperties, additionalProperties: others } = schema
  const members = membersOf(schema)
  const patterns = isObject(patternProperties) ? Object.values(patternProperties).filter(isObject) : []
  const indexed = [...patterns, ...isObject(others) ? [others] : []].map(typeOf)
  const isOpen = indexed.length > 0 || others === true || (members.length === 0 && others === undefined)
  // The type of an index must hold for the members with names too.
  const index = members.length > 0 || indexed.length === 0 ? 'unknown' : union(indexed)
  const all = isOpen ? [...members, `[name: string]: ${index}`] : members
  return all.length === 0 ? '{ [name: string]: never }' : `{ ${all.join(', ')} }`
}

/** The facts of a collection in `x-data-api`, beside the schema of its item. */
export interface Traits {
  /** The name of the collection. */
  readonly collection: string
  /** The names of the fields of an item in a listing. */
  readonly listed: readonly string[]
  /** The names of the fields that are shown only if a selection names them. */
  readonly hidden: readonly string[]
  /** The names of the fields by which lists cannot be filtered or sorted. */
  readonly unfilterable: readonly string[]
  readonly unsortable: readonly string[]
  readonly identifiers: readonly string[]
  /** The collections of sub-items and of sub-collections, by the name of the field. */
  readonly one: Readonly<Record<string, string>>
  readonly many: Readonly<Record<string, string>>
  /** The schemas of hidden fields, where the schema of the item does not have them. */
  readonly properties?: Readonly<Record<string, Schema>>
}

/** Returns the traits of a component; undefined if it is not the item of a collection. */
export function traitsIn (component: Schema): Traits | undefined {
  const given = component['x-data-api']
  if (!isObject(given) || typeof given['collection'] !== 'string') return undefined
  const { collection, properties } = given
  return {
    collection,
    listed: textsIn(given['listed']),
    hidden: textsIn(given['hidden']),
    unfilterable: textsIn(given['unfilterable']),
    unsortable: textsIn(given['unsortable']),
    identifiers: textsIn(given['identifiers']),
    one: targetsIn(given['one']),
    many: targetsIn(given['many']),
    properties: schemasByName(properties)
  }
}

/** Returns the schemas of an item's scalars, hidden ones included, by their names. */
export function scalarsOf (component: Schema, { one, many, properties }: Traits): ReadonlyArray<[string, Schema]> {
  return Object.entries({ ...schemasByName(component['properties']), ...properties })
    .filter(([name]) => !Object.hasOwn(one, name) && !Object.hasOwn(many, name))
}

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(one => typeof one === 'string') : []

const targetsIn = (value: unknown): Readonly<Record<string, string>> => Object.fromEntries(
  Object.entries(isObject(value) ? value : {}).flatMap(([name, one]) => typeof one === 'string' ? [[name, one]] : []))

const schemasByName = (value: unknown): Readonly<Record<string, Schema>> => Object.fromEntries(
  Object.entries(isObject(value) ? value : {}).flatMap(([name, one]) => isObject(one) ? [[name, one]] : []))
