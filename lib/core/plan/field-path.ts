import { type DataApiError, noField } from '../errors/errors.ts'
import { suggest } from '../errors/suggest.ts'
import {
  type Collection, type Field, isRelation, type ReadableField, type RelationField, type SubCollectionField
} from '../model/model.ts'
import type { SubItemStep } from './plan.ts'
import { always } from './predicates.ts'
import { unitNamed } from './time-units.ts'

// Names of requests become fields here: in filters, sorts, selections, groups and functions.

/** Makes an error of the place at which a function or a field is named. */
export type Invalid = (message: string, suggestion?: string) => DataApiError

/** What a request names fields for. It decides which of them may be named, and words the errors. */
export interface Purpose {
  /** What an unknown field was named for, as its error says. */
  readonly aim: 'to filter by' | 'to sort by' | 'to select' | 'to group by' | 'for a function'
  readonly invalid: Invalid
  /** Throws for a field that may not be named for this purpose. */
  readonly check?: (field: ReadableField) => void
  /** Throws for a field that no path of this purpose leads through; `names` follow it. */
  readonly enter?: (field: ReadableField, names: readonly string[]) => void
}

interface FieldPath {
  /** The relations before the field. */
  readonly steps: readonly RelationField[]
  readonly field: ReadableField
  /** The names after the field, the last of which is a function; empty if the path ends with the field. */
  readonly called: readonly string[]
}

/**
 * Follows a path through readable fields. It ends at the last name, or at the field of a function: at the relation to
 * many whose elements the function is of, otherwise at the field before the function. Throws what the purpose makes for
 * an unknown or unreadable field, for a name after a scalar, and for a function at the beginning.
 */
export function followPath (path: readonly string[], from: Collection, purpose: Purpose): FieldPath {
  const steps: RelationField[] = []
  let holder = from
  for (let index = 0; ; index++) {
    const name = path[index] ?? ''
    if (isFunction(name)) throw purpose.invalid(followsNone(name))
    const field = findField(name, holder, purpose)
    purpose.check?.(field)
    const called = path.slice(index + 1)
    const [next] = called
    if (next === undefined || isFunction(next) || isOfElements(field, called)) return { steps, field, called }
    purpose.enter?.(field, called)
    if (!isRelation(field)) throw purpose.invalid(`The field '${name}' is a scalar and has no fields of its own.`)
    steps.push(field)
    holder = field.target
  }
}

/** Returns the steps of a path that leads through sub-items alone, which its purpose sees to. */
export const stepsThrough = (relations: readonly RelationField[]): readonly SubItemStep[] =>
  relations.flatMap(field => field.kind === 'sub-item' ? [{ field, where: always }] : [])

/** Returns the readable field of that name. Throws what the purpose makes if there is none. */
export function findField (name: string, collection: Collection, { aim, invalid }: Purpose): ReadableField {
  const field = findReadable(collection, name)
  if (field !== undefined) return field
  const suggestion = suggest(name, readableNames(collection))
  throw invalid(noField(`'${name}' ${aim}`, suggestion), suggestion)
}

/**
 * Returns the field of that name on the wire if a client may read it, else undefined. Every name in a request that
 * reads must pass through this function, so that an unreadable field is the same as an unknown one.
 */
export function findReadable (collection: Collection, name: string): ReadableField | undefined {
  const field = collection.fields.get(name)
  return field?.readable === true ? field : undefined
}

/** Returns the field of that name on the wire if a client may read or write it, else undefined. For writes. */
export function findExposed (collection: Collection, name: string): Field | undefined {
  const field = collection.fields.get(name)
  return field?.readable === true || field?.writable === true ? field : undefined
}

/** Returns the names of the readable fields, in the order declared. */
export function readableNames (collection: Collection): readonly string[] {
  return [...collection.fields.values()].filter(field => field.readable).map(field => field.name)
}

/** Returns true for the name of a function. No field has such a name. */
export const isFunction = (name: string): boolean => name.endsWith('()')

/** Returns true if the names that follow a field are a function of the elements that it leads to. */
export const isOfElements = (field: Field, names: readonly string[]): field is SubCollectionField =>
  field.kind === 'sub-collection' && isOfItems(names, field.target, true)

/**
 * Returns true if a path ends with a function of the items themselves: `count()` alone, or a function that follows a
 * field that leads through no relation to many. `ofUnknown`: what is returned for a field that is not there.
 */
export function isOfItems (path: readonly string[], collection: Collection, ofUnknown = false): boolean {
  const last = path.at(-1) ?? ''
  if (!isFunction(last) || unitNamed(last) !== undefined) return false
  let holder = collection
  for (const name of path.slice(0, -1)) {
    const field = findReadable(holder, name)
    if (field === undefined) return ofUnknown
    if (field.kind !== 'sub-item') return field.kind !== 'sub-collection'
    holder = field.target
  }
  return path.length === 1
}

/** Returns the message for a function that follows no relation to many. `name`: what it follows. */
export function followsNone (called: string, name?: string): string {
  const found = name === undefined ? 'there is none before it' : `'${name}' is none`
  return `'${called}' follows a relation to many items, or a field of them; ${found}.`
}
