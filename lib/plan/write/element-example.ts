import type { Collection } from '../../model/model.ts'

/**
 * Returns the end of a message about a scalar in place of an element of a relation, which is mostly an identifier: how
 * an object names that item, such as ` such as {"id":2}`. Empty if no readable identifier takes the value.
 */
export function exampleOf (value: unknown, { stored }: Collection): string {
  if (value === null) return ''
  const field = stored.find(({ identifier, readable, type }) =>
    identifier && readable && type.take(value) !== undefined)
  if (field === undefined) return ''
  const text = JSON.stringify({ [field.name]: value })
  return text.length > 100 ? '' : ` such as ${text}`
}
