import type { TextPlace } from './request.ts'

/** A part of a parameter's decoded text, with its place in the request. */
export interface Span {
  readonly text: string
  /** The index of the first character of the span. */
  readonly start: number
  /** The index after the last character of the span. */
  readonly end: number
  readonly parameter: string
  /** The index that has position 1: the start of the parameter's value, or 0 for a parameter that is a filter. */
  readonly origin: number
}

export function placeAt ({ parameter, origin }: Span, index: number): TextPlace {
  return { parameter, position: index - origin + 1 }
}

export const textOfSpan = ({ text, start, end }: Span) => text.slice(start, end)

/** Returns the part of a span between two indexes of its text. */
export const part = (span: Span, start: number, end: number): Span => ({ ...span, start, end })

/** Returns true if the character at the index is inside the span and one of those given. */
export function standsAt ({ text, end }: Span, index: number, characters: string): boolean {
  return index < end && characters.includes(text.charAt(index))
}

/** Returns the whole character at the index, also one of two code units, or '' outside of the span. */
export function characterAt ({ text, end }: Span, index: number): string {
  const code = index < end ? text.codePointAt(index) : undefined
  return code === undefined ? '' : String.fromCodePoint(code)
}

/** Splits a span at each delimiter, into at most `most` parts; the last part then holds the rest. */
export function split (span: Span, delimiters: ReadonlySet<string>, most = Infinity): readonly Span[] {
  const parts: Span[] = []
  let start = span.start
  for (let index = span.start; index < span.end && parts.length < most - 1; index++) {
    if (!delimiters.has(span.text.charAt(index))) continue
    parts.push(part(span, start, index))
    start = index + 1
  }
  parts.push(part(span, start, span.end))
  return parts
}

/**
 * Returns the index after the closing quote of the quoted text that begins at `start`, or undefined if there is none.
 */
export function quoteEnd ({ text, end }: Span, start: number): number | undefined {
  let index = start + 1
  while (index < end) {
    if (text[index] === '"') return index + 1
    index += text[index] === '\\' && isEscaped(text[index + 1]) ? 2 : 1
  }
  return undefined
}

/** Returns the text between the quotes, with `\"` and `\\` unescaped. Any other backslash is data. */
export const unquote = (quoted: string) => quoted.slice(1, -1).replaceAll(/\\(["\\])/g, '$1')

const isEscaped = (character: string | undefined) => character === '"' || character === '\\'
