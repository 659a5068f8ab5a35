import { brokenOff, parseJson } from './error.ts'
import type { Call, Send } from './send.ts'

/**
 * Returns the items of one answer in NDJSON. The request is sent when the first item is asked for. Throws an ApiError
 * after the last whole item if the answer breaks off.
 */
export async function * stream (send: Send, call: Call): AsyncGenerator<unknown, void, undefined> {
  const response = await send({ ...call, own: { accept: 'application/x-ndjson' } }, async response => response)
  const reader = (response.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { value } = await reader.read()
      if (!value) break
      const lines = (rest + value).split('\n')
      rest = lines.pop() as string
      for (const line of lines) yield parseJson(line, response)
    }
    // Every item ends its line.
    if (rest) throw new TypeError(rest)
  } catch (cause) {
    throw brokenOff(cause, response, call.signal)
  } finally {
    // The error of a stream that broke off was thrown already.
    reader.cancel().catch(() => {})
  }
}
