import type { Readable } from 'node:stream'
import { contentTooLarge, DataApiError, malformedBody, unavailable } from '../errors/errors.ts'
import { TemporaryFile } from './temporary-file.ts'

/**
 * The limits of an import (docs/http.md: Imports). `idle`, `time`: in milliseconds, without a byte and for the whole
 * body. `total`: the bytes of all imports at once. `slice`: how many items are written together; undefined for the
 * default of the database.
 */
export interface ImportLimits {
  readonly bytes: number
  readonly rows: number
  readonly total: number
  readonly idle: number
  readonly time: number
  readonly slice?: number | undefined
}

/** How the items of an import are written. `escaped`: text of CSV has the apostrophes of this API's answers. */
export interface ImportFormat { readonly media: 'ndjson' | 'csv', readonly escaped: boolean }

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

/** Receives the bodies of the imports of one registration, so that no transaction waits for a client. */
export class Receiver {
  private readonly limits: ImportLimits
  /** The bytes of the bodies that are not discarded yet, in memory and in files. */
  private held = 0

  constructor (limits: ImportLimits) {
    this.limits = limits
  }

  /**
   * Throws content_too_large, request_timeout, and malformed_body for a body that ends too early: the client's faults.
   * The server's are `unavailable` and `internal`.
   */
  async receive (stream: Readable): Promise<Received> {
    const store = new Store()
    const arrival = new Arrival(stream, this.limits)
    let length = 0
    const discard = async () => {
      this.held -= length
      length = 0
      await store.discard()
    }
    try {
      for (let chunk = await arrival.next(); chunk !== undefined; chunk = await arrival.next()) {
        length += chunk.length
        this.held += chunk.length
        this.check(length)
        await store.add(chunk)
      }
      await store.complete()
    } catch (error) {
      await discard()
      throw error
    } finally {
      await arrival.end()
    }
    return { chunks: () => store.chunks(), discard }
  }

  private check (length: number): void {
    const { bytes, total } = this.limits
    if (length > bytes) throw contentTooLarge(`The body has more than ${bytes} bytes.`)
    if (this.held <= total) return
    const cause = new Error(`the imports at once have more than ${total} bytes, the limit 'imports.total'`)
    throw unavailable(cause, 'The server receives too many imports. Nothing was written. Try again later.')
  }
}

/** A body while it arrives. Its errors are those of its client. */
class Arrival {
  private readonly stream: Readable
  private readonly chunks: AsyncIterator<Buffer, undefined>
  private readonly idle: number
  private readonly time: number
  private readonly began = performance.now()

  constructor (stream: Readable, { idle, time }: Pick<ImportLimits, 'idle' | 'time'>) {
    this.stream = stream
    // The answer needs the connection, which a destroyed stream would close.
    this.chunks = stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>
    this.idle = idle
    this.time = time
  }

  /** Returns the next bytes, and undefined at the end. */
  async next (): Promise<Buffer | undefined> {
    const { idle, time } = this
    const left = Math.max(0, this.began + time - performance.now())
    const message = idle <= left
      ? `No byte of the body came for ${idle} ms.`
      : `The body took longer than the limit 'imports.time' of ${time} ms.`
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const headers = { connection: 'close' }
        reject(new DataApiError('request_timeout', `${message} Nothing was written.`, { headers }))
      }, Math.min(idle, left))
    })
    const next = this.chunks.next().catch((error: unknown) => {
      throw malformedBody('The body ended before it was complete.', error)
    })
    const { value } = await Promise.race([next, timeout]).finally(() => { clearTimeout(timer) })
    return value
  }

  /** Leaves the rest of the body unread. */
  async end (): Promise<void> {
    await Promise.race([this.chunks.return?.(), undefined])
    this.stream.resume()
  }
}

/** The bytes of a body: in memory, from a mebibyte on in a temporary file. */
class Store {
  /** As they came: a client may send each byte in a chunk of its own. */
  private pieces: Buffer[] = []
  private length = 0
  /** Those that are joined, and in no file. */
  private blocks: Buffer[] = []
  private joined = 0
  private file: TemporaryFile | undefined

  async add (piece: Buffer): Promise<void> {
    this.pieces.push(piece)
    this.length += piece.length
    if (this.length >= blockLength || this.pieces.length >= mostPieces) await this.join()
  }

  async complete (): Promise<void> {
    await this.join()
    this.blocks = [Buffer.concat(this.blocks)]
  }

  chunks (): ReturnType<Received['chunks']> {
    return this.file?.read() ?? this.blocks
  }

  async discard (): Promise<void> {
    this.blocks = []
    await this.file?.close()
  }

  private async join (): Promise<void> {
    this.blocks.push(Buffer.concat(this.pieces))
    this.joined += this.length
    this.pieces = []
    this.length = 0
    if (this.joined <= longestHeld) return
    this.file ??= await TemporaryFile.open()
    await this.file.append(Buffer.concat(this.blocks))
    this.blocks = []
  }
}

// In bytes.
const longestHeld = 2 ** 20
const blockLength = 2 ** 16
const mostPieces = 1000
