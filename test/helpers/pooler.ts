import { createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import type { Test } from 'tap'
import { messages } from './frames.ts'
import { serverUrl } from './sources.ts'

// A transaction pooler without support for prepared statements: each transaction goes to any of the server's
// connections, and the first message of a client's connection must have no parameters that the pooler does not know.
// Messages: PostgreSQL's documentation, Frontend/Backend Protocol.

/** Starts a pooler with a number of connections to a server, and returns its URL. The test's teardown closes it. */
export async function makePooler (
  t: Pick<Test, 'teardown'>, connections: number, server = serverUrl()
): Promise<string> {
  const idle: Socket[] = []
  const waiting: Array<(backend: Socket) => void> = []
  const give = (backend: Socket) => {
    const next = waiting.shift()
    if (next === undefined) idle.push(backend)
    else next(backend)
  }
  const take = () => new Promise<Socket>(resolve => {
    const backend = idle.shift()
    if (backend === undefined) waiting.push(resolve)
    else resolve(backend)
  })
  const clients = await Promise.all(Array.from({ length: connections }, async () => login(server)))
  for (const { socket } of clients) give(socket)
  const pooler = createServer({ noDelay: true }, client => { serve(client, take, give) })
  t.teardown(async () => {
    pooler.close()
    for (const { socket } of clients) socket.destroy()
  })
  const { username, pathname } = new URL(server)
  return `postgres://${username}@127.0.0.1:${await portOf(pooler)}${pathname}`
}

/** Opens a connection with the driver, for its login, and takes over the driver's socket. */
async function login (server: string): Promise<{ readonly socket: Socket }> {
  const client = new pg.Client(server)
  await client.connect()
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.removeAllListeners()
  stream.on('error', () => {})
  return { socket: stream }
}

const portOf = (server: Server) => new Promise<number>(resolve => {
  server.listen(0, '127.0.0.1', () => { resolve((server.address() as { port: number }).port) })
})

function serve (client: Socket, take: () => Promise<Socket>, give: (backend: Socket) => void): void {
  let greeted = false
  let backend: Socket | undefined
  let asked: Promise<Socket> | undefined
  const toClient = messages(1, (message, type) => {
    client.write(message)
    // ReadyForQuery with status idle: the transaction has ended.
    if (type !== 'Z' || message[5] !== idleStatus || backend === undefined) return
    backend.removeListener('data', toClient)
    give(backend)
    backend = asked = undefined
  })
  const lend = async () => {
    backend = await take()
    backend.on('data', toClient)
    return backend
  }
  const toBackend = messages(1, (message, type) => {
    if (type === 'X') {
      client.end()
      return
    }
    asked ??= lend()
    asked.then(server => server.write(message), () => client.destroy())
  })
  const greet = messages(0, message => {
    // SSLRequest; N refuses TLS.
    if (message.length === 8) {
      client.write('N')
      return
    }
    const unknown = ['statement_timeout', 'options'].find(name => message.toString('latin1').includes(`\0${name}\0`))
    if (unknown !== undefined) {
      client.end(failure(`unsupported startup parameter: ${unknown}`))
      return
    }
    greeted = true
    client.write(Buffer.concat([
      Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0]), Buffer.from([90, 0, 0, 0, 5, idleStatus])
    ])) // authenticated, ready
  })
  client.on('error', () => {}).on('data', data => { (greeted ? toBackend : greet)(data) })
}

const idleStatus = 73

function failure (text: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${text}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
