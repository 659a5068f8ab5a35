import { Ajv } from 'ajv'
import Fastify, { type FastifyInstance } from 'fastify'
import { EventEmitter, once } from 'node:events'
import { createRequire } from 'node:module'
import type { Readable } from 'node:stream'
import pg from 'pg'
import { sqliteDriver } from '../machine.ts'
import { type Setting, sqlitePragmas } from './setting.ts'

/** A line of an import of tracks. */
interface Track {
  readonly title: string
  readonly position: number
  readonly seconds: number
  readonly plays: number
  readonly album_id: number
}

type Write = (slices: AsyncIterable<readonly Track[]>) => Promise<number>

/**
 * Opens routes by hand that import tracks from NDJSON: they parse and validate each line, and insert it with a prepared
 * statement in one transaction, or send it to PostgreSQL's COPY.
 */
export async function openImportByHand (setting: Setting): Promise<FastifyInstance> {
  const app = Fastify()
  app.addContentTypeParser('application/x-ndjson', (_request, payload, done) => { done(null, payload) })
  const write = setting.source === 'sqlite'
    ? insertInto(setting.file)
    : await copyInto(setting.source === 'postgres' ? setting.url : '')
  app.post('/tracks', async request => ({ count: await write(slicesOf(request.body as Readable)) }))
  app.get('/albums/1', async () => ({ id: 1 }))
  return app
}

const integer = { type: 'integer' } as const
const validate = new Ajv({ allErrors: true }).compile<Track>({
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1 }, position: integer, seconds: integer, plays: integer, album_id: integer
  },
  required: ['title', 'position', 'seconds', 'plays', 'album_id'],
  additionalProperties: false
})

async function * slicesOf (stream: Readable): AsyncGenerator<readonly Track[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines.map(line => {
      const value: unknown = JSON.parse(line)
      if (!validate(value)) throw new Error('a line is not valid')
      return value
    })
  }
}

interface Driver {
  exec (text: string): void
  prepare (text: string): { run (...values: readonly unknown[]): unknown }
}

function insertInto (file: string): Write {
  const driver = createRequire(import.meta.url)(sqliteDriver()) as { DatabaseSync: new (file: string) => Driver }
  const db = new driver.DatabaseSync(file)
  db.exec(sqlitePragmas)
  const insert = db.prepare('insert into tracks (title, position, seconds, plays, album_id) values (?, ?, ?, ?, ?)')
  return async slices => {
    let count = 0
    db.exec('begin immediate')
    for await (const slice of slices) {
      for (const { title, position, seconds, plays, album_id: album } of slice) {
        insert.run(title, position, seconds, plays, album)
      }
      count += slice.length
    }
    db.exec('commit')
    return count
  }
}

/** The part of the driver that COPY needs, which it does not declare. */
interface CopyConnection {
  readonly stream: NodeJS.WritableStream & { readonly writableNeedDrain: boolean }
  query (text: string): void
  sendCopyFromChunk (chunk: Buffer): void
  endCopyFrom (): void
}

async function copyInto (url: string): Promise<Write> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { connection } = client as unknown as { connection: CopyConnection }
  return async slices => {
    const copying = new Copying()
    client.query(copying as unknown as pg.Submittable)
    await once(copying, 'ready')
    const done = once(copying, 'done')
    let count = 0
    for await (const slice of slices) {
      const rows = slice.map(one => [one.title, one.position, one.seconds, one.plays, one.album_id].join('\t'))
      connection.sendCopyFromChunk(Buffer.from(rows.map(row => `${row}\n`).join('')))
      if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
      count += slice.length
    }
    connection.endCopyFrom()
    await done
    return count
  }
}

/** Sends COPY. Emits `ready` when it takes rows, and `done` when all are stored. */
class Copying extends EventEmitter {
  submit (connection: CopyConnection): void {
    connection.query('copy tracks (title, position, seconds, plays, album_id) from stdin')
  }

  handleCopyInResponse (): void { this.emit('ready') }
  handleCommandComplete (): void {}
  handleReadyForQuery (): void { this.emit('done') }
  handleError (error: Error): void { this.emit('error', error) }
}
