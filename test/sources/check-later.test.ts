import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { createServer, connect as connectTo, type AddressInfo, type Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { once } from 'node:events'
import pg from 'pg'
import dataApi, { collection, DeclarationError, postgres } from '../../lib/index.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test } from '../helpers/on-postgres.ts'

// docs/databases.md: Declarations and tables

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ readable: true })
})

/** Listens on a port and passes everything on to a server. */
async function forward (port: number, to: URL): Promise<Server> {
  const server = createServer(client => {
    const upstream = connectTo(Number(to.port), to.hostname)
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) socket.on('error', () => { socket.destroy() })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Returns a port that nothing listens on. */
async function unusedPort (): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => { server.close(resolve) })
  return port
}

test('an application starts before its database, and answers 503 until its declarations are known to fit', async t => {
  await onDatabase('create table things (id integer primary key, nom text not null)', async (_db, url) => {
    const port = await unusedPort()
    const behind = new URL(url)
    behind.port = String(port)
    behind.hostname = '127.0.0.1'
    const db = postgres({ connectionString: behind.href })
    const lines: string[] = []
    const logger = { level: 'warn', stream: { write (line: string) { lines.push(line) } } }
    const app = Fastify({ logger })
    await app.register(dataApi, { collections: { things: collection(Thing, { source: db.table('things') }) } })
    await app.ready()
    t.match(lines.join(''), /a database cannot be reached, so its declarations are checked later/)
    const status = async () => (await app.inject('/things')).statusCode
    t.equal(await status(), 503)
    t.equal((await app.inject('/')).statusCode, 200)
    const server = await forward(port, new URL(url))
    while (!lines.join('').includes("has no column 'name'")) t.equal(await status(), 503)
    const owner = new pg.Client(url)
    await owner.connect()
    await owner.query('alter table things rename nom to name')
    await owner.end()
    while (await status() !== 200) await setTimeout(50)
    t.strictSame((await app.inject('/things')).json(), [])
    await app.close()
    await db.close()
    server.close()
  })
})

test('a database that does not exist is an error at the start', async t => {
  await onDatabase('', async (_db, url) => {
    const db = postgres({ connectionString: `${url}_missing` })
    const app = Fastify()
    await app.register(dataApi, { collections: { things: collection(Thing, { source: db.table('things') }) } })
    const error = await Promise.resolve(app.ready()).then(() => undefined, (reason: unknown) => reason)
    t.ok(error instanceof DeclarationError)
    t.match(String(error), /the declarations cannot be compared with the tables: database ".*_missing" does not exist/)
    await app.close()
    await db.close()
  })
})
