import type { CsvRecord } from './lines.ts'

/** A record, the index of the character after it, and what is wrong with it. */
interface Found { readonly fields: CsvRecord, readonly end: number, readonly fault?: string }

/**
 * Reads the record of CSV that starts at an index (RFC 4180), whose line may end with LF, CRLF or CR:
 *
 * ```text
 * record = field *("," field)
 * field  = %x22 *(any but %x22 / 2%x22) %x22 / *(any but "," CR LF)
 * ```
 *
 * Returns undefined for a record that is not complete, as more text may follow. `isLast`: none follows. `delimiter`: a
 * character that is there instead of the comma. A package was not taken: none that streams tells an empty field from a
 * quoted one without a callback for each field.
 */
export function readRecord (text: string, start: number, isLast: boolean, delimiter = ','): Found | undefined {
  const fields: Array<string | null> = []
  const failed = (fault: string): Found => ({ fields, end: text.length, fault })
  let at = start
  for (;;) {
    if (text[at] === '"') {
      const quoted = readQuoted(text, at + 1, isLast)
      if (quoted === undefined) return isLast ? failed('a quoted field does not end') : undefined
      fields.push(quoted.value)
      at = quoted.end
    } else {
      const end = endOfPlain(text, at, delimiter.charCodeAt(0))
      fields.push(end === at ? null : text.slice(at, end))
      at = end
    }
    switch (text[at]) {
      case delimiter:
        at++
        break
      case '\n': return { fields, end: at + 1 }
      case '\r': {
        if (at + 1 === text.length && !isLast) return undefined
        return { fields, end: text[at + 1] === '\n' ? at + 2 : at + 1 }
      }
      case undefined: return isLast ? { fields, end: at } : undefined
      default: return failed('a character follows the closing quote of a field')
    }
  }
}

function readQuoted (
  text: string, start: number, isLast: boolean
): { readonly value: string, readonly end: number } | undefined {
  let value = ''
  for (let from = start; ;) {
    const close = text.indexOf('"', from)
    // The first quote of two may be the last character that has come.
    if (close < 0 || (close + 1 === text.length && !isLast)) return undefined
    value += text.slice(from, close)
    if (text[close + 1] !== '"') return { value, end: close + 1 }
    value += '"'
    from = close + 2
  }
}

function endOfPlain (text: string, start: number, delimiter: number): number {
  let at = start
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // The delimiter, a line feed or a carriage return.
    if (code === delimiter || code === 10 || code === 13) break
  }
  return at
}
