import type { FastifyInstance } from 'fastify'
import Fastify from '../helpers/fastify.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { memory } from '../../lib/index.ts'
import { bodiesOf, busy, pipeline, reading, rowsOf, serve, text, until } from '../helpers/connections.ts'

// docs/http.md: Connections

const form = 'Content-Type: application/x-www-form-urlencoded\r\n'

for (const [name, method, type] of [
  ['GET', 'GET', ''], ['HEAD', 'HEAD', ''], ['QUERY', 'QUERY', form],
  ['POST that stands for QUERY', 'POST', `${form}X-HTTP-Method-Override: QUERY\r\n`]
] as const) {
  test(`a ${name} whose client has left before its turn is not run`, async t => {
    let reads = 0
    const clients: Socket[] = []
    const { app, connect } = await serve(t, reading(memory(rowsOf(3)), () => {
      reads++
      for (const client of clients) client.destroy()
      busy(10)
    }))
    for (let n = 0; n < 60; n++) clients.push(await connect())
    const request = text(method, '/things', undefined, type)
    for (const client of clients) client.write(request)
    await until(() => reads > 0)
    t.equal((await app.inject('/things/1')).statusCode, 200)
    await sleep(50)
    t.ok(reads < 20, `${reads} reads for 60 clients, all of whom left during the first`)
  })
}

test('a read that is not run ends as in any route whose client has left', async t => {
  const log: string[] = []
  const logger = { level: 'warn', stream: { write (line: string) { log.push(line) } } }
  const app = Fastify({ forceCloseConnections: true, logger })
  app.addHook('onRequestAbort', async request => { log.push(`onRequestAbort ${request.url}`) })
  app.addHook('onResponse', async request => { log.push(`onResponse ${request.url}`) })
  const clients: Socket[] = []
  let reads = 0
  const { connect } = await serve(t, reading(memory(rowsOf(3)), () => {
    if (reads++ === 0) clients[1]?.destroy()
    busy(10)
  }), { app })
  clients.push(await connect(), await connect())
  clients[0]?.write(text('GET', '/things/1'))
  clients[1]?.write(text('GET', '/things/2'))
  await until(() => log.length > 1)
  await sleep(20)
  t.strictSame([...log].sort(), ['onRequestAbort /things/2', 'onResponse /things/1'])
  t.equal(reads, 1)
})

test('a read whose stream of HTTP/2 was reset is not run, and the others of its connection are', async t => {
  let reads = 0
  const app = Fastify({ http2: true, forceCloseConnections: true })
  const source = reading(memory(rowsOf(3)), () => { reads++ })
  const { port } = await serve(t, source, { app: app as unknown as FastifyInstance })
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  t.teardown(() => { session.destroy() })
  await once(session, 'connect')
  const left = session.request({ ':path': '/things' })
  left.on('error', () => {})
  left.close(8)
  const stayed = session.request({ ':path': '/things/1' })
  const [headers] = await once(stayed, 'response') as [Record<string, unknown>]
  t.equal(headers[':status'], 200)
  t.equal(reads, 1)
})

test('a write whose client has left is done', async t => {
  const rows = rowsOf(60)
  const clients: Socket[] = []
  const { connect } = await serve(t, memory(rows), {
    hooks: {
      updating () {
        for (const client of clients) client.destroy()
        busy(1)
      }
    }
  })
  for (let n = 0; n < 60; n++) clients.push(await connect())
  for (const [index, client] of clients.entries()) client.write(text('PUT', `/things/${index + 1}/name`, 'new'))
  await until(() => rows.every(({ name }) => name === 'new'))
  t.pass()
})

test('an item does not wait for a batch of each stream', async t => {
  let batches = 0
  const source = memory(rowsOf(3))
  const { connect } = await serve(t, {
    ...source,
    database: {
      ...source.database,
      readBatches: () => ({
        first: { kind: 'rows', rows: [], more: true },
        rows: {
          async * [Symbol.asyncIterator] () {
            for (;;) {
              batches++
              busy(2)
              yield [{ id: 1, name: 'one' }]
            }
          }
        }
      })
    }
  })
  const streams = 60
  const clients: Socket[] = []
  for (let n = 0; n < streams; n++) clients.push(await connect())
  for (const client of clients) {
    client.write(text('GET', '/things', undefined, 'Accept: application/x-ndjson\r\n'))
    client.resume()
  }
  const asker = await connect()
  await until(() => batches > streams)
  const before = batches
  asker.write(text('GET', '/things/1'))
  await once(asker, 'data')
  const meanwhile = batches - before
  t.ok(meanwhile < streams / 2, `${meanwhile} batches of ${streams} streams`)
  for (const client of clients) client.destroy()
  // The server learns later that they have left. Streams that were read on would never let this end.
  let seen
  do {
    seen = batches
    await sleep(50)
  } while (batches !== seen)
  t.pass('and those whose client has left are read no further')
})

test('pipelined writes are done one after another, each in its own asynchronous context', async t => {
  const asker = new AsyncLocalStorage<string>()
  const rows = rowsOf(1)
  const seen: string[] = []
  const app = Fastify({ forceCloseConnections: true })
  app.addHook('onRequest', (request, _reply, done) => { asker.run(String(request.headers['x-asker']), done) })
  const { connect } = await serve(t, memory(rows), {
    app,
    rules: {
      read: () => true,
      // The later ones would be done first.
      update: async () => sleep(24 - 2 * Number(asker.getStore()), true)
    },
    hooks: { updating: async ({ name }) => { seen.push(`${String(asker.getStore())} ${name}`) } }
  })
  const names = Array.from({ length: 12 }, (_, n) => `name ${n}`)
  const requests = names.map((name, n) => text('PUT', '/things/1/name', name, `X-Asker: ${n}\r\n`))
  const answers = await pipeline(await connect(), requests)
  t.equal(answers.match(/200 OK/g)?.length, 12)
  t.strictSame(seen, names.map((name, n) => `${n} ${name}`))
  t.strictSame(rows, [{ id: 1, name: 'name 11' }])
})

test('a pipelined read shows what the writes before it have written, and nothing of those behind it', async t => {
  const hooks = { creating: async () => sleep(10), updating: async () => sleep(10) }
  const { connect } = await serve(t, memory(rowsOf(1)), { hooks })
  const answers = await pipeline(await connect(), [
    text('GET', '/things/1/name'),
    text('PUT', '/things/1/name', 'new'),
    text('GET', '/things/1/name'),
    text('POST', '/things', { name: 'another' }),
    text('GET', '/things/2/name'),
    text('PUT', '/things/2/name', 'third'),
    text('GET', '/things/2/name')
  ])
  t.strictSame(bodiesOf(answers), [
    '"old"', '{"status":"ok"}', '"new"', '{"status":"created","id":2}', '"another"', '{"status":"ok"}', '"third"'
  ])
})

test('a write that a hook of the application refuses holds up none behind it', async t => {
  const app = Fastify({ forceCloseConnections: true })
  app.addHook('preHandler', async ({ headers }) => {
    if (headers['x-refused'] !== undefined) throw Object.assign(new Error('who?'), { statusCode: 401 })
  })
  const { connect } = await serve(t, memory(rowsOf(1)), { app })
  const answers = await pipeline(await connect(), [
    text('PUT', '/things/1/name', 'never', 'X-Refused: 1\r\n'),
    text('GET', '/things/1/name'),
    text('GET', '/things/1/name'),
    text('PUT', '/things/1/name', 'new'),
    text('GET', '/things/1/name')
  ])
  const refused = '{"error":"unauthorized","message":"who?"}'
  t.strictSame(bodiesOf(answers), [refused, '"old"', '"old"', '{"status":"ok"}', '"new"'])
})

test('pipelined reads are run one after another', async t => {
  let running = 0
  let most = 0
  const { connect } = await serve(t, memory(rowsOf(9)), {
    rules: {
      async read () {
        most = Math.max(most, ++running)
        await sleep(1)
        running--
        return true
      }
    }
  })
  const answers = await pipeline(await connect(), rowsOf(9).map(({ id }) => text('GET', `/things/${id}`)))
  t.strictSame(answers.match(/"id":\d/g), rowsOf(9).map(({ id }) => `"id":${id}`))
  t.equal(most, 1)
})

test('a write pipelined behind a stream waits until the stream has ended', async t => {
  const count = 5000
  const { connect } = await serve(t, memory(rowsOf(count)))
  const answers = await pipeline(await connect(), [
    text('GET', '/things?fields=name', undefined, 'Accept: application/x-ndjson\r\n'),
    text('PUT', `/things/${count}/name`, 'new'),
    text('GET', `/things/${count}/name`)
  ])
  t.equal(answers.match(/{"name":"old"}/g)?.length, count)
  t.match(answers, /"new"$/)
})

test('requests that wait for an earlier one when their client leaves are not run', async t => {
  const rows = rowsOf(1)
  const seen: string[] = []
  const client = { async leave () {} }
  const { app, connect } = await serve(t, memory(rows), {
    hooks: {
      async updating ({ name }) {
        seen.push(name)
        await client.leave()
      }
    }
  })
  const connected = once(app.server, 'connection')
  const socket = await connect()
  const [served] = await connected as [Socket]
  const left = once(served, 'close')
  client.leave = async () => {
    socket.destroy()
    await left
  }
  socket.write(Array.from({ length: 8 }, (_, n) => text('PUT', '/things/1/name', `name ${n}`)).join(''))
  await until(() => rows[0]?.name === 'name 0')
  await sleep(50)
  t.strictSame(seen, ['name 0'])
  t.equal((await app.inject('/things/1/name')).body, '"name 0"')
})
