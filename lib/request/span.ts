import type { Place } from './request.ts'

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

export const placeAt = ({ parameter, origin }: Span, index: number): Place => ({ parameter, position: index - origin + 1 })

export const textOf = ({ text, start, end }: Span) => text.slice(start, end)

export const part = (span: Span, start: number, end: number): Span => ({ ...span, start, end })

/** The parts between delimiters; quoted text is never split. */
export function split (span: Span, delimiters: ReadonlySet<string>): readonly Span[] {
  const parts: Span[] = []
  let start = span.start
  let index = span.start
  while (index < span.end) {
    const character = span.text[index] ?? ''
    if (character === '"' && index === start) {
      index = quoteEnd(span, index)
    } else {
      if (delimiters.has(character)) {
        parts.push(part(span, start, index))
        start = index + 1
      }
      index++
    }
  }
  return [...parts, part(span, start, span.end)]
}

/** The index after the closing quote of the quoted text that begins here; the span's end where it is never closed. */
export function quoteEnd ({ text, end }: Span, start: number): number {
  let index = start + 1
  while (index < end) {
    if (text[index] === '"') return index + 1
    index += text[index] === '\\' && isEscaped(text[index + 1]) ? 2 : 1
  }
  return end
}

/** What stands between quotes, with `\"` and `\\` read; nothing where the text is not closed where the span ends. */
export function unquote (span: Span): string | undefined {
  const inner = span.text.slice(span.start + 1, span.end - 1)
  const closed = span.end - span.start >= 2 && span.text[span.end - 1] === '"' && quoteEnd(span, span.start) === span.end && closesAtEnd(span)
  return closed ? inner.replaceAll(/\\(["\\])/g, '$1') : undefined
}

const isEscaped = (character: string | undefined) => character === '"' || character === '\\'

/** An escaped quote at the end closes nothing. */
function closesAtEnd ({ text, start, end }: Span): boolean {
  let escapes = 0
  for (let index = end - 2; index > start && text[index] === '\\'; index--) escapes++
  return escapes % 2 === 0
}
