import type { TSchema } from '@sinclair/typebox'
import { describeValue, listOf } from '../../errors/errors.ts'
import { orNearest } from '../../errors/suggest.ts'
import type { Violation } from '../../errors/violation.ts'
import { mayFill } from '../../model/filled.ts'
import { singleKey } from '../../model/identifiers.ts'
import type { Collection, Field, InputField, StoredField, SubItemField } from '../../model/model.ts'
import { describeElements, faultsIn, type ValueType } from '../../model/values.ts'
import { memoize } from '../../scheduling/memoize.ts'
import { readableNames } from '../field-path.ts'
import type { PathValue } from '../plan.ts'
import type { ParentValue } from './path-values.ts'

/** A member that the body of a new item must have. `instead`: lists of fields, all of one of which replace it. */
interface Requirement { readonly field: Field, readonly instead: ReadonlyArray<readonly Field[]> }

/**
 * Returns the members that a new item must have: writable fields that are neither optional nor have a default, a
 * generated key or a value from the URL (docs/http.md: Writing). A field of a foreign key is not among them if it may
 * stand in place of a sub-item that is.
 */
export const requirementsOf = (collection: Collection, given: Given): readonly Requirement[] =>
  given.length === 0
    ? withoutPathValues(collection.source.known?.() ?? collection.source)(collection)
    : requirementsWith(collection, given)

/** The values that the URL gives. */
type Given = ReadonlyArray<PathValue | ParentValue>

/** Made anew when the database tells more of the table. */
const withoutPathValues = memoize((_: object) => memoize((collection: Collection) => requirementsWith(collection, [])))

function requirementsWith (collection: Collection, given: Given): readonly Requirement[] {
  const key = singleKey(collection)
  const subItems = [...collection.fields.values()].filter(isWritableSubItem)
  const hasValue = (field: StoredField) =>
    field.schema.default !== undefined || given.some(one => one.field === field)
  const requirements = [...collection.fields.values()].flatMap((field): readonly Requirement[] => {
    if (!field.writable || !field.demanded || (field === key && isGenerated(key, collection))) return []
    if (field.kind === 'input') return field.optional ? [] : [{ field, instead: [] }]
    if (field.kind === 'stored') {
      const referring = subItems.filter(({ foreignKey }) => foreignKey.includes(field))
      return field.optional || hasValue(field) ? [] : [{ field, instead: referring.map(one => [one]) }]
    }
    // The foreign key may refer to an item of another collection instead.
    if (field.kind !== 'sub-item' || field.constants.length > 0) return []
    if (field.foreignKey.some(({ nullable }) => nullable)) return []
    const open = field.foreignKey.filter(part => !hasValue(part))
    if (open.length === 0) return []
    return [{ field, instead: open.every(({ writable }) => writable) ? [open] : [] }]
  })
  const replaceable = new Set(requirements.filter(({ field }) => field.kind === 'sub-item')
    .flatMap(({ instead }) => instead.flat()))
  return requirements.filter(({ field }) => !replaceable.has(field))
}

const isWritableSubItem = (field: Field): field is SubItemField =>
  field.kind === 'sub-item' && field.writable && field.demanded

/** Returns true if the body has the member, or what may stand in its place. */
export function isMet ({ field, instead }: Requirement, body: object): boolean {
  const has = ({ name }: Field) => Object.hasOwn(body, name)
  return has(field) || instead.some(fields => fields.every(has))
}

export function missingMessage ({ instead }: Requirement): string {
  return ['is required', ...instead.map(fields => `or in its place ${listOf(fields.map(one => one.name))}`)].join(', ')
}

/**
 * Returns true for a key that is generated if the body has none: UUIDs are at random, and integers come from the source
 * unless its column is one that nothing fills. Code of the application may fill that.
 */
function isGenerated ({ type: { kind }, property }: StoredField, collection: Collection): boolean {
  if (kind === 'uuid') return true
  if (kind !== 'integer' && kind !== 'int64') return false
  return collection.source.isUnfilled?.(property) !== true || mayFill(collection)
}

/**
 * Returns the end of a message about a scalar in place of an element of a relation, which is mostly an identifier: how
 * an object names that item, such as ` such as {"id":2}`. Empty if no readable identifier takes the value.
 */
export function elementExample (value: unknown, { stored }: Collection): string {
  if (value === null) return ''
  const field = stored.find(({ identifier, readable, type }) =>
    identifier && readable && type.take(value) !== undefined)
  if (field === undefined) return ''
  const text = JSON.stringify({ [field.name]: value })
  return text.length > 100 ? '' : ` such as ${text}`
}

/** Returns the message for a value that a field does not take. */
export const expectation = ({ type, nullable }: StoredField | InputField, value: unknown): string =>
  `must be ${type.expected}${nullable ? ' or null' : ''}; found ${describeValue(value)}`

/** Returns the mistakes of a value that a field does not take: those inside of JSON, or that of the whole. */
export function mistakesOf (
  field: StoredField | InputField, value: unknown, pointer: string
): readonly Violation[] {
  const faults = field.type.kind === 'json' ? faultsIn(value) : []
  if (faults.length === 0) return [{ pointer, message: expectation(field, value) }]
  return faults.map(one => ({ ...one, pointer: pointer + one.pointer }))
}

/** Returns the message for a value that no client can write (isOnlyShown), where it is not the current one. */
export const expectationOfShown = (field: StoredField, value: unknown): string => Array.isArray(value)
  ? 'has an element that cannot be written, and differs from the current value'
  : expectation(field, value)

/**
 * Returns true for a value that no client can write, but that GET may show: `NaN`, an integer beyond 2^53, the time
 * `24:00:00`, the null of JSON in a column that is not null, an array of such values.
 */
export function isOnlyShown ({ readable, nullable, type, schema }: StoredField, value: unknown): boolean {
  if (!readable) return false
  if (value === null) return !nullable && type.kind === 'json'
  if (Array.isArray(value)) return type.kind === 'json' && isOnlyShownArray(schema, value)
  return isShownText(value, type)
}

/** Returns true for an array of elements that GET may show, of which no client can write some. */
function isOnlyShownArray (schema: TSchema, array: readonly unknown[]): boolean {
  const elements = describeElements(schema)
  if (elements === undefined) return false
  // An array of a database may have null in any column.
  const isOnlyShown = (one: unknown) => one === null ? !elements.nullable : isShownText(one, elements.type)
  const isTaken = (one: unknown) => one === null || elements.type.take(one) !== undefined
  return array.some(isOnlyShown) && array.every(one => isOnlyShown(one) || isTaken(one))
}

function isShownText (value: unknown, type: ValueType): boolean {
  return typeof value === 'string' && type.take(value) === undefined && type.parse(value) === value
}

/** Returns the message for a name of no field. To look for a near name takes time. */
export const noSuchField = (name: string, collection: Collection) => (): string =>
  `there is no such field${orNearest(name, readableNames(collection))}`
