import { DataApiError, type Facts } from './errors.ts'

/**
 * The error of a rule that denies access: an error with a `statusCode` of 401 or 403, whose message and headers are
 * meant for the client. Undefined for any other error.
 */
export function refusedByRule (error: unknown): DataApiError | undefined {
  if (error instanceof DataApiError && (error.code === 'unauthorized' || error.code === 'forbidden')) return error
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined
  if (error.statusCode !== 401 && error.statusCode !== 403) return undefined
  return rejected(error.statusCode, error.message, error)
}

/** The error for a caller who is not known, and may perhaps do this once it is. */
export const unauthorized = (cause?: unknown) =>
  new DataApiError('unauthorized', 'You must sign in to do this.', { cause })

/** An operation on the items of a collection, by its name on the wire. */
export interface DeniedOperation { readonly operation: string, readonly collection: string }

export const operationDenied = ({ operation, collection }: DeniedOperation) =>
  new DataApiError('forbidden', `You may not ${operation} '${collection}'.`, { collection, operation })

/** An error that a hook of the application threw, with a status of its own. */
export function rejected (status: number, message: string, cause: unknown): DataApiError {
  const facts = { cause, ...headersOf(cause), ...detailsOf(cause) }
  if (status === 401) return new DataApiError('unauthorized', message, facts)
  if (status === 403) return new DataApiError('forbidden', message, facts)
  return new DataApiError('rejected', message, { status, ...facts })
}

/** The headers of an error, such as `WWW-Authenticate`, in the form that Fastify itself accepts. */
function headersOf (error: unknown): { readonly headers?: Readonly<Record<string, string>> } {
  if (typeof error !== 'object' || error === null || !('headers' in error)) return {}
  if (typeof error.headers !== 'object' || error.headers === null) return {}
  const headers = Object.entries(error.headers).map(([name, value]) => [name.toLowerCase(), String(value)])
  return { headers: Object.fromEntries(headers) }
}

/** The details of an error, if they have the form of those of `validation`: a pointer and a message each. */
function detailsOf (error: unknown): Pick<Facts, 'details'> {
  if (typeof error !== 'object' || error === null || !('details' in error)) return {}
  const { details } = error
  return Array.isArray(details) && details.every(isDetail)
    ? { details: details.map(({ pointer, message }) => ({ pointer, message })) }
    : {}
}

const isDetail = (detail: unknown): detail is { readonly pointer: string, readonly message: string } =>
  typeof detail === 'object' && detail !== null && 'pointer' in detail && typeof detail.pointer === 'string' &&
  'message' in detail && typeof detail.message === 'string'

interface Log { error (facts: object, message: string): void }

/** Logs an error as `err` of the facts. Logs another one in place of an error that a logger cannot print. */
export function logError (log: Log, facts: { readonly err: unknown }, message: string): void {
  try {
    log.error(facts, message)
  } catch {
    // Its `message` throws, or it is a Proxy that does. The log line must not fail what went well.
    log.error({ ...facts, err: new Error('an error was thrown that cannot be printed') }, message)
  }
}
