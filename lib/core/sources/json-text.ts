import { AsyncResource } from 'node:async_hooks'
import { batching } from '../scheduling/batching.ts'
import { answerTooLarge } from '../errors/errors.ts'

/** Returns a value as JSON.stringify writes it; `null` for a value that JSON does not have. */
export function textOf (value: unknown): string {
  switch (typeof value) {
    case 'number': return Number.isFinite(value) ? String(value) : 'null'
    case 'string': return quote(value)
    default: return value === null ? 'null' : JSON.stringify(value) as string | undefined ?? 'null'
  }
}

/**
 * Returns a string as JSON. Most short strings need no escape, and looking them through takes less time than a call of
 * JSON.stringify.
 */
export function quote (text: string): string {
  if (text.length > 40) return JSON.stringify(text)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff)) return JSON.stringify(text)
  }
  return `"${text}"`
}

/**
 * Returns the text that `write` writes of a list: its elements between commas. Writes a long list in parts, so that
 * little more than the text that is allowed is ever made, and gives up the event loop every 10 ms. Throws
 * answer_too_large if the text is longer.
 */
export function writeInParts<T> (
  list: readonly T[], longest: number, write: (part: readonly T[]) => string
): string | Promise<string> {
  const writer = makeWriter(list, longest, write)
  return writer.writeSlice() ? writer.text() : finishLater(writer)
}

interface Writer { text (): string, writeSlice (): boolean }

// In milliseconds: other requests wait for one slice.
const slice = 10

const firstPart = 32

/** Returns a writer of a list. Each call of `writeSlice` takes some 10 ms. It returns true once the text is whole. */
function makeWriter<T> (list: readonly T[], longest: number, write: (part: readonly T[]) => string): Writer {
  let text = ''
  let start = 0
  let size = firstPart
  const writePart = () => {
    const part = write(list.slice(start, start + size))
    start += size
    text += text === '' ? part : `,${part}`
    if (text.length > longest) throw answerTooLarge(longest)
  }
  return {
    text: () => text,
    writeSlice () {
      if (list.length <= size) {
        writePart()
        return true
      }
      const begun = performance.now()
      for (let now = begun; start < list.length && now - begun < slice;) {
        writePart()
        const duration = performance.now() - now
        now += duration
        if (duration < slice / 8) size *= 2
        else if (duration > slice / 4) size = Math.ceil(size / 2)
      }
      return start >= list.length
    }
  }
}

async function finishLater ({ writeSlice, text }: Writer): Promise<string> {
  const resource = new AsyncResource('DataApiAnswer')
  while (!await batching.step(writeSlice, resource));
  return text()
}
