import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import Fastify from '../helpers/fastify.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import dataApi, { collection, type Context, memory } from '../../lib/index.ts'
import { Author, library } from '../fixtures/library.ts'
import { newPath, runLine } from './helpers.ts'

// docs/clients.md: Types

async function serve (t: { teardown: (end: () => unknown) => void }): Promise<{ app: FastifyInstance, url: string }> {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(dataApi, { prefix: '/api', collections: library() })
  const denied = () => { throw Object.assign(new Error('who?'), { statusCode: 401 }) }
  const read = ({ request }: Context) => request.headers.authorization === 'Bearer token' || denied()
  const { books: _, ...properties } = Author.properties
  const authors = collection({ ...Author, properties } as unknown as typeof Author, {
    source: memory([]), rules: { fields: { pin: { write: read }, rating: { read, write: read } } }
  })
  await app.register(dataApi, {
    prefix: '/guarded', collections: { authors }, rules: { read: true, create: read, update: read, delete: false }
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  return { app, url }
}

test('the types of a running API are those of app.dataApi.types()', async t => {
  const { app, url } = await serve(t)
  const types = app.dataApi.types()
  for (const target of [`${url}/api`, `${url}/api/`, `${url}/api/openapi.json?profile=docs`]) {
    t.strictSame(await runLine('types', target), { code: 0, out: types, error: '' })
  }
  const file = newPath('api.ts')
  for (let times = 0; times < 2; times++) {
    t.strictSame(await runLine('types', `${url}/api`, '--out', file), { code: 0, out: '', error: '' })
    t.equal(readFileSync(file, 'utf8'), types)
  }
  writeFileSync(file, '// mine')
  t.match(await runLine('types', `${url}/api`, '--out', file), { code: 1, error: /was not written by this command/ })
  t.equal(readFileSync(file, 'utf8'), '// mine')
})

test('types are those of the caller that a header names; those without writes are told', async t => {
  const { url } = await serve(t)
  const header = ['--header', 'authorization: Bearer token']
  t.notMatch((await runLine('types', `${url}/guarded`)).out, /rating|pin/)
  t.match((await runLine('types', `${url}/guarded`, ...header)).out, /rating: number \| null[^]*pin\?: string/)
  const isKnown = ({ request }: Context) => request.headers.authorization === 'Bearer token'
  const rules = { read: true, create: isKnown, update: isKnown }
  const Note = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }), text: Type.String({ readable: true, writable: true })
  })
  const other = Fastify({ forceCloseConnections: true })
  await other.register(dataApi, { collections: { notes: collection(Note, { source: memory([]), rules }) } })
  const guarded = await other.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => other.close())
  t.equal((await runLine('types', `${url}/api`)).error, '')
  t.match(await runLine('types', guarded), { code: 0, out: /create: never/, error: /have no writes/ })
  t.match(await runLine('types', guarded, ...header), { code: 0, error: /^$/ })
})

test('a module exports an application, what builds it, a plugin, options or collections', async t => {
  const types = (await serve(t)).app.dataApi.types()
  const lib = new URL('../../lib/index.ts', import.meta.url).href
  const fixture = new URL('../fixtures/library.ts', import.meta.url).href
  const fastify = import.meta.resolve('fastify')
  const imports = `import Fastify from '${fastify}'
    import dataApi from '${lib}'
    import { library } from '${fixture}'
    const collections = library()
    const build = async app => { await app.register(dataApi, { prefix: '/api', collections }); return app }\n`
  const modules = {
    application: 'export const app = await build(Fastify())',
    promise: 'export default build(Fastify())',
    builder: 'export default () => build(Fastify())',
    'builder with options': 'export default async options => await build(Fastify(options.server ?? {}))',
    'encapsulated API': 'const app = Fastify(); app.register(async scope => { await build(scope) }); export { app }',
    plugin: 'export default async (app, options) => { await build(app) }',
    'plugin with a callback': 'export default (app, options, done) => { build(app).then(() => done(), done) }',
    options: 'export const options = { collections }',
    collections: 'const other = 1; export { collections, other }',
    'named export': 'export const one = 1, two = () => build(Fastify())'
  }
  for (const [name, text] of Object.entries(modules)) {
    const file = newPath('module.mjs')
    writeFileSync(file, `${imports}${text}\n`)
    const named = name === 'named export' ? ['--export', 'two'] : []
    t.strictSame(await runLine('types', file, ...named), { code: 0, out: types, error: '' }, name)
  }
})

test('collections alone need not say who may do what: their registration may', async t => {
  const lib = new URL('../../lib/index.ts', import.meta.url).href
  const file = newPath('guarded.mjs')
  writeFileSync(file, `import { Type } from '${import.meta.resolve('@sinclair/typebox')}'
    import dataApi, { collection, memory } from '${lib}'
    const Note = Type.Object({
      id: Type.Integer({ identifier: true, readable: true }), text: Type.String({ readable: true, writable: true })
    })
    const notes = collection(Note, { source: memory([]), rules: { delete: () => false } })
    export const collections = { notes }
    export const plugin = async app => { await app.register(dataApi, { collections }) }\n`)
  const { code, out, error } = await runLine('types', file)
  t.strictSame([code, error], [0, ''])
  t.match(out, / create: (?!never)/)
  t.match(await runLine('types', file, '--export', 'plugin'), {
    code: 1, error: /collection 'notes' says nothing of 'read', nor of 'create', which/
  })
})

test('what is wrong is told in one line', async t => {
  const { url } = await serve(t)
  const answers: Record<string, string> = {
    '/page/openapi.json': '<p>', '/other/openapi.json': '{"paths":{},"components":{"schemas":{}}}', '/list': '[]'
  }
  const other = createServer((request, response) => {
    const answer = answers[request.url?.split('?')[0] ?? '']
    response.writeHead(answer === undefined ? 401 : 200).end(answer)
  })
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const host = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const file = (text: string) => {
    const path = newPath('module.mjs')
    writeFileSync(path, text)
    return path
  }
  for (const [line, code, message] of [
    [
      [file('export const build = file => { if (typeof file !== "string") throw new Error("no path") }')], 1,
      /^the function 'build' takes parameters, and fails as a plugin \(no path\); --export names the collections/
    ],
    [[], 2, /types <url \| module>/],
    [[`${url}/api`, 'x'], 2, /types <url \| module>/],
    [[`${url}/other`], 1, /openapi\.json answers 404; name the URL of the API's root/],
    [[`${url}/api/authors`], 1, /openapi\.json answers 400; name the URL of the API's root/],
    [[`${host}/closed`], 1, /answers 401; --header/],
    [[`${host}/page`], 1, /is not the OpenAPI document of a data API/],
    [[`${host}/other`], 1, /is not the OpenAPI document of a data API/],
    [['http://127.0.0.1:1/'], 1, /cannot be read/],
    [['http://me:hunter2@127.0.0.1:1/'], 2, /takes no password/],
    [['http://'], 2, /is not a URL/],
    [[url, '--header', 'x'], 2, /expected a name and a value/],
    [[url, '--ouut', 'x'], 2, /did you mean --out/],
    [['nowhere.js'], 1, /there is no file 'nowhere.js'/],
    [[file('throw new Error("boom")')], 1, /cannot be imported \(boom\)/],
    [[file('export const one = 1, two = 2')], 1, /exports one, two; --export/],
    [[file('export const one = 1'), '--export', 'onne'], 1, /does not export 'onne'; did you mean 'one'/],
    [[file('export default 1')], 1, /exports neither an application nor its collections/],
    [[file(`import f from '${import.meta.resolve('fastify')}'\nexport default f()`)], 1, /has not registered/],
    [[file('export const collections = { x: 1 }')], 1, /collection 'x'/],
    [[`${url}/api`, '--out', '/nowhere/api.ts'], 1, /cannot be written/]
  ] as const) {
    const answer = await runLine('types', ...line)
    t.equal(answer.code, code, line.join(' '))
    t.match(answer.error, message)
    t.notMatch(answer.error.trimEnd(), /\n|hunter2/)
    t.equal(answer.out, '')
  }
})

test('a header is sent to no other address than the one that is named', async t => {
  const { url } = await serve(t)
  const server = createServer((_request, response) => {
    response.writeHead(302, { location: `${url}/api/openapi.json?profile=types` }).end()
  })
  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => server.close())
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  t.match(await runLine('types', target), { code: 0, error: '' })
  t.match(await runLine('types', target, '--header', 'x-api-key: secret'), { code: 1, error: /redirect/ })
})
