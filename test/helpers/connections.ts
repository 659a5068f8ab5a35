import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import dataApi, { type Behaviour, collection, type Database, type Source } from '../../lib/index.ts'
import { everybody } from './everybody.ts'
import Fastify from './fastify.ts'

/** Serves things on a socket. Returns a function that connects to it. */
export async function serve (t: Test, source: Source, options: Options = {}): Promise<Served> {
  const { app = Fastify({ forceCloseConnections: true }), ...behaviour } = options
  await app.register(dataApi, {
    rules: everybody, collections: { things: collection(Thing, { source, ...behaviour }) }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return {
    app,
    port,
    async connect () {
      const socket = connect(port, '127.0.0.1')
      // Both sides may break off.
      socket.on('error', () => {})
      await once(socket, 'connect')
      return socket
    }
  }
}

type Options = Omit<Behaviour<typeof Thing>, 'source'> & { readonly app?: FastifyInstance }

interface Served { readonly app: FastifyInstance, readonly port: number, connect (): Promise<Socket> }

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ readable: true, writable: true })
})

interface Row { id: number, name: string }

/** Returns `count` rows of things. */
export const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, n) => ({ id: n + 1, name: 'old' }))

/** Writes a request as it is sent in HTTP/1.1. */
export const text = (method: string, path: string, body?: unknown, headers = '') => {
  const content = body === undefined ? '' : JSON.stringify(body)
  const type = body === undefined ? '' : 'Content-Type: application/json\r\n'
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}${type}Content-Length: ${content.length}`
  return `${head}\r\n\r\n${content}`
}

/** Sends the requests in one packet. Returns the text that comes until the server closes, as the last of them asks. */
export async function pipeline (socket: Socket, requests: readonly string[]): Promise<string> {
  const [last = ''] = requests.slice(-1)
  socket.write([...requests.slice(0, -1), last.replace('\r\n', '\r\nConnection: close\r\n')].join(''))
  let answers = ''
  for await (const chunk of socket) answers += String(chunk)
  return answers
}

/** Returns the bodies of answers. */
export const bodiesOf = (answers: string) => answers.split('\r\n\r\n').slice(1).map(part => part.split('HTTP/1.1')[0])

/** Keeps the process busy. */
export const busy = (milliseconds: number) => {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** Waits until a condition holds. */
export async function until (isThere: () => boolean): Promise<void> {
  while (!isThere()) await sleep(1)
}

/** Returns a source that calls `before` at each read. */
export function reading (source: Source, before: () => void): Source {
  const { database } = source
  const { readJson: _readWritten, ...others } = database
  const read: Database['read'] = (plan, fresh) => {
    before()
    return database.read(plan, fresh)
  }
  return { ...source, database: { ...others, read } }
}
