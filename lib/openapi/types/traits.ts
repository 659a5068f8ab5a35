import type { Schema } from '../objects.ts'
import { isObject } from '../../errors/is-object.ts'

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
