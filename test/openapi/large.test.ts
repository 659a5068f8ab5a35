import { test } from 'tap'
import dataApi, { type OpenApiDocument } from '../../lib/index.ts'
import { jsonParts, type Parts } from '../../lib/openapi/parts.ts'
import { many } from '../fixtures/many.ts'
import Fastify from '../helpers/fastify.ts'

// docs/openapi.md: Large APIs

async function serve (count: number) {
  const app = Fastify()
  await app.register(dataApi, { collections: many(count) })
  return app
}

const pathsOf = ({ paths }: OpenApiDocument, name: string) =>
  Object.keys(paths).filter(path => path.startsWith(`/${name}/`) || path === `/${name}`)

test('the document of more than 100 collections has their lists and items alone, and says so', async t => {
  const app = await serve(101)
  const { body } = await app.inject('/openapi.json')
  const document = JSON.parse(body) as OpenApiDocument
  t.strictSame(pathsOf(document, 'c1'), ['/c1', '/c1/{identifier}'])
  t.match(document.info['description'], /`openapi.json\?collections=`/)
  t.ok(body.length / 101 < 9000, `${body.length / 101} characters a collection`)
  t.ok(document.paths['/c1']?.get?.parameters?.every(one => '$ref' in one))
  t.ok(document.paths['/c1/{identifier}']?.patch)
})

test('the document of some of many collections is whole', async t => {
  const app = await serve(101)
  const document = (await app.inject('/openapi.json?collections=c1,c2')).json<OpenApiDocument>()
  const c1 = ['/c1', '/c1/{identifier}', '/c1/by_{field}', '/c1/by_year,code', '/c1/{identifier}/{field}',
    '/c1/{identifier}/parent', '/c1/{identifier}/children']
  t.strictSame(pathsOf(document, 'c1'), c1)
  t.ok(document.paths['/c1']?.get?.parameters?.some(one => 'name' in one && one.name === 'amount>'))
  t.notMatch(document.info['description'], /collections=/)
})

test('each path and each component is written as a part of its own', t => {
  function * made (): Parts<object> { return document }
  const document = { openapi: '3.1.1', paths: { '/a': { get: 1 }, '/b': {} }, components: { schemas: { A: [], B: 2 } } }
  const parts = jsonParts(made())
  let count = 0
  let next = parts.next()
  for (; next.done !== true; next = parts.next()) count++
  t.equal(next.value, JSON.stringify(document))
  t.ok(count > 4, `${count} parts`)
  t.end()
})

test('other requests are answered while a document is made, and concurrent ones get the same', async t => {
  const app = await serve(101)
  await app.ready()
  const order: string[] = []
  const ask = async (name: string, url: string) => {
    const { statusCode, body } = await app.inject(url)
    t.equal(statusCode, 200)
    order.push(name)
    return body
  }
  const [first, second] = await Promise.all([
    ask('document', '/openapi.json'), ask('document', '/openapi.json'), ask('list', '/c1')
  ])
  t.strictSame(order, ['list', 'document', 'document'])
  t.equal(first, second)
})
