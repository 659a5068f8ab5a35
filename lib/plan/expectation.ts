import { describeValue } from '../errors.ts'
import type { InputField, StoredField } from '../model/model.ts'

/** Returns the message for a value that a field does not take. */
export const expectation = ({ type, nullable }: StoredField | InputField, value: unknown): string =>
  `must be ${type.expected}${nullable ? ' or null' : ''}; found ${describeValue(value)}`

/**
 * Returns true for a value that no client can write, but that GET may show: `NaN`, an integer beyond 2^53, the time
 * `24:00:00`, the null of JSON in a column that is not null.
 */
export function isOnlyShown ({ readable, nullable, type }: StoredField, value: unknown): boolean {
  if (!readable) return false
  if (value === null) return !nullable && type.kind === 'json'
  return typeof value === 'string' && type.take(value) === undefined && type.parse(value) === value
}
