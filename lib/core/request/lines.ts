import { contentTooLarge, malformedBody } from '../errors/errors.ts'
import { atLine } from '../errors/place.ts'
import { readRecord } from './csv.ts'
import type { ImportFormat, Received } from './receive.ts'

/** A record of CSV; null is a field that is empty and not quoted. */
export type CsvRecord = ReadonlyArray<string | null>

/** A line of an import: its text in NDJSON, its fields in CSV. `at`: its number, from 1. */
export interface Line { readonly at: number, readonly content: string | CsvRecord }

/** Returns the lines of an import in slices of at most `size`. Throws malformed_body and content_too_large. */
export async function * slicesOf (
  chunks: ReturnType<Received['chunks']>, { media }: ImportFormat, size: number
): AsyncGenerator<readonly Line[]> {
  const take: Take = media === 'csv' ? takeRecord : takeLine
  let slice: OpenSlice = { lines: [], length: 0 }
  let rest = ''
  let at = 1
  for await (const { text, isLast } of textsOf(chunks)) {
    const unread = { text: rest + text, isLast, start: 0, at }
    while (fill(slice, unread, size, take)) {
      yield slice.lines
      slice = { lines: [], length: 0 }
    }
    at = unread.at
    rest = unread.text.slice(unread.start)
    if (rest.length > longestLine) throw atLine(contentTooLarge(`A line has more than ${longestLine} characters.`), at)
  }
  if (slice.lines.length > 0) yield slice.lines
}

/** A slice to which lines are added. `length`: of their text. */
interface OpenSlice { readonly lines: Line[], length: number }

/** Where the next line begins in a text, and its number. `isLast`: no other text follows. */
interface Unread { readonly text: string, readonly isLast: boolean, start: number, at: number }

/** Adds lines to a slice. Returns true once it is full, and false if the text has no other line. */
function fill (slice: OpenSlice, unread: Unread, size: number, take: Take): boolean {
  while (slice.lines.length < size && slice.length < longestLine) {
    const taken = take(unread.text, unread.start, unread.isLast, unread.at)
    if (taken === undefined) return false
    if (taken.content !== undefined) slice.lines.push({ at: unread.at, content: taken.content })
    slice.length += taken.end - unread.start
    unread.at += taken.lines
    unread.start = taken.end
  }
  return true
}

// In characters.
const longestLine = 2 ** 20

/** A line that was taken. `content`: undefined for an empty one. `lines`: its line breaks. */
interface Taken { readonly content: Line['content'] | undefined, readonly end: number, readonly lines: number }

type Take = (text: string, start: number, isLast: boolean, at: number) => Taken | undefined

function takeLine (text: string, start: number, isLast: boolean): Taken | undefined {
  const end = text.indexOf('\n', start)
  if (end < 0 && (!isLast || start === text.length)) return undefined
  const line = text.slice(start, end < 0 ? text.length : end)
  const content = line === '' || line === '\r' ? undefined : line
  return { content, end: end < 0 ? text.length : end + 1, lines: 1 }
}

function takeRecord (text: string, start: number, isLast: boolean, at: number): Taken | undefined {
  if (start === text.length) return undefined
  const record = readRecord(text, start, isLast)
  if (record === undefined) return undefined
  if (record.fault !== undefined) throw atLine(malformedBody(`The body is not valid CSV: ${record.fault}.`), at)
  return { content: record.fields, end: record.end, lines: breaksIn(text, start, record.end) }
}

/** Returns the number of line breaks of a record. Its own text alone is searched: what follows may have none. */
function breaksIn (text: string, start: number, end: number): number {
  const record = text.slice(start, end)
  let count = record.endsWith('\r') ? 1 : 0
  for (let at = record.indexOf('\n'); at >= 0; at = record.indexOf('\n', at + 1)) count++
  return count
}

/** Decodes UTF-8, without a byte order mark. The last text has `isLast`, and may be empty. */
async function * textsOf (
  chunks: ReturnType<Received['chunks']>
): AsyncGenerator<{ readonly text: string, readonly isLast: boolean }> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch (error) {
      throw malformedBody('The body is not UTF-8.', error)
    }
  }
  for await (const chunk of chunks) yield { text: decode(chunk), isLast: false }
  yield { text: decode(), isLast: true }
}
