import swagger from '@fastify/swagger'
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { withDataApi } from '../../lib/index.ts'
import { library } from '../fixtures/library.ts'

// docs/clients.md: Beside @fastify/swagger

for (const [version, first, prefix] of [
  ['3.0.3', 'swagger', '/api'], ['3.0.3', 'data API', ''], ['3.1.0', 'swagger', ''], ['3.1.0', 'data API', '/api']
] as const) {
  test(`a document of ${version} holds both, ${first} registered first, under '${prefix}'`, async t => {
    const app = Fastify()
    const addSwagger = () => app.register(swagger, {
      openapi: { openapi: version, info: { title: 'Host', version: '1' } }, transformObject: withDataApi(app)
    })
    if (first === 'swagger') await addSwagger()
    for (const one of [prefix, '/other']) await app.register(dataApi, { prefix: one, collections: library() })
    if (first !== 'swagger') await addSwagger()
    app.get('/health', { schema: { response: { 200: { type: 'object' } } } }, () => ({}))
    await app.ready()
    const document = app.swagger() as unknown as {
      readonly paths: Record<string, Record<string, { readonly operationId?: string }>>
      readonly components: { readonly schemas: Record<string, unknown> }
    }
    const plain = JSON.parse(JSON.stringify(document)) as Record<string, unknown>
    const { valid, errors } = await new Validator().validate(plain)
    t.ok(valid, JSON.stringify(errors))
    for (const path of ['/health', `${prefix}/authors`, '/other/authors/{identifier}']) {
      t.ok(path in document.paths, path)
    }
    t.ok('OtherAuthors' in document.components.schemas)
    t.notOk(Object.keys(document.paths).some(path => path.includes('*')))
    const ids = Object.values(document.paths).flatMap(Object.values)
      .flatMap(({ operationId }: { readonly operationId?: string }) => operationId ?? [])
    t.equal(new Set(ids).size, ids.length)
    t.ok(ids.includes('list_authors_2'))
  })
}

test('the APIs of encapsulated contexts are in the document, and those of other contexts are not', async t => {
  const app = Fastify()
  const titled = (version: string) => ({ openapi: { openapi: '3.1.0', info: { title: 'Host', version } } })
  await app.register(swagger, { ...titled('1'), transformObject: withDataApi(app) })
  await app.register(async scope => {
    scope.addHook('onRequest', async () => {})
    await scope.register(async inner => { await inner.register(dataApi, { prefix: '/v1', collections: library() }) })
  })
  await app.register(async scope => {
    await scope.register(swagger, { ...titled('2'), decorator: 'other', transformObject: withDataApi(scope) })
    await scope.register(dataApi, { prefix: '/v2', collections: library() })
  })
  await app.ready()
  const roots = (document: object) =>
    Object.keys((document as { paths: object }).paths).filter(path => /^\/v.$/.test(path))
  t.strictSame(roots(app.swagger()), ['/v1', '/v2'])
  t.notOk(app.hasDecorator('dataApi'))
})

test('a registration that the second argument of withDataApi() refuses is left out', async t => {
  const app = Fastify()
  await app.register(swagger, {
    openapi: { openapi: '3.1.0' }, transformObject: withDataApi(app, api => api.prefix !== '/internal')
  })
  for (const prefix of ['/open', '/internal']) await app.register(dataApi, { prefix, collections: library() })
  await app.ready()
  const paths = Object.keys((app.swagger() as { readonly paths: object }).paths)
  t.ok(paths.some(path => path.startsWith('/open/')))
  t.notOk(paths.some(path => path.startsWith('/internal')))
})

test('a document of Swagger 2.0 is refused, with what to write instead', async t => {
  const app = Fastify()
  await app.register(swagger, { transformObject: withDataApi(app) })
  await app.register(dataApi, { collections: library() })
  await app.ready()
  t.throws(() => app.swagger(), {
    name: 'DeclarationError', message: /register @fastify\/swagger with { openapi: { openapi: '3.1.0' } }$/
  })
})
