import { didYouMean } from './suggest.ts'
import { messageOf, type Violation } from './violation.ts'

/**
 * The meaning of a code on the wire: its status and, for errors about the state of a resource, that state
 * (docs/http.md: Errors).
 */
export interface ErrorKind {
  readonly status: number
  readonly state?: 'not_found' | 'conflict' | 'precondition_failed'
}

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
  filter_required: { status: 400 },
  too_many_affected: { status: 409, state: 'conflict' },
  idempotency_mismatch: { status: 422 },
  idempotency_key_required: { status: 400 },
  invalid_idempotency_key: { status: 400 },
  invalid_filter: { status: 400 },
  invalid_sort: { status: 400 },
  invalid_fields: { status: 400 },
  invalid_page: { status: 400 },
  invalid_parameter: { status: 400 },
  invalid_preference: { status: 400 },
  invalid_method_override: { status: 400 },
  answer_too_large: { status: 400 },
  malformed_url: { status: 400 },
  url_too_long: { status: 414 },
  malformed_body: { status: 400 },
  unauthorized: { status: 401 },
  forbidden: { status: 403 },
  method_not_allowed: { status: 405 },
  not_acceptable: { status: 406 },
  request_timeout: { status: 408 },
  content_too_large: { status: 413 },
  unsupported_media_type: { status: 415 },
  rejected: { status: 400 },
  internal: { status: 500 },
  unavailable: { status: 503 },
  outcome_unknown: { status: 503 }
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof errorKinds

/**
 * Everything that an error knows besides its code and message: members of its body, but for `headers`, `raised` and
 * `cause`.
 */
export interface Facts {
  /** The query parameter with the error. */
  readonly parameter?: string
  /** The position of the error in the parameter, in characters from 1 (docs/http.md: Errors). */
  readonly position?: number
  /** The name that the client probably meant. */
  readonly suggestion?: string
  /** The offending fields, by their names on the wire. */
  readonly fields?: readonly string[]
  /** The violations in a body. A `pointer` is a JSON pointer (RFC 6901). */
  readonly details?: ReadonlyArray<{ readonly line?: number, readonly pointer: string, readonly message: string }>
  /** The line of an import with the error, from 1. */
  readonly line?: number
  /** The offending element of a body that holds more than one item: a JSON pointer. */
  readonly pointer?: string
  /** The collection, by its name on the wire, in which a rule denies the operation. */
  readonly collection?: string
  /** The index of the operation of a batch that failed; of no batch, the name of the one that a rule denies. */
  readonly operation?: number | string
  /** The number of items that a write would have changed, counted up to the first that are too many. */
  readonly affected?: number
  /** Paths that lead to one item each. */
  readonly candidates?: readonly string[]
  /** Replaces the code's own status; for `rejected`. */
  readonly status?: number
  /** Headers of the answer, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The words of a trigger that refused the item, which `responseContent.raised` shows; no member of the body. */
  readonly raised?: string
  readonly cause?: unknown
}

/** An error that a client sees. `code` decides status and shape; `message` is for the person who must fix it. */
export class DataApiError extends Error {
  override readonly name: string = 'DataApiError'
  readonly code: ErrorCode
  /** The status of the answer, where Fastify and its plugins look for it. */
  readonly statusCode: number
  readonly facts: Omit<Facts, 'cause'>
  constructor (code: ErrorCode, message: string, { cause, ...facts }: Facts = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.statusCode = facts.status ?? errorKinds[code].status
    this.facts = facts
  }
}

/**
 * Thrown by a setter or hook to reject a value: 400 with its message (docs/http.md: Writing). `field`: the property
 * with the value, to which `pointer` in the body of the answer leads.
 */
export class ArgumentError extends DataApiError {
  override readonly name = 'ArgumentError'
  readonly field: string | undefined
  constructor (message: string, { field }: { readonly field?: string } = {}) {
    super('argument', message)
    this.field = field
  }
}

/** Thrown at registration for a mistake in a declaration or an option. */
export class DeclarationError extends Error { override readonly name = 'DeclarationError' }

/** `advice`: a sentence that follows the message, after a space. */
export const identifierNotFound = (identifier: string, advice = '') =>
  new DataApiError('identifier_not_found', `An item was not found with the identifier '${identifier}'.${advice}`)

export const collectionNotFound = (name: string, suggestion: string | undefined) =>
  new DataApiError('collection_not_found', `There is no collection '${name}'.${didYouMean(suggestion)}`, {
    ...suggestion !== undefined && { suggestion }
  })

export const fieldNotFound = (name: string, suggestion: string | undefined) =>
  new DataApiError('field_not_found', noField(`'${name}'`, suggestion), {
    ...suggestion !== undefined && { suggestion }
  })

/** Returns the message for an unknown field. `named`: its name in quotes, and what it was named for. */
export const noField = (named: string, suggestion: string | undefined): string =>
  `There is no field ${named}.${didYouMean(suggestion)}`

export function ambiguousIdentifier (identifier: string, candidates: readonly string[]): DataApiError {
  const advice = candidates.length > 0 ? ` Use one of these paths instead: ${candidates.join(', ')}` : ''
  return new DataApiError('ambiguous_identifier', `More than one item has the identifier '${identifier}'.${advice}`, {
    candidates
  })
}

export const methodNotAllowed = (method: string, allow: string) =>
  new DataApiError('method_not_allowed', `${method} is not allowed here. Allowed methods: ${allow}.`, {
    headers: { allow }
  })

export const invalidMethodOverride = (type: string) =>
  new DataApiError('invalid_method_override', "'X-HTTP-Method-Override' is for POST alone, with the value QUERY and " +
    `a body of ${type}. Send any other method as itself. Nothing was done.`)

export const notAcceptable = (available: readonly string[]) =>
  new DataApiError(
    'not_acceptable',
    `No media type in 'Accept' is available here. Available media types: ${available.join(', ')}.`
  )

export const unavailableFormat = (format: string, available: readonly string[]) =>
  new DataApiError(
    'not_acceptable',
    `The format '${format}' is not available here. Available formats: ${available.join(', ')}.`
  )

/** `patches`: the types that PATCH takes of the same resource. */
export const unsupportedMediaType = (expected: readonly string[], patches: readonly string[] = []) =>
  new DataApiError('unsupported_media_type', `The 'Content-Type' of the body must be ${expected.join(' or ')}.`, {
    headers: { accept: expected.join(', '), ...patches.length > 0 && { 'accept-patch': patches.join(', ') } }
  })

/** The error of a body that is compressed (RFC 9110, 15.5.16). */
export const unsupportedEncoding = (encoding: string) => new DataApiError(
  'unsupported_media_type',
  `The body is encoded as '${encoding}', which is not unpacked here. Send it without 'Content-Encoding'.`,
  { headers: { 'accept-encoding': 'identity' } }
)

export const contentTooLarge = (message: string, cause?: unknown) =>
  new DataApiError('content_too_large', message, { cause })

/** The violations in a body. The error lists the first 100: one body can have millions. */
export function validation (details: readonly Violation[]): DataApiError {
  const listed = details.slice(0, 100).map(one => ({ ...one, message: messageOf(one) }))
  const problems = details.length === 1 ? '1 problem' : `${details.length} problems`
  const list = listed.length < details.length ? `the first ${listed.length} of ${problems}` : problems
  return new DataApiError('validation', `The body is not valid; 'details' lists ${list}.`, { details: listed })
}

/** The fact `pointer`, for a body that holds more than one item. */
export const pointing = (pointer: string) => pointer === '' ? {} : { pointer }

export function duplicate (fields: readonly string[], pointer: string, cause?: unknown): DataApiError {
  const message = fields.length === 0
    ? 'Such an item already exists.'
    : `An item with the same ${listOf(fields)} already exists.`
  return new DataApiError('duplicate', message, { fields, ...pointing(pointer), cause })
}

export function constraint (
  fields: readonly string[], pointer: string, { cause, raised }: Pick<Facts, 'cause' | 'raised'> = {}
): DataApiError {
  const message = fields.length === 0
    ? 'The database does not accept this item.'
    : `The database does not accept this item because of ${listOf(fields)}.`
  const facts = { fields, ...pointing(pointer), cause }
  return new DataApiError('constraint', message, raised === undefined ? facts : { ...facts, raised })
}

/** For a new item whose key the database did not return, so that nobody could find the item. */
export const withoutKey = (pointer: string, cause: unknown) =>
  new DataApiError('constraint', 'The database gives this item no key, so it was not created.', {
    fields: [], ...pointing(pointer), cause
  })

export const preconditionFailed = (message: string) => new DataApiError('precondition_failed', message)

export const preconditionRequired = () =>
  new DataApiError(
    'precondition_required',
    "This request requires the header 'If-Match'. Send the 'ETag' that you got with the item."
  )

/** Names for a message, such as `'id', 'name' and 'age'`. */
export function listOf (names: readonly string[]): string {
  const quoted = names.map(name => `'${name}'`)
  return [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].filter(text => text !== '').join(' and ')
}

export const malformedBody = (message: string, cause?: unknown) =>
  new DataApiError('malformed_body', message, { cause })

export const unavailable = (
  cause: unknown, message = 'The data is not available at the moment. Try again later.'
): DataApiError => new DataApiError('unavailable', message, { headers: { 'retry-after': '1' }, cause })

export const readTimedOut = (milliseconds: number, cause: unknown) => unavailable(cause,
  `The read took longer than the limit 'statementTimeout' of ${milliseconds} ms. Ask for less, or try again later.`)

/** For a statement that the database cancelled, as PostgreSQL does beyond its timeout. */
export const statementCancelled = (cause: unknown) => unavailable(cause,
  "The database cancelled the statement, as it does beyond the limit 'statementTimeout'. Ask for less, or try again " +
  'later.')

/**
 * The connection was lost after a commit was sent and before it was confirmed. There is no `Retry-After`: a client that
 * repeats such a write without reading first may do it twice (docs/http.md: Errors).
 */
export const outcomeUnknown = (cause: unknown) =>
  new DataApiError(
    'outcome_unknown',
    'The connection to the database was lost before it confirmed this write, which may have been done. ' +
      'Read the data before you send the write again.',
    { cause }
  )

/** Fastify's `handlerTimeout` ended a write, which goes on: it may still be done. */
export const timedOut = (cause: unknown) =>
  new DataApiError(
    'outcome_unknown',
    'This write took too long to wait for, and may still be done. Read the data before you send the write again.',
    { cause }
  )

export const forbidden = (cause?: unknown, facts: Pick<Facts, 'fields'> = {}) =>
  new DataApiError('forbidden', 'You are not allowed to do this.', { ...facts, cause })

/** An unexpected error. Its message tells the client nothing about the cause. */
export const internal = (cause: unknown) =>
  new DataApiError('internal', 'Something went wrong on the server.', { cause })

/** A value that a client sent or the application gave, for a message: `the string '1991'`, `the number 1.5`, `null`. */
export function describeValue (value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.length <= longestShown ? `the string '${value}'` : `a string of ${value.length} characters`
    case 'number': return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? `the number ${value}` : 'a number out of range'
    case 'object': return value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object'
    default: return typeof value === 'function' ? 'a function' : String(value)
  }
}

/** The length of the longest text that a message repeats, in characters. */
export const longestShown = 50

interface QueryPlace { readonly parameter: string, readonly position: number }

const invalid = (code: ErrorCode) => (message: string, { parameter, position }: QueryPlace, suggestion?: string) =>
  new DataApiError(code, message, { parameter, position, ...suggestion !== undefined && { suggestion } })

export const invalidFilter = invalid('invalid_filter')
export const invalidSort = invalid('invalid_sort')
export const invalidFields = invalid('invalid_fields')
export const invalidPage = invalid('invalid_page')
export const invalidParameter = invalid('invalid_parameter')

/** For a cursor that the database refuses, although its values have the right types: no link of the API held it. */
export const foreignPosition = (cause: unknown) =>
  new DataApiError('invalid_page', "The request's cursor is not from one of this API's links.", { cause })

export const urlTooLong = (found: number, most: number) =>
  new DataApiError('url_too_long', `The path has ${found} segments, more than the limit 'segments' of ${most}.`)

/** For an answer of more than `most` characters; undefined if the database could not make its text. */
export function answerTooLarge (most: number | undefined, cause?: unknown, name = 'length'): DataApiError {
  const limit = most === undefined ? 'the database can hold in one value' : `the limit '${name}' of ${most} characters`
  const message = `This answer is longer than ${limit}. Ask for fewer items or fields.`
  return new DataApiError('answer_too_large', message, { cause })
}

export const tooManyGroups = (most: number) => new DataApiError(
  'answer_too_large', `There are more groups than the limit 'groups' of ${most}. Filter the items, or group by less.`
)

export const malformedUrl = (message: string) => new DataApiError('malformed_url', message)
