/** What a code means on the wire: its status and, for errors about the state of a resource, its state (docs/http.md: Errors). */
export interface ErrorKind { readonly status: number, readonly state?: 'not_found' | 'conflict' | 'precondition_failed' }

export const errorKinds = {
  identifier_not_found: { status: 404, state: 'not_found' },
  collection_not_found: { status: 404, state: 'not_found' },
  field_not_found: { status: 404, state: 'not_found' },
  ambiguous_identifier: { status: 409, state: 'conflict' },
  argument: { status: 400 },
  duplicate: { status: 409, state: 'conflict' },
  reference: { status: 409, state: 'conflict' },
  constraint: { status: 400 },
  validation: { status: 400 },
  precondition_failed: { status: 412, state: 'precondition_failed' },
  precondition_required: { status: 428 },
  invalid_filter: { status: 400 },
  invalid_sort: { status: 400 },
  invalid_fields: { status: 400 },
  invalid_page: { status: 400 },
  invalid_parameter: { status: 400 },
  malformed_url: { status: 400 },
  malformed_body: { status: 400 },
  unauthorized: { status: 401 },
  forbidden: { status: 403 },
  method_not_allowed: { status: 405 },
  not_acceptable: { status: 406 },
  content_too_large: { status: 413 },
  unsupported_media_type: { status: 415 },
  rejected: { status: 400 },
  internal: { status: 500 },
  unavailable: { status: 503 },
  outcome_unknown: { status: 503 }
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof errorKinds

/** What an error knows besides its code and message: members of its body, but for `headers` and `cause`. */
export interface Facts {
  /** The query parameter at fault. */
  readonly parameter?: string
  /** The character in it, from 1 (docs/http.md: Errors). */
  readonly position?: number
  /** The name that was probably meant. */
  readonly suggestion?: string
  /** The fields at fault, by their names on the wire. */
  readonly fields?: readonly string[]
  /** All that is wrong with a body, and where: JSON pointers (RFC 6901). */
  readonly details?: ReadonlyArray<{ readonly pointer: string, readonly message: string }>
  /** The element of the body at fault, where it holds more than one item. */
  readonly pointer?: string
  /** Paths that would do. */
  readonly candidates?: readonly string[]
  /** Instead of the code's own status, for `rejected`. */
  readonly status?: number
  /** Sent with the answer, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** Every error that a client is told of. `code` decides status and shape; `message` is for the person who must fix it. */
export class DataApiError extends Error {
  override readonly name: string = 'DataApiError'
  readonly code: ErrorCode
  readonly facts: Omit<Facts, 'cause'>
  constructor (code: ErrorCode, message: string, { cause, ...facts }: Facts = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.facts = facts
  }
}

/** Thrown by a setter to reject a value: 400 with its message (docs/http.md: Writing). */
export class ArgumentError extends DataApiError {
  override readonly name = 'ArgumentError'
  constructor (message: string) { super('argument', message) }
}

/** Thrown at registration for a mistake in a declaration or an option. */
export class DeclarationError extends Error { override readonly name = 'DeclarationError' }

export const identifierNotFound = (identifier: string) => new DataApiError('identifier_not_found', `An item was not found with the identifier '${identifier}'.`)

export const collectionNotFound = (name: string, suggestion: string | undefined) =>
  new DataApiError('collection_not_found', `There is no collection '${name}'.${didYouMean(suggestion)}`, { ...suggestion !== undefined && { suggestion } })

export const fieldNotFound = (name: string, suggestion: string | undefined) =>
  new DataApiError('field_not_found', `There is no field '${name}'.${didYouMean(suggestion)}`, { ...suggestion !== undefined && { suggestion } })

export const ambiguousIdentifier = (identifier: string, candidates: readonly string[]) =>
  new DataApiError('ambiguous_identifier', `More than one item has the identifier '${identifier}'.${candidates.length > 0 ? ` These paths tell them apart: ${candidates.join(', ')}` : ''}`, { candidates })

export const methodNotAllowed = (method: string, allow: string) =>
  new DataApiError('method_not_allowed', `${method} is not possible here, only ${allow}.`, { headers: { allow } })

export const notAcceptable = (available: readonly string[]) =>
  new DataApiError('not_acceptable', `None of the media types in 'Accept' can be given; there is ${available.join(', ')}.`)

export const unsupportedMediaType = (...expected: readonly string[]) =>
  new DataApiError('unsupported_media_type', `The body must be sent as ${expected.join(' or ')}.`, { headers: { accept: expected.join(', ') } })

export const contentTooLarge = (message: string, cause?: unknown) => new DataApiError('content_too_large', message, { cause })

/** Everything that is wrong with a body. A body of garbage could be wrong in a million ways, so it is told the first hundred. */
export const validation = (details: NonNullable<Facts['details']>) =>
  new DataApiError('validation', `The body is not what it must be: ${details.length === 1 ? 'one thing is' : `${details.length} things are`} wrong.`, { details: details.slice(0, 100) })

/** Where in the body, if it holds more than one item. */
const pointing = (pointer: string) => pointer === '' ? {} : { pointer }

export const duplicate = (fields: readonly string[], pointer: string) =>
  new DataApiError('duplicate', fields.length === 0 ? 'There is such an item already.' : `There is an item with the same ${quoted(fields)} already.`, { fields, ...pointing(pointer) })

export const danglingReference = (fields: readonly string[], pointer: string) =>
  new DataApiError('reference', `There is no item that ${quoted(fields)} could refer to.`, { fields, ...pointing(pointer) })

/** Of a foreign key that the database checks at the end of a transaction, without saying which. */
export const deferredReference = (cause: unknown) => new DataApiError('reference', 'An item refers to one that is not there.', { fields: [], cause })

export const stillReferred = (pointer: string) => new DataApiError('reference', 'Other items refer to this one.', { fields: [], ...pointing(pointer) })

export const constraint = (fields: readonly string[], pointer: string) =>
  new DataApiError('constraint', fields.length === 0 ? 'The database does not take this item.' : `The database does not take this item's ${quoted(fields)}.`, { fields, ...pointing(pointer) })

export const preconditionFailed = (message: string) => new DataApiError('precondition_failed', message)

export const preconditionRequired = () =>
  new DataApiError('precondition_required', "This item is changed only with 'If-Match': send the 'ETag' of the item as you know it.")

/** The same error, told of one element of a body. */
export function atPointer (error: DataApiError, pointer: string): DataApiError {
  if (pointer === '' || error.facts.pointer !== undefined) return error
  return new DataApiError(error.code, error.message, { ...error.facts, pointer, cause: error.cause })
}

const quoted = (names: readonly string[]) => names.map(name => `'${name}'`).join(', ')

export const malformedBody = (message: string, cause?: unknown) => new DataApiError('malformed_body', message, { cause })

export const unavailable = (cause: unknown) =>
  new DataApiError('unavailable', 'The data cannot be reached at the moment; try again later.', { headers: { 'retry-after': '1' }, cause })

/**
 * The connection was lost after a commit was sent and before it was confirmed. There is no `Retry-After`: a client that repeats such a write without
 * looking may do it twice (docs/http.md: Errors).
 */
export const outcomeUnknown = (cause: unknown) =>
  new DataApiError('outcome_unknown', 'The connection to the database was lost before it confirmed this write, which may have been done. Read what is there before you send it again.', { cause })

export const forbidden = () => new DataApiError('forbidden', 'You may not do this.')

/** What the application says a caller may not: an error with a statusCode of 401 or 403, its message and headers meant for the client. Nothing for another error. */
export function refusedByRule (error: unknown): DataApiError | undefined {
  if (error instanceof DataApiError && (error.code === 'unauthorized' || error.code === 'forbidden')) return error
  if (!(error instanceof Error) || !('statusCode' in error) || (error.statusCode !== 401 && error.statusCode !== 403)) return undefined
  return rejected(error.statusCode, error.message, error)
}

/** An error that a hook of the application threw, with the status that it gave. */
export function rejected (status: number, message: string, cause: unknown): DataApiError {
  const facts = { cause, ...headersOf(cause) }
  if (status === 401) return new DataApiError('unauthorized', message, facts)
  if (status === 403) return new DataApiError('forbidden', message, facts)
  return new DataApiError('rejected', message, { status, ...facts })
}

/** The headers of an error, such as `WWW-Authenticate`, as Fastify itself takes them. */
function headersOf (error: unknown): { readonly headers?: Readonly<Record<string, string>> } {
  if (typeof error !== 'object' || error === null || !('headers' in error) || typeof error.headers !== 'object' || error.headers === null) return {}
  return { headers: Object.fromEntries(Object.entries(error.headers).map(([name, value]) => [name.toLowerCase(), String(value)])) }
}

/** Whatever was not foreseen: the client is told nothing of it but that it happened. */
export const internal = (cause: unknown) => new DataApiError('internal', 'Something went wrong on the server.', { cause })

/** For the end of a message: what was probably meant. */
export const didYouMean = (suggestion: string | undefined) => suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`

/** Where in the query string something stood. */
interface QueryPlace { readonly parameter: string, readonly position: number }

/** Makes the errors of one part of a query string, which all know where they stand and perhaps what was meant. */
const invalid = (code: ErrorCode) => (message: string, { parameter, position }: QueryPlace, suggestion?: string) =>
  new DataApiError(code, message, { parameter, position, ...suggestion !== undefined && { suggestion } })

export const invalidFilter = invalid('invalid_filter')
export const invalidSort = invalid('invalid_sort')
export const invalidFields = invalid('invalid_fields')
export const invalidPage = invalid('invalid_page')
/** A position whose values are of the right types and yet cannot be: it was made by hand. */
export const foreignPosition = (cause: unknown) => new DataApiError('invalid_page', "The request's position is not from one of this API's own links.", { cause })
export const invalidParameter = invalid('invalid_parameter')

export const malformedUrl = (message: string) => new DataApiError('malformed_url', message)
