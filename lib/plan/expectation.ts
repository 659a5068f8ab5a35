import type { TSchema } from '@sinclair/typebox'
import { describeValue } from '../errors.ts'
import type { InputField, StoredField } from '../model/model.ts'
import { describeElements, type ValueType } from '../model/values.ts'

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
  if (Array.isArray(value)) return type.kind === 'json' && value.some(one => isOnlyShownIn(schema, one))
  return isShownText(value, type)
}

/** Returns true for an element that no client can write into an array, which may have null in any column. */
function isOnlyShownIn (schema: TSchema, element: unknown): boolean {
  const elements = describeElements(schema)
  if (elements === undefined) return false
  return element === null ? !elements.nullable : isShownText(element, elements.type)
}

function isShownText (value: unknown, type: ValueType): boolean {
  return typeof value === 'string' && type.take(value) === undefined && type.parse(value) === value
}
