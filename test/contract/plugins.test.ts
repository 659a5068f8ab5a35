import basicAuth from '@fastify/basic-auth'
import bearerAuth from '@fastify/bearer-auth'
import caching from '@fastify/caching'
import circuitBreaker from '@fastify/circuit-breaker'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import etag from '@fastify/etag'
import helmet from '@fastify/helmet'
import jwt from '@fastify/jwt'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import rateLimit from '@fastify/rate-limit'
import { fastifyRequestContext, requestContext } from '@fastify/request-context'
import sensible from '@fastify/sensible'
import session from '@fastify/session'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import underPressure from '@fastify/under-pressure'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { fastify } from '../helpers/fastify.ts'
import { holdTimers, hour } from '../helpers/held-timers.ts'
import { test } from 'tap'
import { gunzipSync } from 'node:zlib'
import dataApi, { ArgumentError, collection, memory } from '../../lib/index.ts'
import { everybody } from '../helpers/everybody.ts'
import { internal } from '../helpers/answers.ts'
import { Thing } from '../fixtures/things.ts'

// docs/own-code.md: Plugin and hooks. The plugins that applications use work as on any route.

async function serve (prepare: (app: FastifyInstance) => unknown, behaviour: object = {}) {
  const app = fastify()
  await prepare(app)
  await app.register(dataApi, {
    rules: everybody,
    prefix: '/api',
    collections: {
      things: collection(Thing, { source: memory([{ id: 1, name: 'a' }, { id: 2, name: 'b' }]), ...behaviour })
    }
  })
  const ask = async (url: string, headers: Record<string, string> = {}, more: InjectOptions = {}) => {
    const { statusCode, payload, rawPayload, headers: answered } = await app.inject({ url, headers, ...more })
    return {
      status: statusCode,
      body: payload,
      bytes: rawPayload,
      headers: answered,
      json: () =>
        JSON.parse(payload) as Record<string, unknown>
    }
  }
  return { app, ask }
}

const item = '{"id":1,"name":"a"}'

test('@fastify/bearer-auth: 401 with its own body, and 200 with the key', async t => {
  const { ask } = await serve(app => app.register(bearerAuth, { keys: ['key'], addHook: 'onRequest' }))
  const refused = await ask('/api/things/1', { authorization: 'Bearer wrong' })
  t.strictSame([refused.status, refused.json()], [401, { error: 'invalid authorization header' }])
  t.equal((await ask('/api/things/1')).status, 401)
  t.strictSame([(await ask('/api/things/1', { authorization: 'Bearer key' })).body], [item])
})

test('@fastify/basic-auth: 401 with WWW-Authenticate', async t => {
  const { ask } = await serve(async app => {
    await app.register(basicAuth, {
      authenticate: { realm: 'things' },
      validate: async (name, password) => {
        if (name !== 'ada' || password !== 'x') throw new Error('No.')
      }
    })
    app.addHook('onRequest', app.basicAuth)
  })
  const refused = await ask('/api/things/1')
  t.equal(refused.status, 401)
  t.match(refused.headers['www-authenticate'], /things/)
  t.equal((await ask('/api/things/1', { authorization: `Basic ${Buffer.from('ada:x').toString('base64')}` })).body,
    item)
})

test('@fastify/jwt with @fastify/cookie: the token in a cookie says who asks', async t => {
  const { app, ask } = await serve(async app => {
    await app.register(cookie)
    await app.register(jwt, { secret: 'a secret of the tests', cookie: { cookieName: 'token', signed: false } })
    app.addHook('onRequest', async request => { await request.jwtVerify() })
  })
  t.strictSame((await ask('/api/things/1')).json(),
    { error: 'unauthorized', message: 'No Authorization was found in request.cookies' })
  t.equal((await ask('/api/things/1', { cookie: `token=${app.jwt.sign({ team: 1, role: 'lead' })}` })).body, item)
})

test('@fastify/session: what a setter puts into the session is kept', async t => {
  const { ask } = await serve(async app => {
    await app.register(cookie)
    await app.register(session, { secret: 'a secret of the tests that is long enough', cookie: { secure: false } })
  }, {
    setters: {
      name (thing: { name: string }, name: string, { request }: {
        request: { session: { set (key: string, value: unknown): void } }
      }) { request.session.set('last', name); thing.name = name }
    }
  })
  const written = await ask('/api/things/1', { 'content-type': 'application/json' },
    { method: 'PATCH', payload: '{"name":"c"}' })
  t.equal(written.status, 200)
  t.match(String(written.headers['set-cookie']), /^sessionId=/)
})

test('@fastify/under-pressure: 503 with Retry-After and its message', async t => {
  const { app, ask } = await serve(app => app.register(underPressure,
    { healthCheck: async () => false, healthCheckInterval: 10_000, message: 'Too much.', retryAfter: 50 }))
  const { status, headers, json } = await ask('/api/things')
  t.strictSame([status, headers['retry-after'], json()], [503, '50', { error: 'rejected', message: 'Too much.' }])
  await app.close()
})

test('@fastify/rate-limit: 429 with Retry-After, also with an errorResponseBuilder', async t => {
  for (const builder of [undefined, () => ({ statusCode: 429, error: 'Slow', message: 'Come back later.' })]) {
    const { ask } = await serve(app =>
      app.register(rateLimit, { max: 1, timeWindow: '1 hour', ...builder && { errorResponseBuilder: builder } }))
    t.equal((await ask('/api/things')).status, 200)
    const { status, headers, json } = await ask('/api/things')
    t.strictSame([status, json()['error']], [429, 'rejected'])
    t.match(json()['message'], builder ? /^Come back later\.$/ : /Rate limit exceeded/)
    t.ok(Number(headers['retry-after']) > 0)
  }
})

test('@fastify/sensible: its errors keep status and message', async t => {
  const { ask } = await serve(async app => {
    await app.register(sensible)
    app.addHook('preHandler', async (request, reply) => {
      if (request.headers['x-how'] === 'reply') return reply.serviceUnavailable('Back at noon.')
      if (request.headers['x-how'] === 'throw') throw app.httpErrors.paymentRequired('Pay.')
      if (request.headers['x-how'] === 'inside') throw app.httpErrors.internalServerError('secret')
    })
  })
  for (const [how, status, body] of [
    ['reply', 503, { error: 'rejected', message: 'Back at noon.' }],
    ['throw', 402, { error: 'rejected', message: 'Pay.' }],
    ['inside', 500, internal]
  ] as const) {
    const answer = await ask('/api/things', { 'x-how': how })
    t.strictSame([answer.status, answer.json()], [status, body], how)
  }
})

test('@fastify/caching and @fastify/etag: their headers stand beside ours', async t => {
  const { ask } = await serve(async app => {
    await app.register(caching, { privacy: 'public', expiresIn: 60 })
    await app.register(etag)
  })
  const { headers } = await ask('/api/things/1')
  t.equal(headers['cache-control'], 'public, max-age=60')
  t.match(headers.etag, /^"[\w-]{16}\.[\w-]{16}"$/, 'our own tag')
  t.equal((await ask('/api/things/1', { 'if-none-match': String(headers.etag) })).status, 304)
})

test('@fastify/compress: items, errors and streams', async t => {
  const { ask } = await serve(app => app.register(compress, { threshold: 0 }))
  const gzip = { 'accept-encoding': 'gzip' }
  const packed = await ask('/api/things/1', gzip)
  t.strictSame([packed.headers['content-encoding'], gunzipSync(packed.bytes).toString()], ['gzip', item])
  t.match(gunzipSync((await ask('/api/things/9', gzip)).bytes).toString(), /identifier_not_found/)
  t.equal(gunzipSync((await ask('/api/things?format=csv', gzip)).bytes).toString(), 'id,name\r\n1,a\r\n2,b\r\n')
})

test('@fastify/helmet and @fastify/cors: their headers are on answers and errors', async t => {
  const { ask } = await serve(async app => {
    await app.register(helmet)
    await app.register(cors, { origin: 'https://a.example' })
  })
  for (const url of ['/api/things', '/api/nothing']) {
    const { headers } = await ask(url, { origin: 'https://a.example' })
    t.strictSame([headers['x-content-type-options'], headers['access-control-allow-origin']],
      ['nosniff', 'https://a.example'], url)
  }
})

test('@fastify/circuit-breaker: an open circuit is 503', async t => {
  // The timer of an open circuit would keep the process.
  holdTimers(t)
  let broken = true
  const { ask } = await serve(async app => {
    await app.register(circuitBreaker, { threshold: 1, resetTimeout: hour })
    app.addHook('preHandler', app.circuitBreaker())
  }, {
    scope: () => true, setters: { name () { if (broken) throw new Error('down'); throw new ArgumentError('No.') } }
  })
  const write = () =>
    ask('/api/things/1', { 'content-type': 'application/json' }, { method: 'PATCH', payload: '{"name":"c"}' })
  t.ok((await write()).status >= 500)
  broken = false
  const { status, json } = await write()
  t.strictSame([status, json()], [503, { error: 'rejected', message: 'Circuit open' }])
})

test('@fastify/request-context: the context of the request reaches scopes', async t => {
  const { ask } = await serve(async app => {
    await app.register(fastifyRequestContext)
    app.addHook('onRequest', async request => {
      request.requestContext.set('only' as never, Number(request.headers['x-only']) as never)
    })
  }, { scope: () => ({ id: requestContext.get('only' as never) as unknown as number }) })
  t.strictSame((await ask('/api/things', { 'x-only': '2' })).json(), [{ id: 2, name: 'b' }])
})

test('@fastify/swagger with its page: the wildcard routes are not listed', async t => {
  const { app, ask } = await serve(async app => {
    await app.register(swagger, { openapi: { info: { title: 'T', version: '1' } } })
    await app.register(swaggerUi, { routePrefix: '/docs' })
    app.get('/own', { schema: { description: 'mine' } }, async () => 'x')
  })
  await app.ready()
  t.strictSame(Object.keys((app.swagger() as { paths: object }).paths), ['/own'])
  t.equal((await ask('/docs/')).status, 200)
})

test('@fastify/otel: a request is a span, and its answer is unchanged', async t => {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const otel = new FastifyOtelInstrumentation({ registerOnInitialization: false })
  otel.setTracerProvider(provider)
  const { ask } = await serve(app => app.register(otel.plugin()))
  t.equal((await ask('/api/things/1')).body, item)
  t.equal((await ask('/api/things/9')).status, 404)
  t.ok(exporter.getFinishedSpans().length >= 2)
  await provider.shutdown()
})
