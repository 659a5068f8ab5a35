import type { TSchema } from '@sinclair/typebox'
import { describeValue } from '../../errors/errors.ts'
import type { InputField, StoredField } from '../../model/model.ts'
import { describeElements, type ValueType } from '../../model/values.ts'

/** Returns the message for a value that a field does not take. */
export const expectation = ({ type, nullable }: StoredField | InputField, value: unknown): string =>
  `must be ${type.expected}${nullable ? ' or null' : ''}; found ${describeValue(value)}`

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
