import { DataApiError, listOf, longestShown, pointing } from './errors.ts'

export function danglingReference (fields: readonly string[], pointer: string, cause?: unknown): DataApiError {
  const message = fields.length === 0
    ? 'The item refers to an item that does not exist.'
    : `The item referred to by ${listOf(fields)} does not exist.`
  return new DataApiError('reference', message, { fields, ...pointing(pointer), cause })
}

/**
 * For an element that names no item. `names`: the fields by which it names one, with their values. `canCreate`: true if
 * the caller may create one with these values elsewhere.
 */
export function noSuchItem (
  collection: string, names: ReadonlyArray<readonly [name: string, value: unknown]>,
  { field, pointer, canCreate }: { readonly field: string, readonly pointer: string, readonly canCreate: boolean }
): DataApiError {
  const isPlural = /s$/i.test(collection) && !/(?:ie|[sxz]e|[cs]he|[suiw])s$/i.test(collection)
  const noun = isPlural ? collection.slice(0, -1) : `item of '${collection}'`
  const given = names.map(([name, value]) => {
    const text = String(value)
    const shown = typeof value === 'string' ? `'${text}'` : text
    return text.length <= longestShown ? `the ${name} ${shown}` : `this ${name}`
  })
  const missing = given.length === 0 ? `There is no such ${noun}.` : `There is no ${noun} with ${given.join(' and ')}.`
  const message = canCreate ? `${missing} Create it first, in '${collection}'.` : missing
  return new DataApiError('reference', message, { fields: [field], ...pointing(pointer) })
}

/** For a foreign key that the database checks at the end of a transaction, without naming it. */
export const deferredReference = (cause: unknown) =>
  new DataApiError('reference', 'An item refers to an item that does not exist.', { fields: [], cause })

export const stillReferred = (pointer: string, cause?: unknown) =>
  new DataApiError('reference', 'Other items still refer to this item.', {
    fields: [], ...pointing(pointer), cause
  })
