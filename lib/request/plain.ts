import type { RequestText } from './parse.ts'

/** The parts of a plain request. */
export interface PlainRequest {
  readonly method: string
  readonly name: string
  /** Undefined for a creation. */
  readonly segment: string | undefined
  readonly field: string | undefined
}

/**
 * Returns a function that takes apart a plain request, whose text means itself: a collection's creation, or an item or
 * a field of it, without a query, encoded characters and preferences. Undefined for any other request, which
 * parseRequest() parses. `prefix`: the path of the API's root.
 */
export function plainRequests (
  prefix: string, { dictionaryPrefix }: { readonly dictionaryPrefix: string }
): (text: RequestText) => PlainRequest | undefined {
  // A parameter of the application's own path has another text in each request.
  if (!/^[/\w.-]*$/.test(prefix)) return () => undefined
  const path = new RegExp(`^${prefix.replaceAll('.', '\\.')}/([\\w-]+)(?:/([\\w.~:@$-]+)(?:/([\\w-]+))?)?$`)
  return text => {
    if (!isPlain(text)) return undefined
    const [, name = '', segment, field] = path.exec(text.url) ?? none
    const isOne = text.method === 'POST' ? segment === undefined : segment?.startsWith(dictionaryPrefix) === false
    return name !== '' && isOne ? { method: text.method, name, segment, field } : undefined
  }
}

const none: readonly string[] = []

function isPlain ({ method, accept, prefer, cacheControl, ifMatch, ifNoneMatch, idempotencyKey, body }: RequestText) {
  if (accept !== undefined && accept !== '*/*' && accept !== 'application/json') return false
  if (prefer !== undefined || cacheControl !== undefined) return false
  if (method === 'GET') return true
  const isConditional = ifMatch !== undefined || ifNoneMatch !== undefined || idempotencyKey !== undefined
  return !isConditional && writes.has(method) && body.refusal === undefined && body.stream === undefined
}

const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])
