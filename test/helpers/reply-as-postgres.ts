import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Listens as a PostgreSQL server, and answers what comes by one reply after another; after the last it ends. */
export async function replyAsPostgres (replies: readonly Buffer[]) {
  const server = createServer(socket => {
    socket.on('error', () => {})
    const left: Buffer[] = [...replies]
    socket.on('data', () => {
      const reply = left.shift()
      if (left.length > 0) socket.write(reply ?? '')
      else socket.end(reply ?? '')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close () {
      server.close()
      await once(server, 'close')
    }
  }
}

/** Returns a message of PostgreSQL's protocol. */
export function message (type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}
