import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import compress from '@fastify/compress'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { fastify } from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { type AnyContext, collection, memory } from '../../lib/index.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/http.md: Writing. `request.body` is what it is on every other route, and the options of the router hold.

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ readable: true, writable: true }),
  tags: Type.Optional(Type.Array(Type.String(), { readable: true, writable: true }))
})

async function serve (prepare: (app: FastifyInstance, seen: unknown[]) => void, options: FastifyServerOptions = {}) {
  const seen: unknown[] = []
  const see = ({ request }: AnyContext) => { seen.push(request?.body) }
  const app = fastify(options)
  prepare(app, seen)
  await app.register(dataApi, {
    rules: everybody,
    prefix: '/api',
    requestStrategies: { delete: true },
    collections: {
      things: collection(Thing, {
        source: memory([{ id: 1, name: 'a' }]),
        scope: context => { see(context); return true },
        rules: { create: context => { see(context); return true } },
        setters: { name (item, name, context) { see(context); item.name = name } },
        hooks: { creating: (_item, context) => { see(context) }, saved: (_saved, context) => { see(context) } }
      })
    }
  })
  return { app, seen }
}

const json = { 'content-type': 'application/json; charset=utf-8' }

test('hooks, rules, scopes and setters get the parsed JSON, which was parsed once', async t => {
  const { app, seen } = await serve((host, seen) => {
    for (const stage of ['preValidation', 'preHandler'] as const) {
      host.addHook(stage, async request => { seen.push(request.body) })
    }
  })
  const answer = await app.inject({ method: 'POST', url: '/api/things', payload: { name: 'b', tags: ['x'] } })
  t.equal(answer.statusCode, 201)
  t.equal(seen.length, 7)
  for (const body of seen) t.strictSame(body, { name: 'b', tags: ['x'] })
  t.equal(new Set(seen).size, 1, 'one object')
})

test('what a hook makes of the body is what is written', async t => {
  const { app } = await serve(host => {
    host.addHook('preValidation', async request => {
      if (request.headers['x-replace']) request.body = { name: 'replaced' }
    })
    host.addHook('preHandler', async request => {
      if (request.headers['x-trim']) {
        Object.assign(request.body as object, { name: (request.body as { name: string }).name.trim() })
      }
    })
  })
  const write = async (headers: Record<string, string>, payload: string) =>
    (await app.inject({ method: 'PATCH', url: '/api/things/1', payload, headers: { ...json, ...headers } })).statusCode
  const name = async () => (await app.inject('/api/things/1/name')).json()
  t.strictSame([await write({ 'x-trim': '1' }, '{"name":" b "}'), await name()], [200, 'b'])
  t.strictSame([await write({ 'x-replace': '1' }, '{"name":"c"}'), await name()], [200, 'replaced'])
  t.strictSame([await write({ 'x-replace': '1', 'content-type': 'application/octet-stream' }, 'cipher'), await name()],
    [200, 'replaced'])
})

test('scalars, null and no body are what they are', async t => {
  const { app, seen } = await serve((host, seen) => {
    host.addHook('preHandler', async request => { seen.push(request.body) })
  })
  await app.inject({ method: 'PUT', url: '/api/things/1/name', payload: '"b"', headers: json })
  t.equal(seen[0], 'b')
  for (const [payload, body] of [['null', null], ['5', 5], ['', undefined]] as const) {
    seen.length = 0
    await app.inject({ method: 'PUT', url: '/api/things/1/tags', payload, headers: json })
    t.equal(seen[0], body)
  }
  seen.length = 0
  await app.inject({ method: 'DELETE', url: '/api/things/1' })
  t.equal(seen[0], undefined)
})

test('a body that is not acceptable is refused where it is needed, after what its resource refuses', async t => {
  const { app, seen } = await serve((host, seen) => {
    host.addHook('preHandler', async request => { seen.push(request.body) })
  })
  const send = async (url: string, payload: string | Buffer, type = 'application/json') => {
    const answer = await app.inject({ method: 'POST', url, payload, headers: { 'content-type': type } })
    return [answer.statusCode, answer.json().error] as const
  }
  t.strictSame(await send('/api/things', '{"name":'), [400, 'malformed_body'])
  t.equal(seen[0], undefined)
  t.strictSame(await send('/api/things', Buffer.from([0xff])), [400, 'malformed_body'])
  t.strictSame(await send('/api/nowhere', '{"name":'), [404, 'collection_not_found'])
  t.strictSame(await send('/api/things/1', '{'), [405, 'method_not_allowed'])
  t.strictSame(await send('/api/things', '<a/>', 'application/xml'), [415, 'unsupported_media_type'])
  t.strictSame(await send('/api/things', '['.repeat(100) + ']'.repeat(100)), [400, 'malformed_body'])
})

test('the options of the router hold', async t => {
  const at = async (options: FastifyServerOptions, url: string) => {
    const { app } = await serve(() => {}, options)
    const { statusCode } = await app.inject(url)
    await app.close()
    return statusCode
  }
  for (const options of [{ ignoreDuplicateSlashes: true }, { routerOptions: { ignoreDuplicateSlashes: true } }]) {
    for (const url of ['/api//things', '//api///things//1//name', '/api/things/1//name?fields=']) {
      t.equal(await at(options, url), url.endsWith('=') ? 400 : 200, url)
    }
  }
  t.equal(await at({}, '/api/things//1'), 404)
  t.equal(await at({ routerOptions: { ignoreDuplicateSlashes: true } }, '/api/things?name=a//b'), 200)
  t.equal(await at({ routerOptions: { ignoreTrailingSlash: true } }, '/api/things/1/'), 200)
  t.equal(await at({ routerOptions: { caseSensitive: false } }, '/API/things/1'), 200)
  t.equal(await at({ useSemicolonDelimiter: true }, '/api/things;id=1'), 200)
  t.equal(await at({ routerOptions: { maxParamLength: 20 } }, `/api/things/${'x'.repeat(200)}`), 404)
})

test('a compressed body is 415 with Accept-Encoding, unless a plugin has unpacked it', async t => {
  const packed = {
    gzip: gzipSync('{"name":"new"}'), br: brotliCompressSync('{"name":"new"}'), deflate: deflateSync('{"name":"new"}')
  }
  const post = (app: FastifyInstance, encoding: string, payload: Buffer | string, type = 'application/json') =>
    app.inject({
      method: 'POST', url: '/api/things', payload, headers: { 'content-type': type, 'content-encoding': encoding }
    })
  const { app } = await serve(() => {})
  for (const [encoding, payload] of Object.entries(packed)) {
    for (const type of ['application/json', 'application/merge-patch+json', 'application/x-ndjson', 'text/plain']) {
      const { statusCode, headers, body } = await post(app, encoding, payload, type)
      t.equal(statusCode, 415)
      t.equal(headers['accept-encoding'], 'identity')
      t.strictSame(JSON.parse(body), {
        error: 'unsupported_media_type',
        message: `The body is encoded as '${encoding}', which is not unpacked here. Send it without 'Content-Encoding'.`
      })
    }
  }
  t.equal((await post(app, 'identity', '{"name":"new"}')).statusCode, 201)
  t.equal((await app.inject('/api/things')).json<unknown[]>().length, 2)
  const { app: unpacking } = await serve(app => { app.register(compress) })
  for (const [encoding, payload] of Object.entries(packed)) {
    t.equal((await post(unpacking, encoding, payload)).statusCode, 201, encoding)
    t.equal((await post(unpacking, encoding, gzipSync('x'))).statusCode >= 400, true)
  }
})

test('a compressed import or batch is 415, too, unless it is unpacked', async t => {
  const post = async (unpack: boolean, url: string, type: string, text: string) => {
    const app = fastify()
    if (unpack) await app.register(compress)
    const things = collection(Thing, { source: memory([]), requestStrategies: { import: true } })
    await app.register(dataApi, {
      rules: everybody, imports: true, requestStrategies: { batch: true }, collections: { things }
    })
    const headers = { 'content-type': type, 'content-encoding': 'gzip' }
    const { statusCode, headers: { 'accept-encoding': accepted } } =
      await app.inject({ method: 'POST', url, payload: gzipSync(text), headers })
    return [statusCode, accepted]
  }
  for (const [url, type, text, done] of [
    ['/things', 'application/x-ndjson', '{"name":"new"}\n', 201],
    ['/things', 'text/csv', 'name\nnew\n', 201],
    ['/', 'application/json', '[{"method":"POST","path":"/things","body":{"name":"new"}}]', 200]
  ] as const) {
    t.strictSame(await post(false, url, type, text), [415, 'identity'], type)
    t.strictSame(await post(true, url, type, text), [done, undefined], type)
  }
})
