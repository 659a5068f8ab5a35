import { contentTooLarge, describeValue, validation } from '../errors/errors.ts'
import { isObject } from '../errors/is-object.ts'
import { didYouMean, suggest } from '../errors/suggest.ts'
import type { Violation } from '../errors/violation.ts'

/** An operation of a batch, as the client wrote it (docs/http.md: Batches). */
export interface BatchOperation {
  readonly method: string
  /** Begins with a slash: the root of the API. */
  readonly path: string
  /** Undefined without a body. */
  readonly body: unknown
  /** True if the body is a merge patch. */
  readonly merge: boolean
  /** The name by which later operations refer to the item; undefined without one. */
  readonly as: string | undefined
  /** The texts of the headers of these names. */
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly returns: string | undefined
}

/**
 * Returns the operations of a batch. Throws content_too_large for more than `most`, and validation with all faults in
 * their form.
 */
export function parseBatch (body: unknown, most: number): readonly BatchOperation[] {
  if (!Array.isArray(body)) {
    throw validation([{ pointer: '', message: `must be an array of operations; found ${describeValue(body)}` }])
  }
  if (body.length > most) throw contentTooLarge(`A batch can have at most ${most} operations (limit 'operations').`)
  const names = new Set<unknown>()
  const violations = body.flatMap((one: unknown, index) => faultsOf(one, `/${index}`, names))
  if (violations.length > 0) throw validation(violations)
  return (body as readonly Written[]).map(toOperation)
}

/** An operation whose form was checked. */
interface Written {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly merge?: boolean
  readonly as?: string
  readonly if_match?: string
  readonly if_none_match?: string
  readonly return?: string
}

const toOperation = (
  { method, path, body, merge = false, as, if_match: ifMatch, if_none_match: ifNoneMatch, return: returns }: Written
): BatchOperation => ({ method, path, body, merge, as, ifMatch, ifNoneMatch, returns })

/** The members of an operation: the values that each takes, in words, and their test. */
const members: Readonly<Record<keyof Written, readonly [expected: string, fits: Fits]>> = {
  method: ["'POST', 'PUT', 'PATCH' or 'DELETE'", value => isOneOf(['POST', 'PUT', 'PATCH', 'DELETE'], value)],
  path: ["a path that begins with '/', the root of the API", value => isText(value) && value.startsWith('/')],
  body: ['JSON', () => true],
  merge: ["true, of an operation with the method 'PATCH'", (value, method) => value === true && method === 'PATCH'],
  as: ["a name of at most 64 letters, digits and '_'", value => isText(value) && isName(value)],
  if_match: ["the text of a header 'If-Match'", value => isText(value)],
  if_none_match: ["the text of a header 'If-None-Match'", value => isText(value)],
  return: ["'representation' or 'minimal'", value => isOneOf(['representation', 'minimal'], value)]
}

/** `method`: that of the operation. */
type Fits = (value: unknown, method: unknown) => boolean

const isText = (value: unknown) => typeof value === 'string'
const isOneOf = (values: readonly unknown[], value: unknown) => values.includes(value)
const isName = (text: string) => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text)

/** `names`: those of the operations before. */
function faultsOf (operation: unknown, pointer: string, names: Set<unknown>): readonly Violation[] {
  if (!isObject(operation)) return [{ pointer, message: `must be an operation; found ${describeValue(operation)}` }]
  const known = Object.keys(members)
  const unknown = Object.keys(operation).filter(name => !known.includes(name)).map(name => ({
    pointer, message: () => `an operation has no member '${name}'.${didYouMean(suggest(name, known))}`
  }))
  const wrong = Object.entries(members).flatMap(([name, [expected, fits]]) => {
    const value = operation[name]
    if (value === undefined && name !== 'method' && name !== 'path') return []
    if (fits(value, operation['method'])) return []
    return [{ pointer: `${pointer}/${name}`, message: expectedOf(expected, value) }]
  })
  const { as } = operation
  const isTaken = as !== undefined && names.has(as)
  names.add(as)
  return [...unknown, ...wrong, ...isTaken ? [{ pointer: `${pointer}/as`, message: 'names two operations' }] : []]
}

const expectedOf = (expected: string, value: unknown) =>
  value === undefined ? `is required: ${expected}` : `must be ${expected}; found ${describeValue(value)}`

/** Returns the name of an earlier operation that a path begins with, as `/$can/albums` does; undefined for others. */
export const nameInPath = ([segment = '']: readonly string[]): string | undefined =>
  segment.startsWith('$') ? segment.slice(1) : undefined

/** Returns the name of an earlier operation in place of an item: `{"$":"can"}`; undefined for other values. */
export function nameInBody (value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  const { $: name, ...others } = value
  return typeof name === 'string' && Object.keys(others).length === 0 ? name : undefined
}
