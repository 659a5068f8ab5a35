import { test } from 'tap'
import type { Api } from '../../lib/core/api/answer.ts'
import type { Face, Sight } from '../../lib/core/api/face.ts'
import { makeFace } from '../../lib/core/api/serve.ts'
import dataApi, { type DataApiOptions, type OpenApiDocument } from '../../lib/index.ts'
import { makeDocuments } from '../../lib/doors/documents/documents.ts'
import { jsonParts, type Parts } from '../../lib/doors/documents/parts.ts'
import { writeTypes } from '../../lib/doors/documents/types/module.ts'
import { standIns } from '../../lib/plugin/stand-ins.ts'
import { many } from '../fixtures/many.ts'
import Fastify from '../helpers/fastify.ts'

// docs/clients.md: Large APIs

async function serve (count: number) {
  const app = Fastify()
  await app.register(dataApi, { collections: many(count) })
  return app
}

/** Returns an application, and the face of its API. */
async function serveWithFace (count: number) {
  const faces: Face[] = []
  const standIn = {
    collections: (declared: DataApiOptions['collections']) => declared,
    registering: () => ({ registered: (api: Api) => { faces.push(makeFace(api)) } })
  }
  const app = await standIns.run(standIn, () => serve(count))
  const [face] = faces
  if (face === undefined) throw new Error('the API was not registered')
  return { app, face }
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

test('the types of more than 100 collections have filters in where alone, and say so', async t => {
  const app = await serve(101)
  const { body } = await app.inject('/openapi.json?profile=types')
  const document = JSON.parse(body) as OpenApiDocument
  t.ok(body.length / 101 < 15_000, `${body.length / 101} characters a collection`)
  t.ok(document.paths['/c1']?.get?.parameters?.every(one => '$ref' in one))
  t.match(document.info['description'], /filters in the parameter `where` alone/)
  const small = app.dataApi.openapi({ profile: 'types', collections: ['c0', 'c1', 'c2'] })
  const [ofMany, ofFew] = [app.dataApi.types(), writeTypes(small)]
    .map(types => /^ {2}c1: \{$[^]*?^ {2}\}$/m.exec(types)?.[0])
  t.ok(small.paths['/c1']?.get?.parameters?.some(one => 'name' in one && one.name === 'amount>'))
  t.ok(ofMany)
  t.equal(ofMany, ofFew, 'the types for the client are those of a small API')
})

test('texts are kept up to a number of bytes, those that were asked for last', async t => {
  const { app, face } = await serveWithFace(3)
  const { openapi } = app.dataApi
  const { collections } = face.anyone
  const sizeOf = (collections: string[]) => JSON.stringify(openapi({ collections })).length
  const documents = makeDocuments(face, '', {}, 2 * sizeOf(['c1']) + 1000)
  /** Returns true if the document had to be made. */
  async function makes (name: string): Promise<boolean> {
    let asked = 0
    const at: Sight['at'] = place => {
      asked++
      return face.anyone.at(place)
    }
    await documents.text({ collections, at }, { collections: [name] })
    // For the key of the document, the list and the item of each; and for the document.
    return asked > 2 * collections.length
  }
  for (const [name, isMade] of [
    ['c0', true], ['c0', false], ['c1', true], ['c0', false], ['c2', true], ['c0', false], ['c1', true]
  ] as const) t.equal(await makes(name), isMade, name)
  const small = makeDocuments(face, '', {}, 100)
  const [one, other] = await Promise.all([1, 2].map(() => small.text(face.anyone, {})))
  t.equal(one, other, 'a document that is too large is not kept')
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
