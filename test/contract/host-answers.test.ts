import type { FastifyInstance, FastifyServerOptions, InjectOptions } from 'fastify'
import { fastify } from '../helpers/fastify.ts'
import { holdTimers, hour } from '../helpers/held-timers.ts'
import { Readable } from 'node:stream'
import { test } from 'tap'
import dataApi, { collection, DataApiError, memory } from '../../lib/index.ts'
import { Type } from '@sinclair/typebox'
import { everybody } from '../helpers/everybody.ts'
import { internal } from '../helpers/answers.ts'

// docs/http.md: Errors. What a hook of the application answers, sends on or throws is as on any route.

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ readable: true, writable: true, minLength: 1 })
})

type Prepare = (app: FastifyInstance) => unknown

/** Serves two things behind the hooks that `prepare` adds. The same hooks apply to the route `/own`. */
async function serve (prepare: Prepare, options: FastifyServerOptions = {}, creating?: () => Promise<void>) {
  const app = fastify(options)
  await prepare(app)
  app.get('/own', async () => [{ id: 1, name: 'a' }])
  const things = collection(Thing,
    { source: memory([{ id: 1, name: 'a' }, { id: 2, name: 'b' }]), ...creating && { hooks: { creating } } })
  await app.register(dataApi, { rules: everybody, prefix: '/api', collections: { things } })
  const ask = async (request: string | InjectOptions) => {
    const { statusCode, headers, payload } = await app.inject(request as InjectOptions)
    return { status: statusCode, headers, body: payload, type: headers['content-type'] }
  }
  return { app, ask }
}

const stages = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const

const answers: Record<string, { send: () => unknown, body: string, type: string }> = {
  'an object': {
    send: () => ({ error: 'no token' }), body: '{"error":"no token"}', type: 'application/json; charset=utf-8'
  },
  'an object that looks like ours': {
    send: () => ({ status: 200, headers: {}, links: [], body: 'x' }),
    body: '{"status":200,"headers":{},"links":[],"body":"x"}',
    type: 'application/json; charset=utf-8'
  },
  'an array': { send: () => [1, 2], body: '[1,2]', type: 'application/json; charset=utf-8' },
  'a string': { send: () => 'no', body: 'no', type: 'text/plain; charset=utf-8' },
  'a buffer': { send: () => Buffer.from('no'), body: 'no', type: 'application/octet-stream' }
}

for (const stage of stages) {
  test(`what a hook ${stage} answers itself is its own answer`, async t => {
    for (const [what, { send, body, type }] of Object.entries(answers)) {
      const { ask } = await serve(host =>
        host.addHook(stage as 'onRequest', async (_request, reply) => reply.code(401).send(send())))
      for (const url of ['/api/things', '/api/things/1', '/own']) {
        const answer = await ask(url)
        t.strictSame([answer.status, answer.body, answer.type], [401, body, type], `${what} at ${url}`)
      }
      t.strictSame((await ask({ method: 'POST', url: '/api/things', payload: { name: 'c' } })).status, 401)
    }
  })
}

test('a stream of a hook is its own answer, and a hijacked reply is left alone', async t => {
  const { ask } = await serve(host => host.addHook('onRequest', async (request, reply) => {
    if (request.headers['x-how'] === 'stream') return reply.code(203).type('text/x-log').send(Readable.from(['a', 'b']))
    reply.hijack()
    reply.raw.writeHead(202).end('mine')
  }))
  const streamed = await ask({ url: '/api/things', headers: { 'x-how': 'stream' } })
  t.strictSame([streamed.status, streamed.body, streamed.type], [203, 'ab', 'text/x-log'])
  const { status, body } = await ask('/api/things')
  t.strictSame([status, body], [202, 'mine'])
})

test('a preSerialization hook of the application gets the data, and may wrap it', async t => {
  const seen: unknown[] = []
  const { ask } = await serve(host => host.addHook('preSerialization', async (_request, _reply, payload) => {
    seen.push(payload)
    return { data: payload }
  }))
  const item = await ask('/api/things/1')
  t.strictSame([item.status, item.body, item.type],
    [200, '{"data":{"id":1,"name":"a"}}', 'application/json; charset=utf-8'])
  t.match(item.headers.etag, /^"/)
  t.equal((await ask('/api/things?limit=1')).headers.link,
    '<http://localhost/api/things?limit=1&after=WyJpZCIsMV0>; rel="next"')
  t.equal((await ask('/api/things?fields=name')).body, '{"data":[{"name":"a"},{"name":"b"}]}')
  t.equal((await ask('/api/things/1/id')).body, '{"data":1}')
  t.equal((await ask('/api/things/1/name')).body, '"a"', 'text has no such hooks, as on any route')
  const created = await ask({ method: 'POST', url: '/api/things', payload: { name: 'c' } })
  t.strictSame([created.status, created.body, created.headers.location],
    [201, '{"data":{"status":"created","id":3}}', '/api/things/3'])
  t.strictSame((await ask('/api/things/9')).status, 404)
  t.match(JSON.parse((await ask('/api/things/9')).body), { data: { error: 'identifier_not_found' } })
  t.strictSame((await ask({ url: '/api/things/1', headers: { 'if-none-match': String(item.headers.etag) } })).status,
    304)
  t.strictSame(seen[0], { id: 1, name: 'a' })
})

test('a reply serializer of the application writes the data', async t => {
  const { ask } = await serve(host => host.setReplySerializer(payload => `<${JSON.stringify(payload)}>`))
  t.equal((await ask('/api/things/1')).body, '<{"id":1,"name":"a"}>')
  t.equal((await ask('/own')).body, '<[{"id":1,"name":"a"}]>')
})

test('a hook that an onRoute hook adds gets the data too', async t => {
  const { ask } = await serve(host => host.addHook('onRoute', route => {
    route.preSerialization = async (_request: unknown, _reply: unknown, payload: unknown) => ({ data: payload })
  }))
  t.equal((await ask('/api/things/1')).body, '{"data":{"id":1,"name":"a"}}')
})

const failing = (thrown: unknown): Prepare => host => host.addHook('preHandler', async () => { throw thrown })

const failed = (message: string, facts: object) => Object.assign(new Error(message), facts)
const rejected = (message: string) => ({ error: 'rejected', message })

test('an error with a status keeps its status, its message and its headers', async t => {
  const noon = failed('Back at noon.', { statusCode: 503, headers: { 'Retry-After': 60 } })
  const slower = { statusCode: 429, message: 'Slower.', headers: { 'retry-after': '7' } }
  const cases: ReadonlyArray<readonly [what: string, thrown: unknown, status: number, body: object, wait?: string]> = [
    ['503', noon, 503, rejected('Back at noon.'), '60'],
    ['504', failed('Too slow.', { statusCode: 504 }), 504, rejected('Too slow.')],
    ['status', failed('Gone.', { status: 410 }), 410, rejected('Gone.')],
    ['422', failed('No.', { statusCode: 422 }), 422, rejected('No.')],
    ['a plain object', slower, 429, rejected('Slower.'), '7'],
    ['a plain object without a message', { statusCode: 418 }, 418, rejected("I'm a Teapot")],
    ['401', failed('Who?', { statusCode: 401 }), 401, { error: 'unauthorized', message: 'Who?' }],
    ['a 500', failed('secret', { statusCode: 500 }), 500, internal],
    ['no status', new Error('secret'), 500, internal],
    ['an odd status', failed('secret', { statusCode: 200 }), 500, internal],
    ['text', 'secret', 500, internal],
    ['null', null, 500, internal],
    ['an object', { secret: true }, 500, internal]
  ]
  for (const [what, thrown, status, body, wait] of cases) {
    const { ask } = await serve(failing(thrown))
    const answer = await ask('/api/things')
    t.strictSame([answer.status, JSON.parse(answer.body), answer.headers['retry-after']],
      [status, body, wait], what)
  }
})

test('a status and headers that a hook set before it threw are kept', async t => {
  const { ask } = await serve(host => host.addHook('onRequest', async (_request, reply) => {
    reply.code(403).header('x-why', 'moon').header('retry-after', '5')
    throw new Error('Not tonight.')
  }))
  const { status, headers, body } = await ask('/api/things')
  t.strictSame([status, headers['x-why'], headers['retry-after'], JSON.parse(body)],
    [403, 'moon', '5', { error: 'forbidden', message: 'Not tonight.' }])
})

test('an error after the headers of an answer leaves none of them', async t => {
  const { ask } = await serve(host => host.addHook('onSend', async (request, reply) => {
    if (request.headers['x-break'] && reply.statusCode < 300) throw Object.assign(new Error('No.'), { statusCode: 503 })
  }))
  const headers = { 'x-break': '1', prefer: 'count=exact, return=representation' }
  const failed = [
    await ask({ url: '/api/things?limit=1', headers }),
    await ask({ url: '/api/things/1', headers }),
    await ask({ method: 'POST', url: '/api/things', headers, payload: { name: 'c' } }),
    await ask({ url: '/api/things', headers: { ...headers, accept: 'text/csv' } })
  ]
  for (const { status, headers, body, type } of failed) {
    t.strictSame([status, JSON.parse(body), type],
      [503, { error: 'rejected', message: 'No.' }, 'application/json; charset=utf-8'])
    for (const name of ['etag', 'link', 'location', 'content-location', 'preference-applied', 'x-total-count']) {
      t.equal(headers[name], undefined, name)
    }
  }
})

test('links and Vary that a hook of the application set stand beside ours, on pages and on errors', async t => {
  const { ask } = await serve(host => {
    host.addHook('onRequest', async (_request, reply) => {
      reply.header('link', '</docs>; rel="service-doc"').header('vary', 'Accept, Origin')
    })
    host.addHook('onSend', async (request, reply) => {
      if (request.headers['x-break'] && reply.statusCode < 300) throw new Error('secret')
    })
  })
  const page = await ask('/api/things?limit=1')
  t.match(page.headers['link'], /^<\/docs>; rel="service-doc", <[^>]+>; rel="next"$/)
  t.equal(page.headers['vary'], 'Accept, Origin, Prefer')
  const failed = await ask({ url: '/api/things?limit=1', headers: { 'x-break': '1' } })
  t.strictSame([failed.status, failed.headers['link']], [500, '</docs>; rel="service-doc"'])
  const missing = await ask('/api/things/9')
  t.strictSame([missing.status, missing.headers['link'], missing.headers['vary']],
    [404, '</docs>; rel="service-doc"', 'Accept, Origin'])
})

test('an error carries the status that monitors look for', async t => {
  const seen: unknown[] = []
  const { ask } = await serve(host => host.addHook('onError', async (_request, _reply, error) => {
    seen.push([error.statusCode, error instanceof DataApiError])
  }))
  await ask('/api/things/9')
  await ask({ method: 'POST', url: '/api/things', payload: {} })
  await ask({ method: 'DELETE', url: '/api/things/1' })
  t.strictSame(seen, [[404, true], [400, true], [405, true]])
  t.equal(new DataApiError('rejected', '', { status: 418 }).statusCode, 418)
})

test('a handler timeout of Fastify is 503, and a write that it ends may still be done', async t => {
  const timers = holdTimers(t)
  let release = () => {}
  let begin = () => {}
  const begun = new Promise<void>(resolve => { begin = resolve })
  const { app, ask } = await serve(() => {}, { handlerTimeout: hour }, () => new Promise(resolve => {
    release = resolve
    begin()
  }))
  const written = ask({ method: 'POST', url: '/api/things', payload: { name: 'c' } })
  await begun
  timers.fire(hour)
  const { status, body } = await written
  t.strictSame([status, JSON.parse(body).error], [503, 'outcome_unknown'])
  release()
  t.equal((await ask('/api/things/1')).status, 200)
  await app.close()
})

test('a read that takes too long is 503 with the message of Fastify, and is answered once', async t => {
  const timers = holdTimers(t)
  let release = () => {}
  let begin = () => {}
  const begun = new Promise<void>(resolve => { begin = resolve })
  const released = new Promise<true>(resolve => { release = () => { resolve(true) } })
  const slow = collection(Thing, {
    source: memory([{ id: 1, name: 'a' }]),
    scope () {
      begin()
      return released
    }
  })
  const warnings: unknown[] = []
  const app = fastify({
    handlerTimeout: hour,
    logger: { level: 'warn', stream: { write: (line: string) => { warnings.push(JSON.parse(line)) } } }
  })
  await app.register(dataApi, { rules: everybody, collections: { slow } })
  const asked = app.inject('/slow').then(answer => answer)
  await begun
  timers.fire(hour)
  const answer = await asked
  t.strictSame([answer.statusCode, answer.json().error], [503, 'rejected'])
  release()
  // What is asked later is answered after the read that was released.
  await app.inject('/slow')
  t.equal(warnings.filter(line => (line as { level: number }).level === 40).length, 0, 'no second answer is tried')
  await app.close()
})
