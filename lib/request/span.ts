import type { TextPlace } from './request.ts'

/** A stretch of a parameter's decoded text, which knows where in the request it stands. */
export interface Span {
  readonly text: string
  /** The first character that belongs to it, and the first after it. */
  readonly start: number
  readonly end: number
  readonly parameter: string
  /** Where positions are counted from: the parameter's value, or the whole of a parameter that is a filter. */
  readonly origin: number
}

export const placeAt = ({ parameter, origin }: Span, index: number): TextPlace => ({ parameter, position: index - origin + 1 })

export const textOf = ({ text, start, end }: Span) => text.slice(start, end)

export const part = (span: Span, start: number, end: number): Span => ({ ...span, start, end })

/** Whether one of the characters stands at the index, inside the span. */
export function standsAt ({ text, end }: Span, index: number, characters: string): boolean {
  return index < end && characters.includes(text.charAt(index))
}

/** The whole character at the index, for a message; nothing beyond the span. */
export function characterAt ({ text, end }: Span, index: number): string {
  const code = index < end ? text.codePointAt(index) : undefined
  return code === undefined ? '' : String.fromCodePoint(code)
}

/** The parts between delimiters. */
export function split (span: Span, delimiters: ReadonlySet<string>): readonly Span[] {
  const parts: Span[] = []
  let start = span.start
  for (let index = span.start; index < span.end; index++) {
    if (!delimiters.has(span.text.charAt(index))) continue
    parts.push(part(span, start, index))
    start = index + 1
  }
  return [...parts, part(span, start, span.end)]
}

/** The index after the closing quote of the quoted text that begins here; nothing where it is never closed. */
export function quoteEnd ({ text, end }: Span, start: number): number | undefined {
  let index = start + 1
  while (index < end) {
    if (text[index] === '"') return index + 1
    index += text[index] === '\\' && isEscaped(text[index + 1]) ? 2 : 1
  }
  return undefined
}

/** What stands between the quotes, with `\"` and `\\` read; any other backslash is data. */
export const unquote = (quoted: string) => quoted.slice(1, -1).replaceAll(/\\(["\\])/g, '$1')

const isEscaped = (character: string | undefined) => character === '"' || character === '\\'
