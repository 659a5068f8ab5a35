import { DataApiError, invalidParameter } from './errors.ts'

/** For a write of all items of a list. */
export const filterRequired = (method: string) =>
  new DataApiError(
    'filter_required',
    `${method} of a list requires a filter. For all of its items, use one that all satisfy.`
  )

export const invalidMost = () =>
  invalidParameter("'Prefer: max-affected' takes a whole number.", { parameter: 'Prefer', position: 1 })

export const tooManyAffected = (most: number) =>
  new DataApiError('too_many_affected', `More than ${most} items match. Nothing was written.`, { affected: most + 1 })
