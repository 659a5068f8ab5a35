import type { invalidFields, invalidFilter, invalidSort } from '../errors/errors.ts'
import { placeAt, type Span, standsAt, textOfSpan } from './span.ts'
import type { Syntax } from './syntax.ts'

/** Returns the index after the parentheses of a function, which follow its name; the end of the name without them. */
export const callEnd = (span: Span, nameEnds: number): number =>
  standsAt(span, nameEnds, '(') && standsAt(span, nameEnds + 1, ')') ? nameEnds + 2 : nameEnds

/**
 * Splits `name { "." name }` into its names; that of a function, which can be the last, keeps its parentheses. Throws
 * the error that `invalid` makes for an empty name, and for more names than the limit. `what`: what has the path, for
 * the message.
 */
export function readPath (
  span: Span, { limits }: Syntax, what: string,
  invalid: typeof invalidFields | typeof invalidFilter | typeof invalidSort
): readonly string[] {
  const path = textOfSpan(span).split('.')
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
