import { SimpleSpanProcessor, InMemorySpanExporter, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import dataApi, { sqlite } from '../../lib/index.ts'
import { solarSystem } from '../../examples/solar-system/collections.ts'
import { fill } from '../../examples/solar-system/fill.ts'
import { programsIn, read, root, writeProgram } from '../helpers/documents.ts'
import Fastify from '../helpers/fastify.ts'

// Pages whose blocks show a part of an application: each runs in an application that has the rest, and does what its
// page says. test/docs/blocks.test.ts compiles them.

interface Page {
  /** The program before the blocks. */
  readonly before?: string
  /** The blocks, from 0. Default: all. */
  readonly blocks?: readonly number[]
  /** The program after the blocks. */
  readonly after?: string
  /** Changes the blocks, such as the names of files. Default: as they stand. */
  readonly change?: (program: string) => string
}

let programs = 0

/** Runs blocks of a page as one program, and returns what it exports. */
async function run<Exported> (
  page: string, { before = '', blocks, after = '', change = inMemory }: Page
): Promise<Exported> {
  const all = programsIn(read(page))
  const chosen = blocks?.map(index => all[index] ?? '') ?? all
  const program = [before, ...chosen.map(change), after].join('\n')
  return await import(writeProgram(`page-${programs++}.ts`, program).href) as Exported
}

const inMemory = (program: string) => program.replaceAll(/'\w+\.db'/g, "':memory:'")

interface WithApp { readonly app: FastifyInstance }

const things = `
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import dataApi, { collection, memory, sqlite } from 'fastify-data-api'
const Thing = Type.Object({ id: Type.Integer({ identifier: true, readable: true }) })
const collections = { things: collection(Thing, { source: memory([{ id: 1 }, { id: 2 }]) }) }
`

test('docs/running.md#deploying: links name the proxy, answers are cached, one origin reads the headers', async t => {
  const { app } = await run<WithApp>('docs/running.md#deploying', {
    before: `${things}import cors from '@fastify/cors'`,
    after: 'export { app }'
  })
  const { statusCode, headers } = await app.inject({
    url: '/api/things?size=1',
    remoteAddress: '10.0.0.1',
    headers: { 'x-forwarded-host': 'api.example.org', 'x-forwarded-proto': 'https', origin: 'https://app.example.org' }
  })
  t.equal(statusCode, 200)
  t.match(headers['link'], '<https://api.example.org/api/things?size=1')
  t.equal(headers['cache-control'], 'public, max-age=60, stale-while-revalidate=600')
  t.equal(headers['access-control-allow-origin'], 'https://app.example.org')
  t.match(headers['access-control-expose-headers'], /ETag.*X-Total-Count/)
  await app.close()
})

test('docs/running.md: requests are counted, statements are spans, the health is told, the end closes', async t => {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  provider.register()
  const { app, db, observed } = await run<WithApp & {
    readonly db: { ping (): Promise<void> }, readonly observed: unknown
  }>('docs/running.md#operations', {
        before: `${things}
      const db = sqlite(':memory:')
      db.exec('create table things (id integer primary key)')
      const app = Fastify()
      await app.register(dataApi, { collections: { things: collection(Thing, { source: db.table('things') }) } })
      const observed = []
      const requests = { labels: (...labels) => ({ observe (seconds) { observed.push([...labels, seconds >= 0]) } }) }`,
        after: 'export { app, db, observed }'
      })
  t.equal((await app.inject('/things')).body, '[]')
  t.strictSame(observed, [['things', 'list', '200', true]])
  const [span] = exporter.getFinishedSpans()
  t.match(span, { name: 'read things', attributes: { 'db.system.name': 'sqlite', 'db.collection.name': 'things' } })
  t.strictSame((await app.inject('/health')).json(), { status: 'ok' })
  await app.close()
  await t.rejects(db.ping())
  await provider.shutdown()
})

test('docs/declaring.md: each program serves what its comments say', async t => {
  const music = await run<WithApp>('docs/declaring.md#a-first-collection', {})
  t.equal((await music.app.inject('/api/artists?founded<2000&fields=name,albums(title)')).body,
    '[{"name":"Can","albums":[{"title":"Tago Mago"}]}]')
  const { app } = await run<WithApp>('docs/declaring.md#every-kind-of-field', {})
  const get = async (url: string) => (await app.inject(url)).json<unknown>()
  const book = { id: 1, title: 'Pride and Prejudice', age: 213, is_classic: true, revision: 0 }
  t.match(await get('/books/pride-and-prejudice'), book)
  t.match(await get('/books/latest'), book)
  t.match(await get('/books/9780141439518'), book)
  t.notOk(['blurb', 'supplier_code', 'published'].some(name => name in book))
  t.strictSame(await get('/books?is_classic=true'), [{ id: 1, ...shownInLists, is_classic: true }])
  const payload = { isbn: '9780000000001', title: ' A ', series: null, form: 'poetry', published_on: '2001-02-03' }
  t.equal((await app.inject({ method: 'POST', url: '/books', payload })).statusCode, 201)
  t.match(await get('/books/2'), { title: 'A', form: 'poetry', age: 25, is_classic: false })
  const refused = await app.inject({ method: 'PUT', url: '/books/2/title', payload: '" "', headers: json })
  t.strictSame(refused.json(), { error: 'argument', message: 'A title must have letters.' })
  const overdue = await run<WithApp>('docs/declaring.md#computed-fields', {
    before: things,
    change: program => program.replace(/^import \{ Type .*\n/, ''),
    after: `const db = sqlite(':memory:')
      db.exec('create table tickets (id integer primary key, due_at text)')
      db.exec("insert into tickets values (1, '2001-01-01T00:00:00.000Z'), (2, '9001-01-01T00:00:00.000Z'), (3, null)")
      const tickets = collection(Thing, { source: db.table('tickets'), computed: { isOverdue } })
      export const app = Fastify()
      await app.register(dataApi, { collections: { tickets } })`
  })
  t.equal((await overdue.app.inject('/tickets?fields=is_overdue')).body,
    '[{"is_overdue":true},{"is_overdue":false},{"is_overdue":null}]')
  const several = await run<WithApp>('docs/declaring.md#relations', {
    before: things,
    change: program => program.replace(/^import \{ Type .*\n/, ''),
    after: `const served = (schema, rows) => collection(schema, { source: memory(rows) })
      export const app = Fastify()
      await app.register(dataApi, {
        collections: {
          posts: served(Post, [{ id: 1 }]),
          photos: served(Photo, [{ id: 1 }]),
          comments: served(Comment, [{ id: 7, commentableType: 'Photo', commentableId: 1 }])
        }
      })`
  })
  t.equal((await several.app.inject('/comments/7?fields=post(id),photo(id)')).body, '{"post":null,"photo":{"id":1}}')
  t.match(await run('docs/declaring.md#other-schema-libraries', {}), { artists: { source: {} } })
})

const shownInLists = { isbn: '9780141439518', title: 'Pride and Prejudice' }
const json = { 'content-type': 'application/json' }

test('docs/reference.md#options: its options hold', async t => {
  const { app } = await run<WithApp>('docs/reference.md#options', {
    before: `${things}const app = Fastify()`,
    after: 'await app.ready()\nexport { app }'
  })
  const { items, page } = (await app.inject('/api/things?sort_by=-id&size=1&utm_source=x')).json()
  t.strictSame([items, typeof page.next], [[{ id: 2 }], 'string'])
  await app.close()
})

test('docs/rules.md: a team sees its own notes, and the lead alone deletes and sees salaries', async t => {
  const { app } = await run<WithApp>('docs/rules.md#who-may-do-what', {
    before: `${things}
      const app = Fastify()
      app.decorateRequest('user')
      app.addHook('onRequest', async request => { request.user = JSON.parse(request.headers['x-user']) })
      const db = sqlite(':memory:')
      db.exec('create table notes (id integer primary key, teamId integer, salary integer)')
      db.exec('insert into notes values (1, 7, 10), (2, 8, 20)')
      const Note = Type.Object({
        id: Type.Integer({ identifier: true, readable: true }),
        teamId: Type.Integer(),
        salary: Type.Integer({ readable: true, writable: true })
      })`,
    change: program => program.replace('collections: { notes },', '$& requestStrategies: { delete: true },'),
    after: 'export { app }'
  })
  const send = (method: 'GET' | 'DELETE', url: string, role: string) =>
    app.inject({ method, url, headers: { 'x-user': JSON.stringify({ id: 1, team: 7, role }) } })
  t.equal((await send('GET', '/notes', 'member')).body, '[{"id":1}]')
  t.equal((await send('GET', '/notes', 'lead')).body, '[{"id":1,"salary":10}]')
  t.equal((await send('DELETE', '/notes/1', 'member')).statusCode, 403)
  t.equal((await send('DELETE', '/notes/1', 'lead')).statusCode, 200)
  await app.close()
})

test('docs/own-code.md: a route below the prefix precedes the API, and malformed URLs have its errors', async t => {
  const { host } = await run<{ readonly host: FastifyInstance }>('docs/own-code.md#plugin-and-hooks', {
    before: things, after: 'export { host }'
  })
  t.strictSame((await host.inject('/api/health')).json(), { status: 'ok' })
  t.equal((await host.inject('/api/things/2')).body, '{"id":2}')
  t.match((await host.inject('/api/%zz')).json(), { error: 'malformed_url' })
  await host.close()
})

test('docs/writing.md: a write is sent again under its key, and done once', async t => {
  const { app, db } = await run<WithApp & { readonly db: ReturnType<typeof sqlite> }>('docs/writing.md', {
    before: `${things}
      const db = sqlite(':memory:')
      db.exec(\`create table data_api_keys (caller text not null, key text not null, fingerprint text not null,
        results text, at text not null, primary key (caller, key)) strict;
        create table notes (id integer primary key, text text not null)\`)
      delete collections.things
      collections.notes = collection(Type.Object({
        id: Type.Integer({ identifier: true, readable: true }), text: Type.String({ readable: true, writable: true })
      }), { source: db.table('notes'), rules: { read: false, create: true, update: false } })
      const app = Fastify()
      app.decorateRequest('user')
      app.addHook('onRequest', async request => { request.user = { id: Number(request.headers['x-user']) || null } })`,
    after: 'export { app, db }'
  })
  const send = async (user: string) => {
    const headers = { 'idempotency-key': 'k', 'x-user': user }
    const response = await app.inject({ method: 'POST', url: '/notes', headers, payload: { text: 'a' } })
    return [response.statusCode, response.json<{ readonly id?: number }>().id]
  }
  t.strictSame([await send('1'), await send('1'), await send('2'), await send('')], [
    [201, 1], [201, 1], [201, 2], [400, undefined]
  ])
  await app.close()
  db.close()
})

test('docs/explorer.md and clients.md: browsers get pages, and @fastify/swagger has the collections', async t => {
  const made = (after: string) => ({ before: `${things}const app = Fastify()`, after: `${after}\nexport { app }` })
  const pages = await run<WithApp>('docs/explorer.md', { ...made(''), blocks: [0] })
  t.match((await pages.app.inject({ url: '/things', headers: { accept: 'text/html' } })).body, '<!doctype html>')
  const { before, after } = made('await app.register(dataApi, { collections })\nawait app.ready()')
  const { app } = await run<WithApp>('docs/clients.md#openapi', {
    before: `import swagger from '@fastify/swagger'\nimport { withDataApi } from 'fastify-data-api'\n${before}`, after
  })
  t.ok('/things' in ((app as unknown as { swagger: () => { paths: object } }).swagger()).paths)
})

test('docs/databases.md and clients.md: options are taken', async t => {
  const { db } = await run<{ readonly db: { close (): Promise<void> } }>('docs/databases.md#postgresql', {
    before: "import { postgres } from 'fastify-data-api'", after: 'export { db }'
  })
  await db.close()
  const { sources, file, server } = await run<Sources>('docs/databases.md', {
    blocks: [0], after: 'export { file, server }'
  })
  t.equal(Object.keys(sources).length, 5)
  file.close()
  await server.close()
  const { dataProvider } = await run<{ readonly dataProvider: object }>('docs/clients.md#react-admin', {})
  t.ok('getList' in dataProvider)
})

interface Sources {
  readonly sources: object
  readonly file: { close (): void }
  readonly server: { close (): Promise<void> }
}

test('docs/clients.md#the-typed-client: its programs read and write the example', async t => {
  const db = sqlite(':memory:')
  fill(db, new URL('examples/solar-system/data/', root).pathname)
  const app = Fastify({ forceCloseConnections: true })
  const collections = solarSystem(db)
  await app.register(dataApi, { collections, requestStrategies: { batch: true }, imports: {}, live: true })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const programs = [...programsIn(read('docs/clients.md#the-typed-client'))]
  t.equal(programs.length, 6)
  const silent = 'const console = { log () {} }\n'
  const runProgram = async (index: number, names: string) => {
    const program = programs[index]?.replace('http://localhost:3000', address)
    const file = writeProgram(`page-client-${index}.ts`, `${silent}${program}\nexport { ${names} }`)
    return await import(file.href) as Record<string, unknown>
  }
  const { items, total, io } = await runProgram(0, 'items, total, io')
  const discoverer = { name: 'Galileo Galilei' }
  t.match(items, [{ name: 'Jupiter', moons: [{ name: 'Ganymede', discoverer }, { name: 'Callisto', discoverer }] }])
  t.strictSame([total, io], [1, { name: 'Io' }])
  const typed = await runProgram(1, 'items, planet')
  t.strictSame((typed['items'] as readonly unknown[])[2], { name: 'Earth', moons: [{ name: 'Moon' }] })
  t.match(typed['planet'], { id: 6, name: 'Jupiter' })
  const { years } = await runProgram(2, 'years')
  t.match(years, [{ outcome: 'success', launched_on: { year: String, max: String }, count: Number }])
  const once = programs[3]?.replaceAll(/\) console\.log\((.*)\)$/gm, ') { seen.push($1); break }')
  programs[3] = `const seen = []\n${once}`
  const { seen } = await runProgram(3, 'seen')
  t.match(seen, [[{ outcome: 'ongoing' }], [], 'Cassini'])
  programs[4] = programs[4]?.replace('console.log(await', 'const tried = (await') ?? ''
  t.strictSame((await runProgram(4, 'tried'))['tried'], { status: 'ok', count: 2 })
  t.match((await runProgram(5, 'comet'))['comet'], { status: 'created', id: Number })
  await app.close()
  db.close()
})
