// Bodies of answers that many tests expect.

/** The answer to a write without words of its own. */
export const ok = { status: 'ok' }

/** The answer to a creation, of an item with this id. */
export const created = (id: unknown) => ({ status: 'created', id })

/** The error where a path names no item. */
export const missing = (identifier: string) => ({
  status: 'not_found',
  error: 'identifier_not_found',
  message: `An item was not found with the identifier '${identifier}'.`
})

/** The error where a path names two items, which each of the candidates tells from the other. */
export const ambiguous = (identifier: string, ...candidates: readonly string[]) => ({
  status: 'conflict',
  error: 'ambiguous_identifier',
  message: `More than one item has the identifier '${identifier}'. Use one of these paths instead: ${
    candidates.join(', ')}`,
  candidates
})

/** The error where a path names no field. */
export const noField = (name: string) =>
  ({ status: 'not_found', error: 'field_not_found', message: `There is no field '${name}'.` })

/** The error of a body with these mistakes. */
export const validation = (...details: ReadonlyArray<readonly [pointer: string, message: string]>) => ({
  error: 'validation',
  message: `The body is not valid; 'details' lists ${details.length === 1
    ? '1 problem'
    : `${details.length} problems`}.`,
  details: details.map(([pointer, message]) => ({ pointer, message }))
})

const at = (pointer: string | undefined) => ({ ...pointer !== undefined && { pointer } })

/** The error where another item has the values of these fields. */
export const duplicate = (fields: string | readonly string[], pointer?: string) => {
  const all = [fields].flat()
  const message = `An item with the same ${all.map(field => `'${field}'`).join(' and ')} already exists.`
  return { status: 'conflict', error: 'duplicate', message, fields: all, ...at(pointer) }
}

/** The error where a reference leads to no item, and where an item that others refer to would go. */
export const reference = (message: string, fields: readonly string[] = [], pointer?: string) =>
  ({ status: 'conflict', error: 'reference', message, fields, ...at(pointer) })

/** The error of a foreign key whose value no item has. */
export const dangling = (field: string, pointer?: string) =>
  reference(`The item referred to by '${field}' does not exist.`, [field], pointer)

/** The error where an item that others refer to would go. */
export const referred = reference('Other items still refer to this item.')

/** The error where the database takes no such value of a field. */
export const constraint = (field: string, pointer?: string) => ({
  error: 'constraint',
  message: `The database does not accept this item because of '${field}'.`,
  fields: [field],
  ...at(pointer)
})

/** The error where a resource does not take a method. */
export const notAllowed = (method: string, allow: string) =>
  ({ error: 'method_not_allowed', message: `${method} is not allowed here. Allowed methods: ${allow}.` })

/** The error where a write fails a precondition. */
export const unmet = (message: string) => ({ status: 'precondition_failed', error: 'precondition_failed', message })

/** The error where the scope or a rule says no, without words of its own. */
export const forbidden = { error: 'forbidden', message: 'You are not allowed to do this.' }

/** The error where the application fails. */
export const internal = { error: 'internal', message: 'Something went wrong on the server.' }
