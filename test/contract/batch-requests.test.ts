import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory, sqlite, SubItem } from '../../lib/index.ts'
import { mayNot } from '../fixtures/company.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import Fastify from '../helpers/fastify.ts'
import { everybody } from '../helpers/everybody.ts'
import { created, missing, validation } from '../helpers/answers.ts'

// docs/http.md: Batches

const flags = { readable: true, writable: true }
const Team = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String(flags)
})
const Task = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String(flags),
  done: Type.Boolean({ ...flags, default: false }),
  data: Type.Any({ ...flags, default: {} }),
  teamId: Type.Integer({ ...flags, minimum: 1 }),
  team: SubItem('teams', { foreignKey: 'teamId', ...flags })
})

const ddl = `
create table teams (id key, name text not null) strict;
create table tasks (id key, text text not null, done boolean not null, data json,
  "teamId" integer not null references teams) strict;
create table notes (id key, text text not null) strict;`

const tables = {
  teams: [{ id: 1, name: 'red' }, { id: 2, name: 'blue' }],
  tasks: [{ id: 1, text: 'peel', done: false, data: { x: 1 }, teamId: 1 }],
  notes: [{ id: 1, text: 'x' }]
}

const Note = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), text: Type.String(flags) })

/** Each caller sees the teams that its header names, and their tasks. */
const world: World = {
  ddl,
  tables,
  collections: source => ({
    teams: collection(Team, { source: source('teams') }),
    tasks: collection(Task, {
      source: source('tasks'),
      scope: ({ request }, where) => where.equals('teamId', Number(request.headers['x-team'] ?? 1)),
      rules: { delete: () => false }
    }),
    notes: collection(Note, {
      source: source('notes'),
      rules: { update: ({ request }) => request.headers['x-team'] !== undefined }
    })
  })
}
const strategies = { requestStrategies: { batch: { operations: 3 }, delete: true } } as const

const every = (name: string, run: Parameters<typeof everySource>[1]) => { everySource(name, run, strategies, world) }

const create = (text: string, team: unknown = 1) => ({ method: 'POST', path: '/tasks', body: { text, team_id: team } })
const update = (path: string, body: object) => ({ method: 'PATCH', path, body })

every('each operation asks the rules of its own collection', async ({ get, send, same }) => {
  const deletion = { method: 'DELETE', path: '/tasks/1' }
  same(await send('POST', '/', [create('x'), deletion]), 403, { ...mayNot('delete', 'tasks'), operation: 1 })
  same(await send('POST', '/', [create('x'), update('/notes/1', { text: 'y' })]), 403,
    { ...mayNot('update', 'notes'), operation: 1 })
  same(await send('POST', '/', [create('x'), update('/notes/1', { text: 'y' })], { 'x-team': '1' }), 200, [
    { status: 201, location: '/tasks/2', body: created(2) }, { status: 200, body: { status: 'ok' } }
  ], { 'cache-control': 'private' })
  same(await send('POST', '/', [update('/tasks/2', { text: 'y' })], { 'x-team': '2' }), 404,
    { ...missing('2'), operation: 0 })
  same(await get('/tasks?fields=text'), 200, [{ text: 'peel' }, { text: 'x' }])
})

every('a reference is a value of a foreign key too, and JSON of any form is data', async ({ get, send, same }) => {
  const data = { $: 'it', nested: { $: 'it' } }
  same(await send('POST', '/', [
    { method: 'POST', path: '/teams', body: { name: 'green' }, as: 'it' },
    { ...create('x', { $: 'it' }), as: 'task' },
    { method: 'PUT', path: '/$task/data', body: { $: 'it' } }
  ], { 'x-team': '3' }), 200, [
    { status: 201, location: '/teams/3', body: created(3) },
    { status: 201, location: '/tasks/2', body: created(2) },
    { status: 200, body: { status: 'ok' } }
  ])
  same(await get('/tasks?fields=data,team(name)', { 'x-team': '3' }), 200,
    [{ data: { $: 'it' }, team: { name: 'green' } }])
  same(await send('POST', '/', [{ method: 'PUT', path: '/tasks/1/data', body: data }]), 200,
    [{ status: 200, body: { status: 'ok' } }])
  same(await get('/tasks/1/data'), 200, data)
  same(await send('PATCH', '/tasks/1', { team_id: { $: 'it' } }), 400,
    validation(['/team_id', 'must be an integer between -9007199254740991 and 9007199254740991; found an object']))
})

every('a batch has a limit of operations, and its bodies that of all items together', async ({ send, same, t }) => {
  same(await send('POST', '/', Array.from({ length: 4 }, () => create('x'))), 413, {
    error: 'content_too_large', message: "A batch can have at most 3 operations (limit 'operations')."
  })
  const many = (length: number) => ({ ...create('x'), body: Array.from({ length }, () => create('x').body) })
  same(await send('POST', '/', [many(500), many(501)]), 413, {
    error: 'content_too_large',
    message: 'The body holds more items than this API accepts in one request.',
    operation: 1
  })
  t.equal((await send('POST', '/', [many(500), many(500)])).statusCode, 200)
})

every('the root takes batches by POST alone, as OPTIONS tells', async ({ get, request, send, same, t }) => {
  same(await request({ method: 'OPTIONS', url: '/' }), 204, '', {
    allow: 'GET, HEAD, OPTIONS, POST', 'accept-post': 'application/json'
  })
  same(await get('/'), 200, ['teams', 'tasks', 'notes'].map(name => ({ name, type: 'collection' })))
  for (const method of ['PUT', 'PATCH', 'DELETE'] as const) t.equal((await send(method, '/', [])).statusCode, 405)
})

every('what a batch cannot use is refused', async ({ request, send, same, t }) => {
  for (const query of ['fields=id', 'sort=id', 'size=1', 'id=1', 'format=csv']) {
    t.ok((await send('POST', `/?${query}`, [])).statusCode >= 400, query)
  }
  for (const header of ['if-match', 'if-none-match']) {
    same(await send('POST', '/', [], { [header]: '*' }), 400,
      validation(['', "has a precondition as its header; an operation takes one as 'if_match' or 'if_none_match'"]))
  }
  const post = (headers: Record<string, string>, payload = '[]') =>
    request({ method: 'POST', url: '/', headers, payload })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    t.equal((await post({ 'content-type': type })).statusCode, 415, type)
  }
  const json = { 'content-type': 'application/json' }
  t.equal((await post({ ...json, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).statusCode, 403)
  t.equal((await post({ ...json, accept: 'text/csv' })).statusCode, 406)
  t.equal((await post(json, '[')).statusCode, 400)
  t.equal((await post(json, '')).statusCode, 400)
})

every('every fault in the form of operations is told, with its place', async ({ send, same, t }) => {
  const details = (response: Awaited<ReturnType<typeof send>>) =>
    response.json<{ details: Array<{ pointer: string, message: string }> }>().details
      .map(({ pointer, message }) => `${pointer} ${message}`)
  t.strictSame(details(await send('POST', '/', {})), [' must be an array of operations; found an object'])
  t.strictSame(details(await send('POST', '/', [
    7,
    { path: 'tasks', metod: 'POST', as: 1, return: 'all' },
    { method: 'GET', path: '/tasks', if_match: 1, if_none_match: null }
  ])), [
    '/0 must be an operation; found the number 7',
    "/1 an operation has no member 'metod'. Did you mean 'method'?",
    "/1/method is required: 'POST', 'PUT', 'PATCH' or 'DELETE'",
    "/1/path must be a path that begins with '/', the root of the API; found the string 'tasks'",
    "/1/as must be a name of at most 64 letters, digits and '_'; found the number 1",
    "/1/return must be 'representation' or 'minimal'; found the string 'all'",
    "/2/method must be 'POST', 'PUT', 'PATCH' or 'DELETE'; found the string 'GET'",
    "/2/if_match must be the text of a header 'If-Match'; found the number 1",
    "/2/if_none_match must be the text of a header 'If-None-Match'; found null"
  ])
  same(await send('POST', '/', [{ method: 'POST', path: '/%FF', body: {} }]), 400, {
    error: 'malformed_url', message: "The segment '%FF' is not valid percent-encoded UTF-8.", operation: 0
  })
})

async function serve (options: Partial<DataApiOptions>, collections: DataApiOptions['collections']) {
  const app = Fastify()
  await app.register(dataApi, { rules: everybody, requestStrategies: { batch: true }, ...options, collections })
  return { app, post: (payload: object) => app.inject({ method: 'POST', url: '/', payload }) }
}

const notes = (rows: object[] = [], requestStrategies = {}) =>
  collection(Note, { source: memory(rows as never), requestStrategies })
const note = { method: 'POST', path: '/notes', body: { text: 'x' } }

test('without the option, the root takes no POST', async t => {
  const { app, post } = await serve({ requestStrategies: {} }, { notes: notes() })
  t.match(await post([]), { statusCode: 405, headers: { allow: 'GET, HEAD, OPTIONS' } })
  t.match((await app.inject({ method: 'OPTIONS', url: '/' })).headers, { allow: 'GET, HEAD, OPTIONS' })
})

test('a collection can refuse operations of batches', async t => {
  const { post } = await serve({}, { notes: notes(), others: notes([], { batch: false }) })
  t.match((await post([note, { ...note, path: '/others' }])).json(), {
    error: 'method_not_allowed', message: "'others' takes no operations of a batch.", operation: 1
  })
})

test('operations are of one database', async t => {
  const db = sqlite(':memory:')
  t.teardown(() => { db.close() })
  db.exec('create table others (id integer primary key, text text not null) strict')
  const rows: object[] = []
  const { post } = await serve({}, { notes: notes(rows), others: collection(Note, { source: db.table('others') }) })
  t.match((await post([note, { ...note, path: '/others' }])).json(), {
    error: 'validation',
    details: [{
      pointer: '/1/path',
      message: 'leads to another database than the first operation; one transaction has one database'
    }]
  })
  t.strictSame(rows, [])
})

test('hooks of the application see the number of operations, and the operation that its error has failed', async t => {
  const { app, post } = await serve({}, {
    notes: collection(Note, {
      source: memory([]),
      hooks: {
        creating ({ text }) {
          if (text === 'dear') throw Object.assign(new Error('Pay first.'), { statusCode: 402 })
        }
      }
    })
  })
  const seen: unknown[] = []
  app.addHook('onResponse', async ({ dataApi }) => { seen.push(dataApi) })
  t.match(await post([note, note]), { statusCode: 200 })
  t.strictSame(seen, [{ collection: undefined, kind: 'batch', operations: 2, door: 'http', method: 'POST' }])
  const response = await post([note, { ...note, body: { text: 'dear' } }])
  t.equal(response.statusCode, 402)
  t.strictSame(response.json(), { error: 'rejected', message: 'Pay first.', operation: 1 })
  t.match((await app.inject('/notes?fields=id')).json(), [{}, {}])
})

test('a collection cannot have a name that begins as a reference', async t => {
  await t.rejects(serve({ naming: 'none' }, { $notes: notes() }), {
    message: "collection '$notes': its name in a URL would be '$notes', which cannot be used in the path of a batch"
  })
})
