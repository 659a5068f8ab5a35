import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { contentTooLarge, DataApiError, malformedBody } from '../errors/errors.ts'

/**
 * The limits of an import (docs/http.md: Imports). `idle`: in milliseconds. `slice`: how many items are written
 * together; undefined for the default of the database.
 */
export interface ImportLimits {
  readonly bytes: number
  readonly rows: number
  readonly idle: number
  readonly slice?: number | undefined
}

/** How the items of an import are written. `escaped`: text of CSV has the apostrophes of this API's answers. */
export interface ImportFormat { readonly media: 'ndjson' | 'csv', readonly escaped: boolean }

/** The media types of imports. */
export const importTypes = ['application/x-ndjson', 'application/jsonl', 'text/csv'] as const

/** Returns the format that a Content-Type names; undefined for any other, and for CSV without the names of columns. */
export function importFormat (contentType: string): ImportFormat | undefined {
  const [type = '', ...rest] = contentType.toLowerCase().split(';').map(part => part.trim().replaceAll('"', ''))
  if (!importTypes.some(one => one === type)) return undefined
  const parameters = new Map(rest.map(part => part.split('=', 2) as [string, string | undefined]))
  if (!['utf-8', 'utf8', 'us-ascii'].includes(parameters.get('charset') ?? 'utf-8')) return undefined
  if (type !== 'text/csv') return { media: 'ndjson', escaped: false }
  if (parameters.get('header') === 'absent') return undefined
  return { media: 'csv', escaped: parameters.get('formulas') === 'escaped' }
}

/** The bytes of a body that has arrived whole. They can be read several times, until they are discarded. */
export interface Received {
  chunks (): AsyncIterable<Buffer> | Iterable<Buffer>
  discard (): Promise<void>
}

/**
 * Receives a body, so that no transaction waits for a client: in memory, from a mebibyte on in a temporary file. Throws
 * content_too_large, request_timeout, or malformed_body for a body that ends too early.
 */
export async function receive (stream: Readable, { bytes: most, idle }: ImportLimits): Promise<Received> {
  const held: Buffer[] = []
  const spill = makeSpill()
  // The answer needs the connection, which a destroyed stream would close.
  const chunks = stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  try {
    let length = 0
    for (;;) {
      const { done, value } = await withinIdle(chunks.next(), idle)
      if (done === true) break
      length += value.length
      if (length > most) throw contentTooLarge(`The body has more than ${most} bytes.`)
      held.push(value)
      if (length > longestHeld) await spill.add(held.splice(0))
    }
  } catch (error) {
    await spill.remove()
    await Promise.race([chunks.return?.(), undefined])
    stream.resume()
    throw error instanceof DataApiError ? error : malformedBody('The body ended before it was complete.', error)
  }
  return {
    chunks: () => spill.file?.createReadStream({ start: 0, autoClose: false }) ?? held,
    discard: () => spill.remove()
  }
}

const longestHeld = 2 ** 20

async function withinIdle<T> (next: Promise<T>, idle: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const message = `No byte of the body came for ${idle} ms. Nothing was written.`
      reject(new DataApiError('request_timeout', message, { headers: { connection: 'close' } }))
    }, idle)
  })
  return Promise.race([next, timeout]).finally(() => { clearTimeout(timer) })
}

/** A temporary file, which is made when the first bytes are added. */
interface Spill {
  readonly file: FileHandle | undefined
  add (chunks: readonly Buffer[]): Promise<void>
  remove (): Promise<void>
}

function makeSpill (): Spill {
  const path = join(tmpdir(), `fastify-data-api-${randomUUID()}`)
  let file: FileHandle | undefined
  return {
    get file () { return file },
    async add (chunks) {
      file ??= await open(path, 'wx+', 0o600)
      await file.appendFile(Buffer.concat(chunks))
    },
    async remove () {
      if (file === undefined) return
      await file.close()
      await rm(path, { force: true })
    }
  }
}
