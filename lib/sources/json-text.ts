import { answerTooLarge } from '../errors.ts'

/** Returns a value as JSON.stringify writes it; `null` for a value that JSON does not have. */
export function textOf (value: unknown): string {
  switch (typeof value) {
    case 'number': return String(value)
    case 'string': return quote(value)
    default: return JSON.stringify(value) as string | undefined ?? 'null'
  }
}

/**
 * Returns a string as JSON. Most short strings need no escape, and looking them through takes less time than a call of
 * JSON.stringify.
 */
function quote (text: string): string {
  if (text.length > 40) return JSON.stringify(text)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff)) return JSON.stringify(text)
  }
  return `"${text}"`
}

/**
 * Returns the text between the brackets or braces that `write` writes around a list. Writes a long list in parts, so
 * that no more than twice the text that is allowed is ever made. Throws answer_too_large if the text is longer.
 */
export function writeInParts<T> (list: readonly T[], longest: number, write: (part: readonly T[]) => string): string {
  let text = ''
  for (let start = 0, size = firstPart; start < list.length; start += size, size = start) {
    const part = write(size < list.length ? list.slice(start, start + size) : list).slice(1, -1)
    text += text === '' ? part : `,${part}`
    if (text.length > longest) throw answerTooLarge(longest)
  }
  return text
}

const firstPart = 32
