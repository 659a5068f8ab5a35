import { DataApiError } from './errors.ts'

/** The operations of errors that are the application's own. */
const operations = new WeakMap<object, number>()

/**
 * Returns the error of an operation of a batch: with its index, and with pointers that begin at the batch. An error of
 * the application stays as it is; `operationOf` returns its index.
 */
export function ofOperation (error: unknown, operation: number): unknown {
  if (error instanceof DataApiError) return atOperation(error, operation)
  if (typeof error === 'object' && error !== null) operations.set(error, operation)
  return error
}

/** Returns the index of the operation that the application's error has failed; undefined for other errors. */
export const operationOf = (error: unknown): number | undefined =>
  typeof error === 'object' && error !== null ? operations.get(error) : undefined

// The message tells those of the operation's path.
const methodsOfRoot = 'GET, HEAD, OPTIONS, POST'

/** A copy of the error that tells the operation; the error itself where it tells it already. */
export function atOperation (error: DataApiError, operation: number): DataApiError {
  const { pointer, details, ...facts } = error.facts
  if (typeof facts.operation === 'number') return error
  const place = `/${operation}/body`
  return new DataApiError(error.code, error.message, {
    ...facts,
    operation,
    ...error.code === 'method_not_allowed' && { headers: { allow: methodsOfRoot } },
    ...pointer !== undefined && { pointer: place + pointer },
    ...details && { details: details.map(one => ({ ...one, pointer: place + one.pointer })) },
    cause: error.cause
  })
}
