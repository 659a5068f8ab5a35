import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import { setImmediate } from 'node:timers/promises'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { corsOptions, type DataApiOptions, DeclarationError } from '../../lib/index.ts'
import { standIns } from '../../lib/plugin/stand-ins.ts'
import { collections, tables } from '../fixtures/music.ts'
import { openers } from '../helpers/sources.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/http.md: URLs. The plugin in an application of somebody else's.

async function host () {
  const opened = openers.memory(tables)
  const app = Fastify()
  app.setErrorHandler((error: Error, _request, reply) => reply.code(418).send({ host: error.message }))
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ host: 'nothing here' }))
  app.setValidatorCompiler(() => () => true)
  app.addContentTypeParser('text/x-host', { parseAs: 'string' }, (_request, body, done) => {
    done(null, `parsed ${body}`)
  })
  app.addHook('onSend', async (_request, reply, payload) => { reply.header('x-host', 'yes'); return payload })
  app.addHook('preHandler', async request => {
    if (request.headers['x-refused']) throw Object.assign(new Error('Come back tomorrow.'), { statusCode: 429 })
  })
  app.get('/own', async () => ({ own: true }))
  app.get('/own/fails', async () => { throw new Error('own') })
  app.post('/own', async request => ({ body: request.body }))
  await app.register(dataApi, { rules: everybody, prefix: '/one', collections: collections(opened.source) })
  await app.register(dataApi, {
    rules: everybody, prefix: '/two/deep/', naming: 'camelCase', collections: collections(opened.source)
  })
  return app
}

test('two registrations with different prefixes live side by side', async t => {
  const app = await host()
  t.strictSame((await app.inject('/one/artists/1?fields=start_date')).json(), { start_date: '2003-01-01' })
  t.strictSame((await app.inject('/two/deep/artists/1?fields=startDate')).json(), { startDate: '2003-01-01' })
  t.equal((await app.inject('/two/deep/artists?limit=1')).headers.link,
    '<http://localhost/two/deep/artists?limit=1&after=WyJpZCIsMV0>; rel="next"')
  t.equal(app.dataApi.prefix, '/one')
  t.strictSame(app.dataApi.collections, ['artists', 'albums', 'tracks', 'labels'])
  t.strictSame([...app.dataApi.registrations.keys()], ['/one', '/two/deep'])
  await app.close()
})

test('nothing of the host is changed', async t => {
  const app = await host()
  t.strictSame((await app.inject('/own')).json(), { own: true })
  t.strictSame((await app.inject('/own/fails')).json(), { host: 'own' })
  t.strictSame((await app.inject('/elsewhere')).json(), { host: 'nothing here' })
  t.strictSame((await app.inject({
    method: 'POST', url: '/own', headers: { 'content-type': 'text/x-host' }, payload: 'x'
  })).json(), { body: 'parsed x' })
  t.strictSame((await app.inject({
    method: 'POST', url: '/own', headers: { 'content-type': 'text/unknown' }, payload: 'x'
  })).statusCode, 418)
})

test('the hooks of the host run, and what they refuse has the shape of our errors', async t => {
  const app = await host()
  t.equal((await app.inject('/one/artists/1')).headers['x-host'], 'yes')
  const refused = await app.inject({ url: '/one/artists/1', headers: { 'x-refused': '1' } })
  t.strictSame([refused.statusCode, refused.json()], [429, { error: 'rejected', message: 'Come back tomorrow.' }])
  t.strictSame((await app.inject({ url: '/own', headers: { 'x-refused': '1' } })).statusCode, 418)
})

/** Serves music from memory. */
async function serve (options: Partial<DataApiOptions> = {}, app: FastifyInstance = Fastify()) {
  await app.register(dataApi, { rules: everybody, collections: collections(openers.memory(tables).source), ...options })
  return app
}

test('a prefix may be nested and have parameters', async t => {
  const app = Fastify()
  await app.register(async scope => {
    await serve({ prefix: '/v1' }, scope)
    t.equal(scope.dataApi.prefix, '/tenants/:tenant/api/v1')
  }, { prefix: '/tenants/:tenant/api' })
  t.equal((await app.inject('/tenants/a%20b/api/v1/artists?limit=1')).headers.link,
    '<http://localhost/tenants/a%20b/api/v1/artists?limit=1&after=WyJpZCIsMV0>; rel="next"')
  t.strictSame((await app.inject('/tenants/x/api/v1/artists/1/name')).json(), 'Noisia')
  t.strictSame((await app.inject('/tenants/x/api/v1')).json().length, 4)
})

test('absolute links follow the proxy that the application trusts, and no other', async t => {
  const headers = { host: 'inner:8080', 'x-forwarded-host': 'example.org', 'x-forwarded-proto': 'https' }
  for (const [trustProxy, origin] of [[true, 'https://example.org'], [false, 'http://inner:8080']] as const) {
    const app = await serve({}, Fastify({ trustProxy }))
    t.match((await app.inject({ url: '/artists?limit=1', headers })).headers.link, `<${origin}/artists?`)
  }
})

test('a Host header that is none makes links relative', async t => {
  const app = await serve()
  for (const host of ['evil.org/path?', 'a b', '"><script>', 'user@evil.org', 'x\\y']) {
    t.match((await app.inject({ url: '/artists?limit=1', headers: { host } })).headers.link, /^<\/artists\?/, host)
  }
})

test('baseUrl is where links lead', async t => {
  const app = await serve({ prefix: '/inner', baseUrl: 'https://example.org/data/' })
  t.match((await app.inject('/inner/artists?limit=1')).headers.link, '<https://example.org/data/artists?limit=1&')
})

test('the same prefix twice is an error at registration', async t => {
  const app = await serve()
  await t.rejects(serve({}, app), DeclarationError)
})

test('OPTIONS is never in the way of a CORS preflight, and Vary tells of both', async t => {
  const headers = { origin: 'https://a.example' }
  for (const prefix of ['/api', '']) {
    for (const corsFirst of [true, false]) {
      const app = Fastify()
      if (!corsFirst) await serve({ prefix }, app)
      await app.register(cors, { origin: ['https://a.example', 'https://b.example'] })
      if (corsFirst) await serve({ prefix }, app)
      const preflight = await app.inject({
        method: 'OPTIONS', url: `${prefix}/artists`, headers: { ...headers, 'access-control-request-method': 'GET' }
      })
      t.equal(preflight.statusCode, 204)
      t.strictSame([preflight.headers['access-control-allow-origin'], preflight.headers.allow],
        [headers.origin, undefined])
      const got = await app.inject({ url: `${prefix}/artists`, headers })
      t.strictSame([got.headers.vary, got.headers['access-control-allow-origin']],
        ['Origin, Accept, Prefer', headers.origin])
    }
  }
})

/** Serves with @fastify/cors, and returns the warnings that are logged until the first answer. */
async function warningsOf (build: (app: FastifyInstance) => unknown): Promise<readonly string[]> {
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'warn', stream: { write: line => { lines.push(line) } } } })
  await build(app)
  await app.ready()
  await app.inject('/')
  await setImmediate()
  await app.close()
  return lines.map(line => (JSON.parse(line) as { readonly msg: string }).msg)
}

test('with corsOptions a preflight and any other OPTIONS come to the API', async t => {
  const asking = { origin: 'https://a.example', 'access-control-request-method': 'PATCH' }
  for (const prefix of ['/api', '']) {
    const app = Fastify()
    await app.register(cors, { origin: ['https://a.example'], ...corsOptions })
    await serve({ prefix, rules: { ...everybody, read: () => false } }, app)
    app.get('/own', () => 'own')
    for (const url of [prefix || '/', `${prefix}/artists`, `${prefix}/artists/9/nothing`, '/own']) {
      const { statusCode, headers } = await app.inject({ method: 'OPTIONS', url, headers: asking })
      t.ok(statusCode === 204 || (url === '/own' && statusCode === 200), url)
      t.match(headers, { 'access-control-allow-origin': asking.origin, 'access-control-allow-methods': /PATCH/ }, url)
      t.equal(headers.allow, undefined)
    }
    const { statusCode, headers } = await app.inject({ method: 'OPTIONS', url: prefix || '/' })
    t.strictSame([statusCode, headers.allow], [204, 'GET, HEAD, OPTIONS'])
  }
  t.throws(() => { Object.assign(corsOptions, { origin: '*' }) }, TypeError)
  t.throws(() => { corsOptions.allowedHeaders.push('X') }, TypeError)
})

test('an application whose OPTIONS do not reach the API is warned once', async t => {
  const warning = "OPTIONS does not reach the API: register @fastify/cors with the 'corsOptions' of fastify-data-api"
  const [strict, ending] = [{}, { strictPreflight: false }]
  for (const prefix of ['/api', '/tenants/:tenant', '']) {
    for (const options of [strict, ending]) {
      t.strictSame(await warningsOf(async app => {
        await app.register(cors, options)
        await serve({ prefix }, app)
      }), [warning], prefix)
    }
    for (const options of [corsOptions, { origin: 'https://a.example', ...corsOptions }, { preflight: false }]) {
      t.strictSame(await warningsOf(async app => {
        await app.register(cors, options)
        await serve({ prefix }, app)
      }), [], `${prefix} ${JSON.stringify(options)}`)
    }
  }
})

test('each registration warns of OPTIONS, wherever @fastify/cors is registered, and a hook may refuse', async t => {
  const of = async (build: (app: FastifyInstance) => unknown) => (await warningsOf(build)).length
  t.equal(await of(async app => {
    await app.register(async child => serve({ prefix: '/inner' }, child))
    await serve({ prefix: '/api' }, app)
    await app.register(cors)
  }), 2, 'later, and in the instance that encloses')
  t.equal(await of(async app => {
    await app.register(async child => { await child.register(cors) }, { prefix: '/other' })
    await serve({}, app)
  }), 0, 'in another instance')
  t.equal(await of(async app => serve({}, app)), 0, 'nowhere')
  let asked = 0
  t.equal(await of(async app => {
    app.addHook('onRequest', async ({ method, ip }, reply) => {
      if (method !== 'OPTIONS') return undefined
      asked++
      t.equal(ip, '0.0.0.0')
      return reply.code(401).send()
    })
    await app.register(cors)
    await serve({}, app)
  }), 0)
  t.equal(asked, 1)
  t.equal(await of(async app => {
    await app.register(cors)
    await standIns.run({ registering: () => ({ registered () {} }) }, async () => serve({}, app))
  }), 0, 'in an application that is built to be read')
})

test('where CORS leaves preflights alone, OPTIONS is ours at the root as well', async t => {
  const app = Fastify()
  await app.register(cors, { preflight: false })
  await serve({}, app)
  for (const [path, allow] of Object.entries({
    '/': 'GET, HEAD, OPTIONS',
    '/artists': 'GET, HEAD, OPTIONS, QUERY, POST, PATCH',
    '/artists/1/albums/': 'GET, HEAD, OPTIONS, QUERY'
  })) {
    const options = await app.inject({ method: 'OPTIONS', url: path, headers: { origin: 'https://a.example' } })
    t.strictSame([options.statusCode, options.headers.allow], [204, allow], path)
  }
})
