import type { AnyQuery } from './query.ts'
import type { Call, RequestOptions } from './send.ts'

/** The options of an import, as this room takes them. types/ types them for users. */
export interface AnyImportOptions extends RequestOptions {
  readonly merge?: string | true
  readonly ignore?: string | true
  readonly dryRun?: boolean
  readonly format?: 'csv' | 'ndjson'
}

/** Returns the import of items or, with a format, of their text. Throws a TypeError where fetch() takes no streams. */
export function importing (
  path: string, items: AsyncIterable<unknown>, { merge, ignore, dryRun, format, ...options }: AnyImportOptions = {}
): Call {
  if (!takesStreams()) throw new TypeError('import: no streams here')
  const resolution = merge ? 'merge' : ignore && 'ignore'
  const by = merge ?? ignore
  const query: AnyQuery = { where: typeof by === 'string' ? { by } : undefined }
  const prefer = [dryRun && 'dry-run', resolution && `resolution=${resolution}`].filter(Boolean).join()
  const own = { 'content-type': format === 'csv' ? 'text/csv' : 'application/x-ndjson', prefer: prefer || undefined }
  const chunks = chunksOf(items, format)
  const stream = new ReadableStream<Uint8Array>({
    async pull (controller) {
      const { value, done } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => { await chunks.return() }
  })
  return { ...options, method: 'POST', path, query, own, stream }
}

async function * chunksOf (items: AsyncIterable<unknown>, format?: string): AsyncGenerator<Uint8Array, void> {
  let text = ''
  const encoder = new TextEncoder()
  for await (const item of items) {
    if (item instanceof Uint8Array) yield item
    else text += format ? item as string : `${JSON.stringify(item)}\n`
    // A chunk for each line would be slow.
    if (text.length < 65_536) continue
    yield encoder.encode(text)
    text = ''
  }
  yield encoder.encode(text)
}

/** Returns true if a body can be a stream: others than Chromium and Node.js would send it as text. */
function takesStreams (): boolean {
  let isAsked = false
  const { headers } = new Request('http://x', {
    method: 'POST',
    body: new ReadableStream(),
    // Safari takes the stream, and asks for nothing.
    get duplex () { return (isAsked = true) && 'half' }
  } as RequestInit)
  return isAsked && !headers.has('content-type')
}
