import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { type DataApiOptions, DeclarationError } from '../../lib/index.ts'
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
