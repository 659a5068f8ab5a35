import type { invalidFilter, invalidSort } from '../errors/errors.ts'
import { placeAt, type Span, textOf } from './span.ts'
import type { Syntax } from './syntax.ts'

/**
 * Splits `name { "." name }` into its names. Throws the error that `invalid` makes for an empty name, and for more
 * names than the limit. `what`: what has the path, for the message.
 */
export function readPath (
  span: Span, { limits }: Syntax, what: string, invalid: typeof invalidFilter | typeof invalidSort
): readonly string[] {
  const path = textOf(span).split('.')
  const empty = path.indexOf('')
  if (empty >= 0) {
    const dot = span.start + path.slice(0, empty).join('.').length
    throw invalid("A '.' must be between two names.", placeAt(span, dot))
  }
  if (path.length > limits.depth) {
    const message = `A path in a ${what} can have at most ${limits.depth} names (limit 'depth').`
    throw invalid(message, placeAt(span, span.start))
  }
  return path
}
