import cors from '@fastify/cors'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import Fastify, { type FastifyInstance } from 'fastify'
import { type Test, test } from 'tap'
import { createClient } from '../../lib/clients/client/index.ts'
import dataApi, { collection, type DataApiOptions, memory } from '../../lib/index.ts'
import { eventually, listen } from '../helpers/follow.ts'
import { Thing } from '../fixtures/things.ts'

// docs/live.md: what lies between a live document and its client.

const rowsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ id: n + 1, name: 'old' }))

async function serve (t: Test, app: FastifyInstance, live: DataApiOptions['live'] = { interval: 1 }): Promise<string> {
  await app.register(dataApi, { collections: { things: collection(Thing, { source: memory(rowsOf(3)) }) }, live })
  t.teardown(() => app.close())
  return await app.listen({ host: '127.0.0.1', port: 0 })
}

const rename = (app: FastifyInstance, name: string) =>
  app.inject({ method: 'PATCH', url: '/things/1', payload: { name } })

test('a hundred documents are followed over one connection of HTTP/2', async t => {
  const app = Fastify({ http2: true, forceCloseConnections: true }) as unknown as FastifyInstance
  const session = connect(await serve(t, app))
  t.teardown(() => { session.destroy() })
  const all = Array.from({ length: 100 }, (_, n) => {
    const stream = session.request({ ':path': `/things?limit=${n + 1}`, accept: 'text/event-stream' })
    const one = { stream, text: '' }
    stream.setEncoding('utf8').on('data', (chunk: string) => { one.text += chunk })
    return one
  })
  const each = (part: string) => eventually(() => all.every(({ text }) => text.includes(part)), () => part)
  await each('event: snapshot')
  await rename(app, 'new')
  await each('event: patch\ndata: [{"op":"replace","path":"/0","value":{"id":1,"name":"new"}}]')
  for (const { stream } of all) stream.close()
  await eventually(() => app.dataApi.live()?.streams === 0, () => JSON.stringify(app.dataApi.live()))
})

test('a page of another site follows a document where CORS allows it', async t => {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(cors, { origin: 'https://site.example', credentials: true })
  await serve(t, app)
  const follow = await listen(app)
  const { status, response } = await follow('/things', { origin: 'https://site.example' })
  t.equal(status, 200)
  t.match(response.headers, {
    'access-control-allow-origin': 'https://site.example',
    'access-control-allow-credentials': 'true',
    'content-type': 'text/event-stream; charset=utf-8'
  })
})

/** Serves a proxy that forwards answers as `forward` does. */
async function proxyOf (t: Test, to: string, forward: (from: IncomingMessage, give: (data: Buffer) => void) => void) {
  const proxy = createServer((request, reply) => {
    get(to + request.url, { headers: request.headers, agent: false }, from => {
      reply.writeHead(from.statusCode ?? 500, from.headers)
      reply.on('close', () => { from.destroy() })
      from.on('close', () => { reply.destroy() })
      from.on('error', () => {})
      forward(from, data => { reply.write(data) })
    })
  })
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

test('a proxy that holds back what it reads delays a document, and breaks none', async t => {
  const app = Fastify({ forceCloseConnections: true })
  const url = await proxyOf(t, await serve(t, app), (from, give) => {
    let held = Buffer.alloc(0)
    const timer = setInterval(() => {
      // In pieces that end within an event.
      if (held.length > 0) give(held.subarray(0, 50))
      held = held.subarray(50)
    }, 2)
    from.on('data', (data: Buffer) => { held = Buffer.concat([held, data]) })
    from.on('close', () => { clearInterval(timer) })
  })
  const things = createClient(url).resource('things').live({ sort: 'id' })
  t.match((await things.next()).value.items, rowsOf(3))
  await rename(app, 'new')
  t.match((await things.next()).value, { items: [{ name: 'new' }, { id: 2 }, { id: 3 }], changed: [{ id: 1 }] })
  await things.return(undefined as never)
})

test('a proxy that cuts connections costs a client nothing but time', async t => {
  const app = Fastify({ forceCloseConnections: true })
  const cut: Array<() => void> = []
  const tags: unknown[] = []
  app.addHook('onRequest', async ({ method, headers }) => {
    if (method === 'GET') tags.push(headers['last-event-id'])
  })
  const url = await proxyOf(t, await serve(t, app), (from, give) => {
    cut.push(() => { from.destroy() })
    // The times of the server are shortened for the test.
    from.on('data', (data: Buffer) => { give(Buffer.from(String(data).replace(/retry: \d+/, 'retry: 1'))) })
  })
  const things = createClient(url).resource('things').live({ sort: 'id' })
  await things.next()
  for (const name of ['a', 'b', 'c']) {
    const next = things.next()
    const before = tags.length
    cut.at(-1)?.()
    // A client that has come back already was cut off as well.
    const isCut = () => app.dataApi.live()?.streams === 0 || tags.length > before
    if (name !== 'b') await eventually(isCut, () => 'the cut is noticed')
    await rename(app, name)
    t.match((await next).value, { items: [{ name }, {}, {}], changed: [{ name }] })
  }
  t.equal(tags[0], undefined)
  t.ok(tags.length >= 4 && tags.slice(1).every(tag => /^".+"$/.test(String(tag))), String(tags))
  await things.return(undefined as never)
})

test('streams that are opened and closed leave memory and listeners flat', async t => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const app = Fastify({ forceCloseConnections: true })
  await serve(t, app)
  const follow = await listen(app)
  const round = async () => {
    for (let n = 0; n < 2; n++) {
      const all = await Promise.all(Array.from({ length: 100 }, () => follow('/things')))
      await rename(app, `name ${n}`)
      await Promise.all(all.map(one => one.leave()))
      await eventually(() => app.dataApi.live()?.streams === 0, () => 'all are closed')
    }
    await sleep(20)
    collect()
    return { heap: process.memoryUsage().heapUsed, listeners: app.server.listenerCount('close') }
  }
  for (let n = 0; n < 3; n++) await round()
  const before = await round()
  const after = await round()
  t.equal(after.listeners, before.listeners)
  t.ok(after.heap - before.heap < 2 ** 20, `${after.heap - before.heap} bytes more after 200 streams`)
})

test('a server that closes ends its streams at once, also those of clients that do not read', async t => {
  const app = Fastify()
  await serve(t, app, { interval: 1, buffer: 100 })
  const follow = await listen(app)
  const [one, slow] = [await follow('/things'), await follow('/things')]
  slow.response.pause()
  await rename(app, 'x'.repeat(100_000))
  await eventually(() => one.text.includes('xxx'), () => one.text)
  await app.close()
  await eventually(() => one.isClosed, () => 'the stream has ended')
  t.match(one.text, /retry: \d+\n\n$/)
})

test('a connectionTimeout that ends idle streams is a warning', async t => {
  for (const [connectionTimeout, heartbeat, warnings] of [[10_000, 15_000, 1], [10_000, 9000, 0], [0, 15_000, 0]]) {
    const lines: string[] = []
    const logger = { level: 'warn', stream: { write: (line: string) => { lines.push(line) } } }
    await serve(t, Fastify({ connectionTimeout: connectionTimeout ?? 0, logger }), { heartbeat: heartbeat ?? 0 })
    t.equal(lines.filter(line => line.includes("option 'live.heartbeat'")).length, warnings, lines.join(''))
  }
})
