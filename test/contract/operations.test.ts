import type { FastifyInstance, FastifyRequest } from 'fastify'
import { everybody } from '../helpers/everybody.ts'
import Fastify from '../helpers/fastify.ts'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { Agent, get as httpGet, type IncomingMessage, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory, sqlite, type StatementEvent } from '../../lib/index.ts'
import { everySource } from '../helpers/every-source.ts'
import { Note } from '../fixtures/things.ts'

// docs/running.md: Operations

type Line = Record<string, unknown> & { readonly err?: { readonly message: string } }

/** An application over a new SQLite database, with the lines that it logs. */
async function open (
  options: Partial<DataApiOptions> = {},
  table = 'create table notes (id integer primary key, text text check (length(text) < 5))'
) {
  const lines: Line[] = []
  const stream = new Writable({
    write (chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as Line)
      done()
    }
  })
  const db = sqlite(':memory:', { check: 'off' })
  db.exec(table)
  const app = Fastify({ logger: { level: 'debug', stream } })
  await app.register(dataApi, { collections: { notes: collection(Note, { source: db.table('notes') }) }, ...options })
  return { app, db, lines }
}

test('the log of an unexpected error has collection, kind and driver message, and at debug the statement', async t => {
  const { app, lines } = await open({}, 'select 1')
  t.equal((await app.inject('/notes/1')).statusCode, 500)
  const [error] = lines.filter(({ level }) => level === 50)
  t.match(error, { collection: 'notes', kind: 'item', err: { message: 'no such table: notes' } })
  const [statement] = lines.filter(line => 'statement' in line)
  t.match(statement, { level: 20, collection: 'notes', kind: 'item', statement: /^select [^]* from "notes"/ })
  await app.close()
})

test('a refusal of the database that names no field says why in the log, and not to the client', async t => {
  const { app, db, lines } = await open()
  db.exec("create trigger never before insert on notes begin select raise(abort, 'not on a Sunday'); end")
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/notes', payload: { text: 'a' } })
  t.equal(statusCode, 400)
  t.notMatch(body, 'Sunday')
  t.match(lines.find(({ err }) => err !== undefined),
    { level: 30, collection: 'notes', kind: 'create', err: { message: /not on a Sunday/ } })
  await app.close()
})

test('a refusal that names its field is no line in the log', async t => {
  const { app, lines } = await open()
  const { body } = await app.inject({ method: 'POST', url: '/notes', payload: { text: 'too long' } })
  t.match(body, '"fields":["text"]')
  t.strictSame(lines.filter(({ err }) => err !== undefined), [])
  await app.close()
})

test('slowStatements logs each statement that takes so long, and no others', async t => {
  const { app, lines } = await open({ slowStatements: 0 })
  await app.inject('/notes')
  t.match(lines.filter(({ level }) => level === 40), [{
    collection: 'notes',
    kind: 'read',
    duration: Number,
    statement: /^select/,
    request: { collection: 'notes', kind: 'list' }
  }])
  await app.close()
  const quick = await open({ slowStatements: 60_000 })
  await quick.app.inject('/notes')
  t.strictSame(quick.lines.filter(({ level }) => level === 40), [])
  await quick.app.close()
})

test('serverTiming says how long the answer and its statements took', async t => {
  const { app } = await open({ responseContent: { serverTiming: true } })
  app.addHook('onRequest', async () => { await setTimeout(2) })
  const timing = /^db;dur=[\d.]+;desc="1 statement", total;dur=([\d.]+)$/
  const [, total] = timing.exec(String((await app.inject('/notes')).headers['server-timing'])) ?? []
  t.ok(Number(total) > 0, 'the time of the whole request, hooks of the application included')
  t.match((await app.inject('/')).headers['server-timing'], /^db;dur=0\.0;desc="0 statements", /)
  await app.close()
  const silent = await open()
  t.equal((await silent.app.inject('/notes')).headers['server-timing'], undefined)
  await silent.app.close()
})

everySource('each statement is published with collection, kind, text, rows and duration; memory() has none', async ({
  t, get, send, opened
}) => {
  const seen: StatementEvent[] = []
  const see = (message: unknown) => { seen.push(message as StatementEvent) }
  const began = Date.now()
  subscribe('fastify-data-api:statement', see)
  try {
    await get('/artists/1')
    await send('PATCH', '/artists/1', { name: 'New' })
  } finally {
    unsubscribe('fastify-data-api:statement', see)
  }
  await get('/artists/1')
  if (opened.kind === 'memory') {
    t.strictSame(seen, [])
    return
  }
  t.ok(seen.length >= 2)
  t.match(seen[0], { kind: 'read', collection: 'artists', text: /^(?:select|with)/, rows: 1, error: undefined })
  t.ok(seen.every(({ duration, startTime }) =>
    duration >= 0 && startTime > began - 60_000 && startTime < Date.now() + 60_000))
  t.ok(seen.some(({ kind, rows }) => kind === 'update' && rows === 1))
})

test('request.dataApi says what a request is, for the labels of metrics', async t => {
  const { app } = await open({ requestStrategies: { delete: true } })
  const seen: unknown[] = []
  app.addHook('onResponse', async (request: FastifyRequest) => { seen.push(request.dataApi && { ...request.dataApi }) })
  const before: unknown[] = []
  app.addHook('preHandler', async ({ method, headers: { 'x-http-method-override': override }, dataApi: facts }) => {
    before.push([method, override, facts])
  })
  app.get('/own', async () => 'own')
  const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS', url: string, payload?: object) => {
    await app.inject({ method, url, ...payload && { payload } })
    return seen.pop()
  }
  for (const [method, url, kind, payload] of [
    ['POST', '/notes', 'create', { text: 'a' }], ['GET', '/notes', 'list'], ['GET', '/notes/by_text', 'dictionary'],
    ['GET', '/notes/1', 'item'], ['GET', '/notes/1/text', 'field'], ['PATCH', '/notes/1', 'update', { text: 'b' }],
    ['DELETE', '/notes/1', 'delete'], ['GET', '/notes?nonsense=1', undefined]
  ] as const) {
    const facts = { collection: 'notes', kind, door: 'http', method }
    t.strictSame(await ask(method, url, payload), facts, `${method} ${url}`)
  }
  t.strictSame(await ask('GET', '/'), { collection: undefined, kind: 'directory', door: 'http', method: 'GET' })
  t.strictSame(await ask('GET', '/invented'), { collection: undefined, kind: undefined, door: 'http', method: 'GET' })
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-http-method-override': 'QUERY' }
  await app.inject({ method: 'POST', url: '/notes', headers, payload: 'limit=1' })
  t.strictSame(before.at(-1), ['POST', 'QUERY', undefined])
  t.strictSame(seen.pop(), { collection: 'notes', kind: 'list', door: 'http', method: 'QUERY' })
  t.equal(await ask('GET', '/own'), undefined)
  await app.close()
})

everySource('ping is fulfilled while the database answers', async ({ opened, t }) => {
  await t.resolves(opened.source('artists').database.ping?.() ?? Promise.resolve())
})

test('ping rejects with unavailable when the database is gone, and close may be called twice', async t => {
  const { app, db } = await open()
  await db.ping()
  db.close()
  db.close()
  app.get('/health', async () => { await db.ping() })
  await t.rejects(db.ping(), { code: 'unavailable' })
  t.equal((await app.inject('/health')).statusCode, 503)
  await app.close()
})

const slow = (rows: object[]) => memory(rows, { statementTimeout: 0 })
const many = Array.from({ length: 20_000 }, (_, index) => ({ id: index + 1, text: 'x'.repeat(500) }))

async function startStream (app: FastifyInstance): Promise<IncomingMessage> {
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  const request = httpGet({ port, path: '/notes', headers: { accept: 'application/x-ndjson' }, agent: false })
  const [response] = await once(request, 'response') as [IncomingMessage]
  return response
}

test('app.close() lets a stream end within closeGrace, and then closes its connection', async t => {
  const app = Fastify()
  await app.register(dataApi,
    { closeGrace: 60_000, collections: { notes: collection(Note, { source: slow(many) }) } })
  const response = await startStream(app)
  const closed = app.close()
  let length = 0
  for await (const chunk of response) length += String(chunk).length
  await closed
  t.equal(response.complete, true)
  t.ok(length > 10_000_000)
})

test('app.close() lets the stream of an injected request end', async t => {
  const app = Fastify()
  await app.register(dataApi, { collections: { notes: collection(Note, { source: slow(many) }) } })
  const headers = { accept: 'application/x-ndjson' }
  const response = await app.inject({ url: '/notes', headers, payloadAsStream: true })
  const closed = app.close()
  let length = 0
  for await (const chunk of response.stream()) length += String(chunk).length
  await closed
  t.ok(length > 10_000_000)
})

test('app.close() ends a stream that is not read any further, which is a line in the log', async t => {
  const logged: Line[] = []
  const app = Fastify({
    disableRequestLogging: true,
    logger: { level: 'error', stream: { write (line: string) { logged.push(JSON.parse(line) as Line) } } }
  })
  await app.register(dataApi, { closeGrace: 100, collections: { notes: collection(Note, { source: slow(many) }) } })
  const response = await startStream(app)
  response.pause()
  const broken = new Promise(resolve => { response.on('close', resolve).on('error', resolve) })
  await app.close()
  response.resume()
  await broken
  t.equal(response.complete, false)
  const err = { message: /^the server closed/ }
  t.match(logged, [{ msg: 'a stream was broken off', collection: 'notes', kind: 'list', reqId: String, err }])
})

test('app.close() waits no longer for a kept connection once its request is answered', async t => {
  const app = Fastify()
  let reach = () => {}
  let leave = () => {}
  const reached = new Promise<void>(resolve => { reach = resolve })
  const left = new Promise<void>(resolve => { leave = resolve })
  const creating = () => {
    reach()
    return left
  }
  await app.register(dataApi, { collections: { notes: collection(Note, { source: memory([]), hooks: { creating } }) } })
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => { agent.destroy() })
  const headers = { 'content-type': 'application/json' }
  const request = httpRequest({ port, path: '/notes', method: 'POST', agent, headers })
  request.end('{"text":"x"}')
  await reached
  const closed = app.close()
  await new Promise(resolve => setImmediate(resolve))
  leave()
  const [response] = await once(request, 'response') as [IncomingMessage]
  response.resume()
  t.strictSame([response.statusCode, response.headers.connection], [201, 'close'])
  await closed
})

test('an error of the application that cannot be printed is named in the log, and changes no answer', async t => {
  const thrown = [
    Object.defineProperty(new Error('x'), 'message', { get () { throw new Error('no message') } }),
    new Proxy(new Error('x'), { get () { throw new Error('no') }, getPrototypeOf () { throw new Error('no') } })
  ]
  const logged: Line[] = []
  const app = Fastify({
    disableRequestLogging: true,
    logger: { level: 'error', stream: { write (line: string) { logged.push(JSON.parse(line) as Line) } } }
  })
  let error: unknown
  const fail = () => { throw error }
  const notes = memory([{ id: 1, text: 'x' }])
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      notes: collection(Note, { source: notes, hooks: { saved: fail } }),
      refused: collection(Note, { source: notes, hooks: { creating: fail } }),
      scoped: collection(Note, { source: notes, scope: fail })
    }
  })
  for (error of thrown) {
    const post = (url: string) => app.inject({ method: 'POST', url, payload: { text: 'y' } })
    t.equal((await post('/notes')).statusCode, 201)
    t.equal((await post('/refused')).statusCode, 500)
    t.strictSame((await app.inject('/scoped')).json(), [])
  }
  t.equal(logged.length, 6)
  const named = logged.filter(({ err }) => err?.message === 'an error was thrown that cannot be printed')
  t.strictSame(named.map(({ msg }) => msg).sort(), [
    ...Array(2).fill("collection 'notes': the hook 'saved' failed after an item was created"),
    ...Array(2).fill("collection 'scoped': its scope failed, so it includes no items"),
    'Something went wrong on the server.'
  ].sort())
})
