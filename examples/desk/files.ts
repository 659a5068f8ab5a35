import type { FastifyInstance } from 'fastify'
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { declareDesk } from './collections.ts'

// The files of tickets. Their bytes are on the disk, under names of our own: what clients call a file is a value. The
// API says who may: whoever can read a ticket can read its files, and add to them.

const types = ['application/pdf', 'image/jpeg', 'image/png', 'text/plain']

type Collections = ReturnType<typeof declareDesk>
interface Upload { Params: { id: string, name: string }, Body: Readable | undefined }
interface Download { Params: { id: string } }

/** Adds the routes that write and read files in a folder. `largest`: the most bytes of a file. */
export async function addFiles (
  app: FastifyInstance, { tickets, attachments }: Collections, folder: string, largest: number
): Promise<void> {
  await mkdir(folder, { recursive: true })
  /** Stores what is known of a file. One of the same name is replaced, and its hook `saved` removes the old bytes. */
  const keep = (values: { name: string, type: string, size: number, file: string, ticketId: number }) =>
    app.dataApi.asSystem().transaction(async tx => {
      const { name, ticketId } = values
      const all = tx.collection(attachments)
      const { items: [old] } = await all.list({ where: { name, ticketId }, fields: ['id'], size: 1 })
      const item = { ...values, createdAt: new Date() }
      if (old === undefined) return { status: 'created', id: (await all.create(item)).id }
      return { status: 'ok', id: (await all.update(old.id, item)).id }
    })
  // These parsers are for these routes alone: they leave the body a stream.
  await app.register(async app => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(types, (_request, body, done) => { done(null, body) })

    app.put<Upload>('/api/tickets/:id/files/:name', async (request, reply) => {
      const { params: { id, name }, body, headers } = request
      // Before the body is read. A ticket that does not exist for the caller is 404.
      const ticket = await app.dataApi.as(request).collection(tickets).get(Number(id), { fields: ['id'] })
      const type = types.find(type => headers['content-type']?.startsWith(type))
      if (body === undefined || type === undefined) throw fail(415, `The body must be one of ${types.join(', ')}.`)
      const file = randomUUID()
      try {
        const size = await store(body, join(folder, file), largest)
        const { status, id } = await keep({ name, type, size, file, ticketId: Number(ticket.id) })
        return await reply.code(status === 'created' ? 201 : 200).send({ status, id })
      } catch (error) {
        await rm(join(folder, file), { force: true })
        throw error
      }
    })
  })

  app.get<Download>('/api/files/:id', async (request, reply) => {
    const id = Number(request.params.id)
    await app.dataApi.as(request).collection(attachments).get(id, { fields: ['id'] })
    const { file, name, type, size } = await app.dataApi.asSystem().collection(attachments).get(id)
    const handle = await open(join(folder, file)).catch(() => undefined)
    if (handle === undefined) return reply.callNotFound()
    return reply.headers({
      'content-type': type,
      'content-length': size,
      // Never shown in the origin of the API, whatever the bytes are.
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, escape)}`,
      'cache-control': 'private, no-cache'
    }).send(handle.createReadStream())
  })
}

const escape = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

const fail = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode })

/** Writes a stream to a file, and returns its size. */
async function store (body: Readable, path: string, largest: number): Promise<number> {
  let size = 0
  const measure = new Transform({
    transform (chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > largest) done(fail(413, `A file has at most ${largest} bytes.`))
      else done(null, chunk)
    }
  })
  await pipeline(body, measure, createWriteStream(path, { flags: 'wx' }))
  return size
}
