import { createCollection, createTransaction } from '@tanstack/db'
import type { FastifyInstance } from 'fastify'
import { channel } from 'node:diagnostics_channel'
import { readdirSync } from 'node:fs'
import { type Test, test } from 'tap'
import { createClient } from '../../lib/clients/client/index.ts'
import { createDataProvider } from '../../lib/clients/react-admin/index.ts'
import { dataApiCollectionOptions, writeTransaction } from '../../lib/clients/tanstack-db/index.ts'
import { corsOptions } from '../../lib/index.ts'
import { conformance } from '../../lib/tools/testing/conformance/index.ts'
import { openMemory } from '../../lib/tools/testing/serving/serve.ts'
import { openDesk } from '../helpers/desk.ts'
import { programsIn, read, root, sectionOf, writeProgram } from '../helpers/documents.ts'

// docs/running.md: Browsers. Its settings for @fastify/cors, as pages of another origin meet them.

const origin = 'https://app.example.org'
const [settings = ''] = programsIn(sectionOf('docs/running.md#deploying', 'Browsers'))

/** How the hook of a page tells a preflight. */
const [isPreflight = ''] = /const isPreflight = .*/.exec(read('docs/rules.md')) ?? []

let programs = 0

/** Serves notes and a login with the settings of the page, followed by the hooks of an application. */
async function serve (t: Test, hooks = ''): Promise<FastifyInstance> {
  const { app } = await import(writeProgram(`origins-${programs++}.ts`, `
    import cors from '@fastify/cors'
    import { Type } from '@sinclair/typebox'
    import Fastify from 'fastify'
    import dataApi, { collection, memory } from 'fastify-data-api'
    export const app = Fastify()
    ${settings}
    ${hooks}
    const Note = Type.Object({
      id: Type.Integer({ identifier: true, readable: true }),
      text: Type.String({ readable: true, writable: true, maxLength: 5 })
    })
    const source = memory([1, 2, 3, 4].map(id => ({ id, text: 'a' })))
    await app.register(dataApi, {
      collections: { notes: collection(Note, { source }) },
      requestStrategies: { delete: true, batch: true, bulk: ['DELETE'] },
      idempotency: {}
    })
    app.post('/login', async () => ({}))`).href) as { readonly app: FastifyInstance }
  t.teardown(() => app.close())
  return app
}

/** The programs of the clients, without comments. */
const clients = ['client', 'react-admin', 'tanstack-db'].flatMap(room =>
  readdirSync(new URL(`lib/clients/${room}/`, root), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => read(`lib/clients/${room}/${name}`).replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, ''))).join('\n')

const found = (pattern: RegExp, text = clients): readonly string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort()

const methods = found(/'([A-Z]{3,})'/g).filter(name => !['ASC', 'DESC'].includes(name))
// The headers of requests are members of objects `own`, or have their names in quotes.
const members = found(/\bown(?:: | = )\{ (.*?) \}/g).flatMap(object => object.split(', '))
const sent = [...new Set([...found(/'([a-z-]+)':/g), ...members.flatMap(member => found(/^'?([a-z-]+)/g, member))])]
const received = found(/(?<!\bmodes)\??\.(?:get|has)\('([^']+)'\)/g)

/** The headers that every page may send and read (WHATWG Fetch). */
const safe = ['accept', 'cache-control', 'content-language', 'content-length', 'expires', 'last-modified', 'pragma']
const readable = [...safe, 'content-type']

const namesIn = (header: unknown): readonly string[] => String(header ?? '').toLowerCase().split(/, ?/)

const preflight = (app: FastifyInstance, url: string, method = 'GET', names: readonly string[] = []) => app.inject({
  method: 'OPTIONS',
  url,
  headers: {
    origin,
    'access-control-request-method': method,
    ...names.length > 0 && { 'access-control-request-headers': names.join() }
  }
})

/** A `fetch()` that does what browsers do for a page of another origin. */
const browserOf = (app: FastifyInstance) => async (url: string, { method = 'GET', headers, body }: RequestInit) => {
  const given = headers as Readonly<Record<string, string>>
  const unsafe = Object.keys(given).filter(name => !safe.includes(name))
  const { statusCode, headers: allowed } = await preflight(app, url, method, unsafe)
  if (statusCode !== 204 || allowed['access-control-allow-origin'] !== origin) throw new TypeError('Failed to fetch')
  if (!namesIn(allowed['access-control-allow-methods']).includes(method.toLowerCase())) throw new TypeError(method)
  const refused = unsafe.filter(name => !namesIn(allowed['access-control-allow-headers']).includes(name))
  if (refused.length > 0) throw new TypeError(`Failed to fetch: ${refused.join()}`)
  const answer = await app.inject({
    method: method as 'GET', url, headers: { ...given, origin }, ...typeof body === 'string' && { payload: body }
  })
  const exposed = [...readable, ...namesIn(answer.headers['access-control-expose-headers'])]
  const shown = Object.entries(answer.headers).filter(([name]) => exposed.includes(name))
  const response = new Response(answer.statusCode === 204 ? null : answer.body, {
    status: answer.statusCode, headers: Object.fromEntries(shown) as Record<string, string>
  })
  return Object.defineProperty(response, 'type', { value: 'cors' })
}

test('the methods and headers of the clients pass a preflight, and what they read is exposed', async t => {
  t.ok(methods.includes('QUERY') && sent.includes('last-event-id') && received.includes('x-total-count'))
  const app = await serve(t)
  for (const method of methods) {
    for (const url of ['/', '/notes', '/notes/1', '/notes/1/text', '/nothing', '/login']) {
      const { statusCode, headers } = await preflight(app, url, method, sent)
      t.strictSame([statusCode, headers['access-control-allow-origin']], [204, origin], url)
      t.ok(namesIn(headers['access-control-allow-methods']).includes(method.toLowerCase()), method)
      const allowed = [...safe, ...namesIn(headers['access-control-allow-headers'])]
      t.strictSame(sent.filter(name => !allowed.includes(name)), [], 'every header of a request is allowed')
    }
  }
  const { headers } = await app.inject({ url: '/notes', headers: { origin } })
  const exposed = [...readable, ...namesIn(headers['access-control-expose-headers'])]
  t.strictSame(received.filter(name => !exposed.includes(name)), [], 'every header of an answer is exposed')
})

test('corsOptions have the headers of requests and answers that conformance sees, and no others', async t => {
  const [asked, told] = [new Set<string>(), new Set<string>()]
  const watch = (message: unknown) => {
    const { fastify } = message as { readonly fastify: FastifyInstance }
    fastify.addHook('onRequest', async ({ headers }) => { for (const name of Object.keys(headers)) asked.add(name) })
    fastify.addHook('onSend', async (_request, reply) => {
      for (const name of Object.keys(reply.getHeaders())) told.add(name)
    })
  }
  channel('fastify.initialization').subscribe(watch)
  await conformance({ open: openMemory, requests: 150, seed: 1 })
  channel('fastify.initialization').unsubscribe(watch)
  // Connections, caches and proxies have these of their own; no client reads which bodies a method takes.
  const others = /^(?:accept(?:-.+)?|host|user-agent|vary|x-accel-buffering)$/
  const missing = (seen: ReadonlySet<string>, listed: readonly string[]) => [...seen].filter(name =>
    !others.test(name) && !readable.includes(name) && !namesIn(listed).includes(name))
  t.strictSame(missing(asked, corsOptions.allowedHeaders), [])
  t.strictSame(missing(told, corsOptions.exposedHeaders), [])
  t.ok(asked.has('if-match') && told.has('link') && told.has('etag'))
  const wire = read('docs/http.md')
  const names = [...corsOptions.allowedHeaders, ...corsOptions.exposedHeaders]
  t.strictSame(names.filter(name => !wire.includes(name)), ['Authorization'], "of the application's hooks")
})

test('examples/desk has the same settings', async t => {
  const desk = await openDesk(t, 'sqlite', { origin })
  const listed = async (app: FastifyInstance, url: string) => {
    const { headers } = await preflight(app, url)
    return ['allow-methods', 'allow-headers', 'expose-headers'].map(name => headers[`access-control-${name}`])
  }
  t.strictSame(await listed(desk.app, '/api/tickets'), await listed(await serve(t), '/notes'))
})

test('OPTIONS that is no preflight is answered by the API, readable across origins', async t => {
  const app = await serve(t)
  for (const headers of [{}, { origin }]) {
    const options = await app.inject({ method: 'OPTIONS', url: '/notes', headers })
    t.strictSame([options.statusCode, options.headers.allow],
      [204, 'GET, HEAD, OPTIONS, QUERY, POST, PATCH, DELETE'])
    t.ok(namesIn(options.headers['access-control-expose-headers']).includes('allow'))
  }
  const other = await app.inject({ method: 'OPTIONS', url: '/notes', headers: { origin: 'https://other.example.org' } })
  t.equal(other.headers['access-control-allow-origin'], undefined)
})

test('a preflight needs no token, every other request does', async t => {
  const app = await serve(t, `
    app.addHook('onRequest', async (request, reply) => {
      ${isPreflight}
      if (!isPreflight && request.headers.authorization === undefined) return reply.code(401).send()
    })`)
  for (const url of ['/', '/notes', '/notes/1', '/nothing', '/login']) {
    t.equal((await preflight(app, url, 'PATCH', ['authorization'])).statusCode, 204, url)
    for (const method of ['GET', 'OPTIONS', 'POST', 'PATCH'] as const) {
      t.equal((await app.inject({ method, url, headers: { origin } })).statusCode, 401, `${method} ${url}`)
    }
  }
  const options = { method: 'OPTIONS', url: '/notes', headers: { origin, authorization: 'Bearer x' } } as const
  t.match((await app.inject(options)).headers, { allow: /DELETE/, 'access-control-allow-origin': origin })
})

test('the clients do on another origin what they do on their own', async t => {
  const app = await serve(t)
  const requests: string[] = []
  app.addHook('onRequest', async ({ method, url, headers }) => {
    if (headers['access-control-request-method'] !== undefined) return
    const key = headers['idempotency-key'] === undefined ? '' : ' with a key'
    requests.push(`${method} ${decodeURIComponent(url)}${key}`)
  })
  const options = { fetch: browserOf(app) as typeof fetch, maxQuery: 40, headers: { authorization: 'Bearer x' } }
  const notes = createClient('http://host', options).resource('notes')
  t.strictSame(await notes.allowed(1), ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'])
  t.match(await notes.list({ size: 1, count: true }), { next: Object, total: 4 })
  t.equal((await notes.list({ where: { id: [1, 2, 3, 4, 5, 6, 7, 8, 9] } })).items.length, 4)
  await notes.update(1, { text: 'b' }, { unchanged: await notes.get(1) as object })
  const shown = createCollection(dataApiCollectionOptions(notes, { live: false, syncMode: 'eager' }))
  await shown.preload()
  const transaction = createTransaction({ mutationFn: writeTransaction, autoCommit: false })
  requests.length = 0
  transaction.mutate(() => {
    shown.update(3, note => { note['text'] = 'c' })
    shown.update(4, note => { note['text'] = 'too long' })
  })
  await t.rejects(transaction.commit(), { code: 'validation' })
  t.strictSame(requests.slice(0, 2), ['OPTIONS /', 'POST / with a key'], 'one batch')
  t.match(await notes.get(3), { text: 'a' })
  requests.length = 0
  const provider = createDataProvider('http://host', options)
  await provider.deleteMany('notes', { ids: [1, 2] })
  t.strictSame(requests, ['OPTIONS /notes', 'DELETE /notes?.where=id=*1,2'], 'one deletion')
})
