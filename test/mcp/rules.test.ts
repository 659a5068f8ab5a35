import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, {
  collection, type Context, type DataApiOptions, memory, SubCollection, SubItem
} from '../../lib/index.ts'
import { agentOf } from '../helpers/agents.ts'
import Fastify from '../helpers/fastify.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/agents.md: An agent is a caller. What rules and scopes hide from agents is hidden from them in every tool.

const Person = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  email: Type.String({ readable: true, writable: true }),
  notes: SubCollection('notes', { foreignKey: 'authorId', readable: true, writable: true })
})

const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String({ readable: true, writable: true }),
  authorId: Type.Optional(Type.Integer()),
  author: SubItem('people', { foreignKey: 'authorId', readable: true, writable: true })
})

const notToAgents = ({ door }: Context) => door !== 'mcp'

const collections = () => ({
  people: collection(Person, {
    source: memory([{ id: 1, email: 'ann@x' }, { id: 2, email: 'bob@x' }]),
    rules: { fields: { email: { read: notToAgents } } },
    scope: ({ door }) => door === 'http' || { id: 1 }
  }),
  notes: collection(Note, { source: memory([{ id: 1, text: 'a', authorId: 1 }, { id: 2, text: 'b', authorId: 2 }]) })
})

async function serve (options: Partial<DataApiOptions> = {}, app = Fastify()) {
  const given = { collections: collections(), mcp: true, requestStrategies, ...options }
  await app.register(dataApi, { rules: everybody, ...given })
  return agentOf(app)
}

const requestStrategies = { batch: true, delete: true }

test('a field that agents may not read is undeclared for them', async t => {
  const { app, call } = await serve()
  t.equal((await call('describe', { collections: ['people'] })).text, 'people: id* integer; notes ->> notes')
  for (const url of ['/people?email=a', '/people?sort=email', '/people?fields=email', '/notes?author.email=a']) {
    const { isError, text } = await call('get', { url })
    t.ok(isError, url)
    t.equal(text, (await call('get', { url: url.replace(/email/, 'xmail') })).text.replaceAll('xmail', 'email'), url)
  }
  t.strictSame((await call('get', { url: '/people' })).data, { data: [{ id: 1 }] })
  t.strictSame((await call('get', { url: '/people', count: true })).data, { data: [{ id: 1 }], total: 1 })
  t.match(await call('get', { url: '/people/2' }), { isError: true, data: { error: 'identifier_not_found' } })
  t.notMatch((await app.inject('/llms.txt')).body, 'email')
  t.strictSame((await app.inject('/people')).json(), [{ id: 1, email: 'ann@x' }, { id: 2, email: 'bob@x' }])
})

test('a collection that is not among mcp.collections is one that agents may not read', async t => {
  const { app, call } = await serve({ mcp: { collections: ['people'] } })
  t.equal((await call('describe')).text, 'people: id* integer')
  t.match(await call('describe', { collections: ['notes'] }), { isError: true })
  t.match(await call('get', { url: '/notes' }), { isError: true, data: { error: 'forbidden' } })
  t.match(await call('get', { url: '/people/1/notes' }), { isError: true, data: { error: 'field_not_found' } })
  t.equal((await app.inject('/notes')).statusCode, 200)
  t.equal((await app.inject('/people/1/notes')).statusCode, 200)
})

test('an own rule of such a collection is asked too', async t => {
  const notes = (read: (context: Context) => boolean) => collection(Note, { source: memory([]), rules: { read } })
  for (const allowed of [true, false]) {
    const { app } = await serve({
      collections: { ...collections(), notes: notes(() => allowed) }, mcp: { collections: ['people'] }
    })
    t.equal((await app.inject('/notes')).statusCode, allowed ? 200 : 403)
  }
})

test('the door of a request is known to hooks that run before it, and so to own code', async t => {
  const app = Fastify()
  const seen: unknown[] = []
  app.addHook('preHandler', async request => {
    const { items } = await app.dataApi.collection('people').as(request).list()
    seen.push(items)
  })
  app.addHook('onResponse', async ({ dataApi: facts }) => { seen.push(facts) })
  const { call } = await serve({}, app)
  const { data } = await call('get', { url: '/people?fields=id' })
  t.strictSame(data, { data: [{ id: 1 }] })
  t.match(seen, [[{ id: 1 }], { door: 'mcp', collection: 'people', kind: 'list' }])
  await call('describe')
  t.strictSame(seen.at(-1), { door: 'mcp', method: 'POST', collection: undefined, kind: undefined })
  await app.inject('/people')
  t.match(seen.at(-1), { door: 'http', collection: 'people' })
})

test('answers that depend on the caller are told as such', async t => {
  const { app } = await serve()
  t.match((await app.inject('/llms.txt')).headers, { 'cache-control': 'private', vary: /Authorization/ })
})

type Door = Awaited<ReturnType<typeof serve>>
const write = ({ call }: Door, method: string, path: string, body?: unknown) =>
  call('write', { operations: [{ method, path, body }] })
const toolsOf = async ({ rpc }: Door) =>
  ((await rpc('tools/list')).result?.['tools'] as ReadonlyArray<{ name: string }>).map(({ name }) => name)

test('a collection that is not among mcp.write is one that agents may not write, by whatever way', async t => {
  const door = await serve({ mcp: { write: ['notes'] } })
  const { app, call } = door
  for (const [method, path, body] of [
    ['POST', '/people', { email: 'x' }], ['PATCH', '/people/1', { email: 'x' }], ['DELETE', '/people/1'],
    ['PATCH', '/people/1', { notes: [] }], ['PATCH', '/notes/1', { author: { email: 'new' } }]
  ] as const) {
    const { isError, data } = await write(door, method, path, body)
    t.ok(isError, `${method} ${path}`)
    t.match(data, { error: path === '/notes/1' ? 'validation' : 'forbidden', operation: 0 }, `${method} ${path}`)
  }
  t.match(await write(door, 'PATCH', '/notes/1', { text: 'b' }), { isError: false })
  t.equal((await call('describe', { collections: ['people'] })).text, 'people: id* integer; notes ->> notes')
  t.match((await call('describe', { collections: ['notes'] })).text, /; POST PUT PATCH DELETE, not id$/)
  t.equal((await app.inject({ method: 'PATCH', url: '/people/1', payload: { email: 'x' } })).statusCode, 200)
  await t.rejects(serve({ mcp: { write: ['note'] } }), { message: /'mcp.write'.*did you mean 'notes'/ })
})

test('the tool to write is there for callers who may write something, if the door is open for it', async t => {
  t.strictSame(await toolsOf(await serve()), ['describe', 'get'])
  t.strictSame(await toolsOf(await serve({ mcp: { write: [] } })), ['describe', 'get'])
  t.strictSame(await toolsOf(await serve({ mcp: { write: true } })), ['describe', 'get', 'write'])
  const { notes } = collections()
  const rules = { create: notToAgents, update: notToAgents, delete: notToAgents }
  const closed = { notes: collection(Type.Omit(Note, ['author']), { source: memory([]), rules }) }
  const door = await serve({ mcp: { write: true }, collections: closed })
  t.strictSame(await toolsOf(door), ['describe', 'get'])
  t.match(await write(door, 'POST', '/notes', { text: 'a' }), { isError: true, data: { error: 'forbidden' } })
  t.equal((await door.app.inject({ method: 'POST', url: '/notes', payload: { text: 'a' } })).statusCode, 201)
  const refusing = collection(notes.schema, { source: memory([]), requestStrategies: { batch: false } })
  const refused = await serve({ mcp: { write: true }, collections: { ...collections(), notes: refusing } })
  t.match((await refused.call('describe', { collections: ['notes'] })).text, /author -> people$/)
})

test('what an agent may write and not read is described', async t => {
  const notes = collection(Type.Omit(Note, ['author']), { source: memory([]), rules: { read: notToAgents } })
  const door = await serve({ mcp: { write: true }, collections: { notes } })
  const line = 'notes: id* integer; POST, not id; takes text string'
  t.equal((await door.call('describe')).text, line)
  t.match((await door.rpc('resources/list')).result, { resources: [] })
  t.match(await write(door, 'POST', '/notes', { text: 'a' }), { isError: false })
  t.match(await door.call('get', { url: '/notes' }), { isError: true, data: { error: 'forbidden' } })
})

/** Serves with a log. Returns what the start has warned of, too. */
async function warned (mcp: NonNullable<DataApiOptions['mcp']>) {
  const lines: Array<{ readonly msg: string, readonly collections?: unknown }> = []
  const stream = { write: (line: string) => { lines.push(JSON.parse(line) as typeof lines[number]) } }
  return { ...await serve({ mcp }, Fastify({ logger: { level: 'warn', stream } })), lines }
}

test('a collection that agents write and do not read is their letter box, of which the start tells', async t => {
  const door = await warned({ write: ['notes'], collections: ['people'] })
  t.strictSame(door.lines.map(({ msg }) => msg), [
    "option 'mcp.write': agents create items of 'notes' and do nothing else there, since 'mcp.collections' does not " +
      'list it (docs/agents.md: An agent is a caller)'
  ])
  t.equal((await door.call('describe')).text,
    'people: id* integer\nnotes: id* integer; POST, not id; takes text string; author -> people')
  const body = { text: 'c', author: { id: 1 } }
  t.match(await write(door, 'POST', '/notes', body), { data: { results: [{ status: 201 }] } })
  for (const [method, path, body] of [
    ['PATCH', '/notes/1', { text: 'c' }], ['DELETE', '/notes/1'], ['PATCH', '/notes', [{ id: 1, text: 'c' }]]
  ] as const) {
    t.match(await write(door, method, path, body), { isError: true, data: { message: "You may not read 'notes'." } })
  }
  t.strictSame((await door.app.inject('/notes?fields=text')).json(), [{ text: 'a' }, { text: 'b' }, { text: 'c' }])
})

test('an agent that may write notes alone does so at the URL of their author, too', async t => {
  const door = await serve({ mcp: { write: ['notes'] } })
  t.match(await write(door, 'POST', '/people/1/notes', { text: 'c' }), { data: { results: [{ status: 201 }] } })
  t.match(await write(door, 'PATCH', '/people/1', { notes: [] }),
    { isError: true, data: { message: "You may not update 'people'.", collection: 'people', operation: 0 } })
})

test('the start warns of texts that agents read where they write', async t => {
  for (const [mcp, collections] of [
    [true, []], [{ write: true }, [['people', 'notes']]], [{ write: ['notes'] }, [['notes']]],
    [{ write: ['notes'], collections: ['notes'] }, [['notes']]]
  ] as const) {
    const { lines } = await warned(mcp as NonNullable<DataApiOptions['mcp']>)
    t.strictSame(lines.map(line => line.collections), collections)
  }
})
